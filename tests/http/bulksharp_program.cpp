// The program behind bulksharp_client.py: rows that end in every way that a client can be told of.
#include <bulk/main.hpp>

#include <chrono>
#include <mutex>
#include <optional>
#include <set>
#include <string>

using namespace std::chrono_literals;

struct line {
    std::string sku;
    int quantity = 0;
    std::string fate;
    std::optional<double> weight;
};
BULK_ROW(line, (sku, .row_id = true), quantity, fate, weight);

struct request {
    std::string requested_by;
    std::optional<int> batch;
};
BULK_METADATA(request, requested_by, batch);

struct orders : bulk::operation<orders, line, request> {
    BULK_OPERATION("orders", .description = "Ships orders", .track_row_data = true,
                   .retryable = true)

    bulk::result<> validate(const line& each, const request&) {
        if (each.quantity < 1) return bulk::fail("quantity must be positive");
        return {};
    }

    BULK_STEP(reserve, "Reserve", .order = 1)
    (const line& each, const request&, bulk::context&)->bulk::result<> {
        if (each.fate == "fail once" && is_first(each.sku)) return bulk::fail("out of stock");
        return {};
    }

    BULK_STEP(confirm, "Confirm", .order = 2)
    (const line& each, const request&, bulk::context&)->bulk::outcome {
        if (each.fate == "wait")
            return bulk::outcome::wait_for_signal("confirm-" + each.sku, 10min);
        if (each.fate == "late") return bulk::outcome::wait_for_signal("late-" + each.sku, 50ms);
        return bulk::outcome::done();
    }

    BULK_STEP(ship, "Ship", .order = 3, .allow_operation_retry = false)
    (const line& each, const request&, bulk::context&)->bulk::result<> {
        if (each.fate == "lost") return bulk::fail("lost on the way");
        return {};
    }

    /// Whether nobody has tried this article yet.
    static bool is_first(const std::string& sku) {
        static std::mutex mutex;
        static std::set<std::string> seen;
        const std::scoped_lock lock{mutex};
        return seen.insert(sku).second;
    }
};

/// One function, no metadata.
struct pings : bulk::operation<pings, line> {
    BULK_OPERATION("pings")
    bulk::result<> process(const line& each, const bulk::no_metadata&, bulk::context&) {
        if (each.fate == "lost") return bulk::fail("no answer");
        return {};
    }
};

int main(int argc, char** argv) { return bulk::main<orders, pings>(argc, argv); }
