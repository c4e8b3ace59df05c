#include "feed_stage.hpp"

#include "run_with.hpp"

#include <bulk/feed_main.hpp>

namespace stage {

namespace {
shop* open_shop = nullptr;
}

struct offer {
    std::string id;
    std::int64_t price = 0;
};
BULK_ROW(offer, (id, .row_id = true), price);

struct listing {
    std::string id;
    std::string label;
};
BULK_ROW(listing, id, label);

template <typename Self>
struct shop_feed : bulk::feed<Self, offer, listing> {
    using base = bulk::feed<Self, offer, listing>;
    static constexpr typename base::range extent{0, 999};

    bulk::result<std::uint64_t> count(const typename base::range& prices,
                                      const bulk::update_window& changed) {
        return open_shop->select(prices.first, prices.last, changed.from, changed.to).size();
    }
    bulk::result<typename base::page> fetch(const typename base::partition& part,
                                            std::uint64_t offset, std::uint32_t limit,
                                            const bulk::update_window& changed) {
        if (open_shop->on_fetch)
            if (auto said = open_shop->on_fetch(part.number); !said)
                return std::unexpected{said.error()};
        const auto all =
            open_shop->select(part.range.first, part.range.last, changed.from, changed.to);
        typename base::page found;
        for (auto i = offset; i < all.size() && i < offset + limit; ++i)
            found.items.push_back({all[i].id, all[i].price});
        found.has_more = offset + limit < all.size();
        return found;
    }
    bulk::result<listing> map(const offer& raw) {
        if (open_shop->on_map)
            if (auto said = open_shop->on_map(raw.id); !said) return std::unexpected{said.error()};
        return listing{raw.id, raw.id + " at " + std::to_string(raw.price)};
    }
};

struct articles : shop_feed<articles> {
    BULK_FEED("articles", .description = "What the shop sells", .page_size = 5,
              .target_per_partition = 10, .max_workers = 3, .min_per_worker = 20,
              .dense_below = 100, .dense_step = 10, .sparse_step = 100)
};
struct first_feed : shop_feed<first_feed> {
    BULK_FEED("first", .min_per_worker = 20, .then = "second")
};
struct second_feed : shop_feed<second_feed> {
    BULK_FEED("second", .min_per_worker = 20)
};

struct payment {
    std::string account;
};
BULK_ROW(payment, account);
struct payments : bulk::operation<payments, payment> {
    BULK_OPERATION("payments")
    bulk::outcome process(const payment&, const bulk::no_metadata&, bulk::context&) {
        return bulk::outcome::done();
    }
};

feed_program::feed_program() {
    open_shop = &source;
    for (int i = 0; i < 60; ++i) source.put("a" + std::to_string(100 + i), i);
}
feed_program::~feed_program() { open_shop = nullptr; }

answer feed_program::run_feed(words command) {
    return run_with<articles>(*this, std::move(command));
}
answer feed_program::run_all(words command) {
    return run_with<articles, payments>(*this, std::move(command));
}
answer feed_program::run_chain(words command) {
    return run_with<first_feed, second_feed>(*this, std::move(command));
}

}  // namespace stage
