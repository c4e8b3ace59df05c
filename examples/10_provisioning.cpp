// Device provisioning as a program: what `scripts/demo` runs, on 200 000 devices. The systems outside
// are made up, and always have the same trouble with the same devices; OUTAGE=islands,mountains is a
// bad day in these regions.
#include <bulk/main.hpp>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

using namespace std::chrono_literals;

struct device {
    std::string imei;
    std::string customer;
    std::string region;
    std::optional<int> plan;
    bool is_roaming = false;
};
BULK_ROW(device, (imei, .column = "IMEI", .row_id = true), customer, region, plan,
         (is_roaming, .column = "roaming"));

struct request {
    std::string requested_by;
};
BULK_METADATA(request, requested_by);

bool is_down(std::string_view region) {
    static const char* const outage = std::getenv("OUTAGE");
    return outage != nullptr && std::string_view{outage}.find(region) != std::string_view::npos;
}

/// Polled: the device takes its profile when it is awake.
struct profile_push {
    static constexpr bulk::step_options options{
        .name = "Profile Push", .order = 3, .poll_interval = 100ms, .timeout = 2s};
    void execute(const device&, const request&, bulk::context&) {}
    bool is_complete(const device& d, const request&, bulk::context&) {
        if (!d.imei.ends_with("777")) return !is_down(d.region);
        const auto time = std::chrono::steady_clock::now().time_since_epoch();
        return time / 100ms % 4 == 0;  // it sleeps most of the time
    }
};

struct provisioning : bulk::operation<provisioning, device, request> {
    BULK_OPERATION("device-provisioning", .description = "Puts devices into service",
                   .retryable = true)

    bulk::result<> validate(const device& d, const request&) {
        if (d.imei.size() != 15 ||
            !std::ranges::all_of(d.imei, [](char c) { return '0' <= c && c <= '9'; }))
            return bulk::fail("an IMEI has 15 digits, '" + d.imei + "' has not");
        return {};
    }

    auto steps() { return bulk::steps(profile_push{}); }

    BULK_STEP(activate, "SIM Activation", .order = 1, .max_retries = 2, .backoff = {.base = 50ms})
    (const device& d, const request&, bulk::context& ctx)->bulk::result<> {
        std::this_thread::sleep_for(200us);  // as long as a quick network takes
        if (d.imei.ends_with("13") && ctx.attempt() == 1) return bulk::fail("the SIM is busy");
        return {};
    }

    BULK_STEP(register_network, "Network Registration", .order = 2)
    (const device& d, const request&, bulk::context&)->bulk::result<> {
        if (d.region == "islands" && is_down(d.region))
            return bulk::fail("cell " + d.region + '-' + d.imei.substr(12) + " does not answer");
        return {};
    }

    // Somebody outside says whether a device may roam. Their no is final.
    BULK_STEP(approve, "Carrier Approval", .order = 4, .allow_operation_retry = false)
    (const device& d, const request&, bulk::context&)->bulk::outcome {
        if (!d.is_roaming) return bulk::outcome::done();
        return bulk::outcome::wait_for_signal("carrier-" + d.imei, 30s);
    }

    BULK_STEP(notify, "Customer Notification", .order = 5, .max_retries = 1)
    (const device&, const request&, bulk::context&) {}
};

int main(int argc, char** argv) { return bulk::main<provisioning>(argc, argv); }
