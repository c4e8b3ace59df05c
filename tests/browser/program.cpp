// The program behind the page in the browser tests: see files.mjs for what its rows do.
#include <bulk/feed_main.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>

using namespace std::chrono_literals;

struct device {
    std::string imei;
    std::string customer;
    std::optional<int> plan;
};
BULK_ROW(device, (imei, .column = "IMEI", .row_id = true), customer, plan);

struct request {
    std::string requested_by;
    std::optional<std::uint64_t> ticket;
};
BULK_METADATA(request, requested_by, ticket);

struct provisioning : bulk::operation<provisioning, device, request> {
    BULK_OPERATION("device-provisioning", .description = "Puts devices into service",
                   .track_row_data = true, .retryable = true)

    bulk::result<> validate(const device& d, const request&) {
        const auto is_digit = [](char c) { return '0' <= c && c <= '9'; };
        if (d.imei.size() != 15 || !std::ranges::all_of(d.imei, is_digit))
            return bulk::fail("an IMEI has 15 digits, '" + d.imei + "' has not");
        return {};
    }

    BULK_STEP(activate, "SIM Activation", .order = 1)
    (const device& d, const request&, bulk::context&)->bulk::result<> {
        if (d.customer == "slow") std::this_thread::sleep_for(40ms);
        if (d.customer == "refuse" && is_first(d.imei)) return bulk::fail("the SIM is refused");
        return {};
    }

    BULK_STEP(approve, "Carrier Approval", .order = 2)
    (const device& d, const request&, bulk::context&)->bulk::outcome {
        if (d.customer != "approve") return bulk::outcome::done();
        return bulk::outcome::wait_for_signal("carrier-" + d.imei, 10min);
    }

    BULK_STEP(notify, "Customer Notification", .order = 3)
    (const device&, const request&, bulk::context&) {}

    /// Whether nobody has tried this device yet.
    static bool is_first(const std::string& imei) {
        static std::mutex mutex;
        static std::set<std::string> seen;
        const std::scoped_lock lock{mutex};
        return seen.insert(imei).second;
    }
};

struct article {
    std::string id;
    std::int64_t number = 0;
};
BULK_ROW(article, (id, .row_id = true), number);

struct listing {
    std::string title;
    std::int64_t number = 0;
};
BULK_ROW(listing, title, number);

/// 6 000 numbered articles in so many partitions that they fill more than one page. One partition is
/// refused the first time that it is asked for, and one article can never be mapped.
template <typename Self>
struct articles : bulk::feed<Self, article, listing, std::int64_t> {
    using base = bulk::feed<Self, article, listing, std::int64_t>;
    static constexpr typename base::range extent{0, 5'999};

    static std::int64_t last(std::int64_t wanted) { return std::min(wanted, extent.last); }

    bulk::result<std::uint64_t> count(const typename base::range& asked,
                                      const typename base::window&) {
        return static_cast<std::uint64_t>(
            std::max<std::int64_t>(0, last(asked.last) - asked.first + 1));
    }
    bulk::result<typename base::page> fetch(const typename base::partition& part,
                                            std::uint64_t offset, std::uint32_t limit,
                                            const typename base::window&) {
        static std::atomic<bool> is_refused = true;
        if (part.number == 3 && is_refused.exchange(false))
            return bulk::fail_with_status(403, "ask the manager");
        typename base::page found;
        auto at = part.range.first + static_cast<std::int64_t>(offset);
        for (; at <= last(part.range.last) && found.items.size() < limit; ++at)
            found.items.push_back({"article-" + std::to_string(10'000 + at), at});
        found.has_more = at <= last(part.range.last);
        return found;
    }
    bulk::result<listing> map(const article& each) {
        if (each.number == 4'711) return bulk::fail("nobody knows what this is");
        return listing{"Article <b>" + std::to_string(each.number) + "</b>", each.number};
    }
};

// Two of them, since a feed has one run at a time and the scenarios are played side by side.
struct catalogue : articles<catalogue> {
    BULK_FEED("catalogue", .description = "What the shop sells", .page_size = 50,
              .target_per_partition = 50, .max_workers = 80, .min_per_worker = 50,
              .dense_below = 6'000, .dense_step = 50, .tolerate_bad_items = true)
};
struct stock : articles<stock> {
    BULK_FEED("stock", .description = "What the shop has", .page_size = 50,
              .target_per_partition = 50, .max_workers = 80, .min_per_worker = 50,
              .dense_below = 6'000, .dense_step = 50, .tolerate_bad_items = true)
};

int main(int argc, char** argv) { return bulk::main<provisioning, catalogue, stock>(argc, argv); }
