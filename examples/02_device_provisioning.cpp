// Five steps per device: three methods, one step that is polled and one that somebody outside
// completes. `order` puts them in one line, wherever they are declared.
#include <bulk/declare.hpp>

#include <iostream>
#include <string>

using namespace std::chrono_literals;

struct device {
    std::string imei;
    std::string customer;
};
BULK_ROW(device, (imei, .column = "IMEI", .row_id = true), customer);

struct request {
    std::string requested_by;
};
BULK_METADATA(request, requested_by);

struct profile_push {
    static constexpr bulk::step_options options{
        .name = "Profile Push", .order = 3, .poll_interval = 2s, .timeout = 20s};
    void execute(const device& d, const request&, bulk::context&) {
        std::cout << "push the profile to " << d.imei << '\n';
    }
    bool is_complete(const device&, const request&, bulk::context&) { return true; }
};

struct carrier_approval {
    static constexpr bulk::step_options options{
        .name = "Carrier Approval", .order = 4, .timeout = 45s};
    void execute(const device& d, const request&, bulk::context&) {
        std::cout << "ask the carrier about " << d.imei << '\n';
    }
    std::string signal_key(const device& d, const request&) const { return "carrier-" + d.imei; }
};

struct provisioning : bulk::operation<provisioning, device, request> {
    BULK_OPERATION("device-provisioning", .track_row_data = true, .retryable = true)

    auto steps() { return bulk::steps(profile_push{}, carrier_approval{}); }

    BULK_STEP(activate, "SIM Activation", .order = 1, .max_retries = 2)
    (const device& d, const request&, bulk::context&) {
        std::cout << "activate the SIM of " << d.imei << '\n';
    }

    BULK_STEP(register_network, "Network Registration", .order = 2)
    (const device& d, const request&, bulk::context&) {
        std::cout << "register " << d.imei << '\n';
    }

    BULK_STEP(notify, "Customer Notification", .order = 5, .max_retries = 1)
    (const device& d, const request&, bulk::context&) {
        std::cout << "tell " << d.customer << '\n';
    }
};

int main() {
    for (const auto& step : bulk::description_of<provisioning>.steps)
        std::cout << step.index << ' ' << step.name << " (" << name_of(step.kind) << ")\n";

    const device row{"490154203237518", "Ada"};
    const request metadata{"ops"};
    provisioning operation;
    bulk::step_table{operation}.visit_from(0, [&](auto step) {
        bulk::context ctx{{.row = bulk::row_number{1}, .step_name = step.description.name}};
        step.execute(row, metadata, ctx);
        return true;
    });
}
