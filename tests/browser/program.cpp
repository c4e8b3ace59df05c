// The program behind the page in the browser tests: see files.mjs for what its rows do.
#include <bulk/main.hpp>

#include <algorithm>
#include <chrono>
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
};
BULK_METADATA(request, requested_by);

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

int main(int argc, char** argv) { return bulk::main<provisioning>(argc, argv); }
