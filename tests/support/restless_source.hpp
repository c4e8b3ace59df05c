// A source for feeds that changes while it is read, fails, lies and misbehaves, by a seed; and that
// remembers everything it ever was.
#pragma once

#include <bulk/feed.hpp>

#include <support/catalogue.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace support {

/// How often it does so, in a thousand calls.
struct source_habits {
    std::uint64_t fails = 0;    ///< for a while
    std::uint64_t refuses = 0;  ///< for good
    std::uint64_t throws = 0;
    std::uint64_t miscounts = 0;
    std::uint64_t promises = 0;  ///< an empty page, and more behind it
    std::uint64_t skimps = 0;    ///< fewer than asked for
    std::uint64_t exceeds = 0;   ///< more
    std::uint64_t shuffles = 0;  ///< a page
    std::uint64_t unfit = 0;     ///< items that cannot be mapped this time
};

class restless_source {
public:
    struct record {
        article data;
        std::uint64_t since = 0;  ///< which change made it so
        bool is_double = false;   ///< it is listed twice
    };
    struct version {
        listing made;
        std::uint64_t since = 0;
        std::optional<std::uint64_t> until;
    };

    restless_source(std::mt19937_64& random, std::uint64_t& changes)
        : random_{random}, changes_{changes} {}

    source_habits habits;
    bool is_mended = false;         ///< what could not be mapped can be
    std::function<void()> on_call;  ///< something else happens meanwhile
    std::function<void(const article* before, const article* after)> on_change;
    std::function<void()> on_lie;

    // --- what it has -----------------------------------------------------------------------------

    /// Without a key it has only a name.
    void put(const std::string& name, article data, bool has_key = true, bool is_double = false) {
        data.id = has_key ? name : std::string{};
        const auto before = records_.find(name);
        if (on_change) on_change(before == records_.end() ? nullptr : &before->second.data, &data);
        ++changes_;
        end_version(name);
        if (has_key) versions_[name].push_back({listing_of(data), changes_, std::nullopt});
        records_[name] = {std::move(data), changes_, is_double};
    }
    void remove(const std::string& name) {
        const auto before = records_.find(name);
        if (before == records_.end()) return;
        if (on_change) on_change(&before->second.data, nullptr);
        ++changes_;
        end_version(name);
        records_.erase(before);
    }
    [[nodiscard]] const std::map<std::string, record>& records() const { return records_; }
    [[nodiscard]] std::vector<version> versions(const std::string& name) const {
        const auto found = versions_.find(name);
        return found == versions_.end() ? std::vector<version>{} : found->second;
    }

    // --- what it answers -------------------------------------------------------------------------

    [[nodiscard]] bulk::result<std::uint64_t> count(const bulk::source_range<std::int64_t>& range,
                                                    const bulk::update_window& window) {
        if (auto well = behave(); !well) return std::unexpected{well.error()};
        auto counted = static_cast<std::uint64_t>(select(range, window).size());
        interrupt();
        if (!does(habits.miscounts)) return counted;
        if (on_lie) on_lie();
        return random_() % 2 == 0 ? counted + 1 + random_() % 3 : counted - std::min(counted, 1UL);
    }

    [[nodiscard]] bulk::result<bulk::source_page<article>> fetch(
        const bulk::source_partition<std::int64_t>& part, std::uint64_t offset, std::uint32_t limit,
        const bulk::update_window& window, bool by_mark) {
        if (auto well = behave(); !well) return std::unexpected{well.error()};
        if (does(habits.promises)) return bulk::source_page<article>{.has_more = true};
        const auto all = select(part.range, window);
        std::uint64_t from = offset;
        if (by_mark)
            from = static_cast<std::uint64_t>(
                std::ranges::upper_bound(all, part.token, {}, &listed::name) - all.begin());
        std::uint64_t most = limit;
        if (does(habits.exceeds)) most += 1 + random_() % limit;
        if (does(habits.skimps)) most = 1 + random_() % limit;
        bulk::source_page<article> page;
        std::uint64_t to = std::min<std::uint64_t>(from + most, all.size());
        while (by_mark && to > from && to < all.size() && all[to].name == all[to - 1].name) ++to;
        for (std::uint64_t i = from; i < to; ++i) page.items.push_back(all[i].data);
        page.has_more = to < all.size();
        if (by_mark && page.has_more) page.next = all[to - 1].name;
        if (does(habits.shuffles)) std::ranges::shuffle(page.items, random_);
        interrupt();
        return page;
    }

    [[nodiscard]] bulk::result<listing> map(const article& raw) {
        if (raw.stock < 0 && !is_mended) return bulk::fail("less than nothing in stock");
        if (does(habits.unfit)) throw std::runtime_error{"not today"};
        return listing_of(raw);
    }

    [[nodiscard]] bulk::result<> prepare() { return behave(); }

private:
    struct listed {
        std::string name;
        article data;
    };

    /// By name, so that the order never changes.
    [[nodiscard]] std::vector<listed> select(const bulk::source_range<std::int64_t>& range,
                                             const bulk::update_window& window) const {
        std::vector<listed> found;
        for (const auto& [name, each] : records_) {
            const auto& data = each.data;
            if (data.price < range.first || data.price > range.last) continue;
            if (!catalogue::is_in(data, window)) continue;
            for (int i = 0; i < (each.is_double ? 2 : 1); ++i) found.push_back({name, data});
        }
        return found;
    }

    [[nodiscard]] bool does(std::uint64_t rate) { return rate > 0 && random_() % 1000 < rate; }

    void interrupt() {
        if (on_call) on_call();
    }

    [[nodiscard]] bulk::result<> behave() {
        interrupt();
        if (does(habits.fails)) return bulk::fail_with_status(503, "busy");
        if (does(habits.refuses)) return bulk::fail_with_status(403, "not for you");
        if (does(habits.throws)) throw std::runtime_error{"thrown"};
        return {};
    }

    void end_version(const std::string& name) {
        if (const auto found = versions_.find(name); found != versions_.end())
            if (!found->second.back().until) found->second.back().until = changes_;
    }

    std::mt19937_64& random_;
    std::uint64_t& changes_;  ///< of all sources
    std::map<std::string, record> records_;
    std::map<std::string, std::vector<version>> versions_;
};

}  // namespace support
