// The calls of a `bulk::feed_ledger` that change nothing.
#pragma once

#include <bulk/core/feed_query.hpp>
#include <bulk/core/feed_run.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace support {

/// Each goes through `call(name, function)` of the class that derives from this.
template <typename Ledger>
class ledger_reads {
public:
    explicit ledger_reads(Ledger ledger) : ledger_{std::move(ledger)} {}

    auto run(this auto&& self, bulk::run_id id) {
        return self.call("run", [&] { return self.ledger_.run(id); });
    }
    auto runs(this auto&& self, const bulk::run_query& query) {
        return self.call("runs", [&] { return self.ledger_.runs(query); });
    }
    auto partitions(this auto&& self, bulk::run_id id) {
        return self.call("partitions", [&] { return self.ledger_.partitions(id); });
    }
    auto bad_items(this auto&& self, bulk::run_id id, const std::string& after,
                   std::uint32_t limit) {
        return self.call("bad_items", [&] { return self.ledger_.bad_items(id, after, limit); });
    }
    auto watermark_of(this auto&& self, const std::string& feed) {
        return self.call("watermark_of", [&] { return self.ledger_.watermark_of(feed); });
    }
    auto item(this auto&& self, const std::string& feed, const std::string& key) {
        return self.call("item", [&] { return self.ledger_.item(feed, key); });
    }
    auto items(this auto&& self, const bulk::item_query& query) {
        return self.call("items", [&] { return self.ledger_.items(query); });
    }
    auto next_due(this auto&& self, const std::vector<std::string>& feeds) {
        return self.call("next_due", [&] { return self.ledger_.next_due(feeds); });
    }

protected:
    Ledger ledger_;
};

}  // namespace support
