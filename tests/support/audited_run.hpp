// What an audit of feeds knows of a feed and of a run: see page_audit.hpp and simulation_audit.hpp.
#pragma once

#include <bulk/feed.hpp>

#include <support/restless_source.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace support {

/// One feed as it must be.
struct audited_feed {
    restless_source* source = nullptr;
    bool can_lose = false;     ///< what is lost while others come or are miscounted stays unnoticed
    bool never_looks = false;  ///< or whatever is lost
    bool has_gap = false;      ///< something before the watermark may be missing, and that is known
    std::optional<bulk::timestamp> watermark{};
    std::uint64_t version = 0;
};

struct audited_run {
    std::string feed{};
    bulk::update_window window{};
    bulk::update_window read{};  ///< of the source
    std::uint64_t since = 0;     ///< which change of the sources was the last before it
    bool is_over = false;        ///< for good
    bool is_removed = false;
    bool has_lost = false, has_gained = false, was_lied_to = false;  ///< while it was read

    struct part {
        std::uint64_t offset = 0;
        std::uint32_t pass = 0;
        std::uint64_t fence = 0;
        std::optional<bulk::timestamp> leased_until{};
        bool is_finished = false;
    };
    std::map<std::uint32_t, part> parts{};
    struct batch {
        std::uint64_t fence = 0;
        std::optional<bulk::timestamp> leased_until{};
        std::set<std::string> keys{};
    };
    std::map<std::uint64_t, batch> batches{};
    std::map<std::string, std::string> seen{};  ///< the payload that came last, by key
    std::set<std::string> stored{};
    std::set<std::string> bad{};
};

/// How the audit looks at the store.
struct audit_view {
    std::function<bulk::feed_run(bulk::run_id)> run;
    std::function<std::vector<std::string>(bulk::run_id)> bad_keys;
    std::function<std::vector<bulk::feed_partition>(bulk::run_id)> partitions;
    std::function<std::map<std::string, bulk::canonical_item>(const std::string& feed)> set;
    std::function<std::uint64_t(const std::string& feed)> active_runs;
};

}  // namespace support
