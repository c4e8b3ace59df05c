// One file through five steps: methods and classes, a step that is polled and one that the carrier
// completes, rows that fail in every way there is, and a retry of those that can be retried.
#include <bulk/bulk.hpp>

#include <support/stage.hpp>
#include <support/ut.hpp>

#include <chrono>
#include <map>
#include <set>
#include <string>
#include <vector>

using namespace boost::ut;
using namespace std::chrono_literals;
using bulk::error_type, bulk::operation_state, bulk::row_counters, bulk::row_number,
    bulk::row_state, bulk::step_index;

namespace {

struct device {
    std::string imei;
    std::string customer;
};
BULK_ROW(device, (imei, .column = "IMEI", .row_id = true), customer);

struct request {
    std::string requested_by;
};
BULK_METADATA(request, requested_by);

/// The systems outside: what they were asked, and for whom they do not work.
struct outside_world {
    std::map<std::string, int> failing_activations{};  ///< how often it fails before it works
    std::set<std::string> without_network{}, never_pushed{}, without_address{};
    std::map<std::string, int> asked_for_profile{};
    std::string calls{};

    void note(const std::string& what, const device& d) { calls += what + '-' + d.customer + ' '; }
};
outside_world world;

struct profile_push {
    static constexpr bulk::step_options options{
        .name = "Profile Push", .order = 3, .poll_interval = 2s, .timeout = 20s};
    void execute(const device& d, const request&, bulk::context&) {
        world.note("push", d);
        world.asked_for_profile[d.customer] = 0;
    }
    bulk::result<bool> is_complete(const device& d, const request&, bulk::context&) {
        return ++world.asked_for_profile[d.customer] == 3 &&
               !world.never_pushed.contains(d.customer);
    }
};

struct carrier_approval {
    static constexpr bulk::step_options options{
        .name = "Carrier Approval", .order = 4, .timeout = 45s};
    void execute(const device& d, const request&, bulk::context&) { world.note("ask", d); }
    std::string signal_key(const device& d, const request&) const { return "carrier-" + d.imei; }
};

struct provisioning : bulk::operation<provisioning, device, request> {
    BULK_OPERATION("device-provisioning", .track_row_data = true, .retryable = true)

    bulk::result<> validate(const request& asked) {
        if (asked.requested_by.empty()) return bulk::fail("somebody must have asked for it");
        return {};
    }
    bulk::result<> validate(const device& d, const request&) {
        if (d.imei.size() != 15) return bulk::fail("an IMEI has 15 digits");
        return {};
    }

    auto steps() { return bulk::steps(profile_push{}, carrier_approval{}); }

    BULK_STEP(activate, "SIM Activation", .order = 1, .max_retries = 2)
    (const device& d, const request&, bulk::context&)->bulk::result<> {
        world.note("activate", d);
        if (world.failing_activations[d.customer]-- > 0) return bulk::fail("the SIM is busy");
        return {};
    }

    BULK_STEP(register_network, "Network Registration", .order = 2)
    (const device& d, const request&, bulk::context&)->bulk::result<> {
        world.note("register", d);
        if (world.without_network.contains(d.customer)) return bulk::fail("no network");
        return {};
    }

    BULK_STEP(notify, "Customer Notification", .order = 5, .max_retries = 1,
              .allow_operation_retry = false)
    (const device& d, const request&, bulk::context&)->bulk::result<> {
        world.note("notify", d);
        if (world.without_address.contains(d.customer)) return bulk::fail("no address");
        return {};
    }
};

constexpr int activation = 0, registration = 1, push = 2, approval = 3, notification = 4;
constexpr std::uint64_t ada = 1, bob = 2, cid = 3, dan = 4, eve = 5, fay = 6, gus = 7, hal = 8;

std::string imei_of(std::uint64_t row) { return "49015420323751" + std::to_string(row); }
std::string key_of(std::uint64_t row) { return "carrier-" + imei_of(row); }

/// Ada's device is fine; everybody else's is not, each in another way.
std::string file() {
    const std::vector<std::string> customers{"Ada", "Bob", "Cid", "Dan",
                                             "Eve", "Fay", "Gus", "Hal"};
    std::string lines = "IMEI,Customer\n";
    for (std::uint64_t row = 1; row <= customers.size(); ++row)
        lines += (row == eve ? "12" : imei_of(row)) + ',' + customers[row - 1] + '\n';
    return lines;
}

using operations = std::remove_const_t<decltype(bulk::operations<provisioning>)>;

/// The operation, as far as a test takes it.
class walk_through : public support::stage<operations> {
public:
    walk_through() {
        world = {.failing_activations = {{"Bob", 2}},
                 .without_network = {"Fay"},
                 .never_pushed = {"Hal"},
                 .without_address = {"Gus"}};
        id = create(file(), "device-provisioning", {.metadata = R"({"requested_by": "ops"})"});
    }

    [[nodiscard]] std::uint64_t waiting_for_carrier() {
        return service
            ->query(bulk::row_query{.operation = id,
                                    .step = step_index{approval},
                                    .state = row_state::waiting_for_completion})
            .value()
            .total;
    }
    void until_asked() {
        expect(fatal(drive([&] { return waiting_for_carrier() == 5; })));  // all but 5, 6 and 8
    }

    /// The carrier approves three, refuses one and forgets one.
    bulk::operation_record until_end() {
        until_asked();
        expect(service->signal(id, key_of(ada)).value().row == row_number{ada});
        expect(service->try_signal(bulk::full_signal_key(id, key_of(bob), row_number{bob})));
        expect(service->signal(id, key_of(gus)).has_value());
        expect(service->fail_signal(id, key_of(cid), "the contract has ended").has_value());
        return finish(id);
    }

    /// What was wrong outside is mended, and what failed is tried again.
    bulk::retry_answer retry() {
        (void)until_end();
        world = {};
        return service->retry(id).value();
    }
    bulk::operation_record until_second_end() {
        (void)retry();
        expect(fatal(drive([&] { return waiting_for_carrier() == 4; })));
        for (const auto row : {cid, dan, fay, hal})
            expect(service->signal(id, key_of(row)).value().row == row_number{row});
        return finish(id);
    }

    [[nodiscard]] bulk::row_record at(std::uint64_t row, int step) {
        return record(id, row, step).value_or(bulk::row_record{});
    }
    /// The states of a row's steps, the first letter of each; '.' where it has no record.
    [[nodiscard]] std::string steps_of(std::uint64_t row) {
        std::string letters;
        for (int step = activation; step <= notification; ++step) {
            const auto found = record(id, row, step);
            letters += found ? name_of(found->state)[0] : '.';
        }
        return letters;
    }

    bulk::operation_id id;
};

suite<"device provisioning"> device_provisioning = [] {
    "methods and classes stand in one line, by their order"_test = [] {
        std::string line;
        for (const auto& step : bulk::description_of<provisioning>.steps)
            line += std::string{step.name} + " (" + std::string{name_of(step.kind)} + ") ";
        expect(line ==
               "SIM Activation (plain) Network Registration (plain) Profile Push (polled) "
               "Carrier Approval (signalled) Customer Notification (plain) ")
            << line;
    };

    "created: the file is stored, nothing is counted, nobody has begun"_test = [] {
        walk_through now;
        const auto record = now.get(now.id);
        expect(record.state == operation_state::pending and record.rows == row_counters{});
        expect(now.storage.file(record.file_id).value().size == file().size());
        expect(world.calls.empty());
    };

    "validated: a record of step -1 for each row, with its data and its key"_test = [] {
        walk_through now;
        expect(now.drive([&] { return now.get(now.id).state == operation_state::running; }));
        expect(world.calls.empty()) << "no row has run yet";
        expect(now.get(now.id).rows == row_counters{8, 1, 0, 1});
        for (const auto row : {ada, bob, cid, dan, fay, gus, hal}) {
            expect(now.at(row, -1).state == row_state::completed);
            expect(now.at(row, -1).row_id == imei_of(row));
            expect(now.at(row, -1).row_data.contains(imei_of(row)));
        }
        const auto refused = now.at(eve, -1);
        expect(refused.state == row_state::failed and refused.failure == error_type::validation);
        expect(refused.error_message == "an IMEI has 15 digits");
        expect(refused.row_data == R"({"IMEI":"12","customer":"Eve"})") << refused.row_data;
    };

    "running: each row stands where its steps have brought it"_test = [] {
        walk_through now;
        now.until_asked();
        const auto record = now.get(now.id);
        expect(record.state == operation_state::running);
        expect(record.rows == row_counters{8, 2, 0, 2}) << "Eve was refused, Fay has no network";
        expect(now.steps_of(ada) == "cccw." and now.steps_of(bob) == "cccw.");
        expect(now.steps_of(eve) == ".....") << "a refused row never runs";
        expect(now.steps_of(fay) == "cf..." and now.steps_of(hal) == "ccw..");

        expect(now.at(ada, activation).attempt == 1_u and now.at(bob, activation).attempt == 3_u);
        const auto asked = now.at(bob, approval);
        expect(asked.signal_key == key_of(bob));
        expect(*asked.wait_until - *asked.started_at >= 45s);
        const auto polled = now.at(hal, push);
        expect(polled.signal_key.empty() and polled.wait_until.has_value());
        expect(world.asked_for_profile["Ada"] == 3_i);
        expect(!world.calls.contains("notify"));
    };

    "approved by its key: the row goes on to its last step"_test = [] {
        walk_through now;
        now.until_asked();
        const auto receipt = now.service->signal(now.id, key_of(ada)).value();
        expect(!receipt.is_kept and receipt.row == row_number{ada} and
               receipt.step == step_index{approval});
        expect(now.drive([&] { return now.get(now.id).rows.successful == 1; }));
        expect(now.steps_of(ada) == "ccccc");
        expect(now.get(now.id).rows == row_counters{8, 3, 1, 2});
    };

    "the end: completed with errors, and every row says why"_test = [] {
        walk_through now;
        const auto done = now.until_end();
        expect(done.state == operation_state::completed_with_errors);
        expect(done.rows == row_counters{8, 8, 2, 6});
        expect(now.errors(now.id) ==
               "3 signal_failure: the contract has ended\n"
               "4 timeout: Step 'Carrier Approval' timed out waiting for completion\n"
               "5 validation: an IMEI has 15 digits\n"
               "6 step_failure: no network\n"
               "7 step_failure: no address\n"
               "8 timeout: Step 'Profile Push' timed out waiting for completion\n")
            << now.errors(now.id);
        expect(now.steps_of(cid) == "cccf." and now.steps_of(dan) == "ccct.");
        expect(now.steps_of(gus) == "ccccf" and now.steps_of(hal) == "cct..");
        expect(now.at(gus, notification).attempt == 2_u);
        const auto timed_out = now.at(dan, approval);
        expect(*timed_out.completed_at - *timed_out.started_at >= 45s);
        const auto late = now.service->signal(now.id, key_of(dan));
        expect(late.error().code == bulk::errc::illegal_transition) << "nobody waits any more";
    };

    "retry: what can be tried again is reset, and how it had failed is kept"_test = [] {
        walk_through now;
        const auto before = now.until_end();
        expect(now.service->can_retry(now.id)->is_eligible);
        const auto failed_at = now.at(cid, approval).completed_at;
        const auto answer = now.service->retry(now.id).value();
        expect(answer.submitted == 4_u and answer.skipped == 1_u and answer.resumed == 0_u);
        expect(answer.reasons ==
               std::vector<std::string>{
                   "Row 7: step 'Customer Notification' does not allow operation retry"});

        const auto begun = now.get(now.id);
        expect(begun.state == operation_state::retrying and begun.retry_count == 1_u);
        expect(begun.rows == row_counters{8, 4, 2, 2}) << "Eve and Gus are still failed";
        expect(now.steps_of(cid) == "cccp." and now.steps_of(dan) == "cccp.");
        expect(now.steps_of(fay) == "cp..." and now.steps_of(hal) == "ccp..");
        const auto reset = now.at(cid, approval);
        expect(reset.retry_attempt == 1_u and !reset.failure and reset.error_message.empty());
        expect(reset.signal_key.empty()) << "a late signal finds nobody";

        const auto history = now.service->retry_history({.operation = now.id}).value().items;
        expect(fatal(history.size() == 4_ul));
        const auto is = [&](std::size_t at, std::uint64_t row, int step, error_type why) {
            const auto& entry = history[at];
            expect(entry.row == row_number{row} and entry.step == static_cast<step_index>(step));
            expect(entry.failure == why and entry.retry_attempt == 0_u);
        };
        is(0, cid, approval, error_type::signal_failure);
        is(1, dan, approval, error_type::timeout);
        is(2, fay, registration, error_type::step_failure);
        is(3, hal, push, error_type::timeout);
        expect(history[0].error_message == "the contract has ended");
        expect(history[0].failed_at == failed_at);
        expect(before.retry_count == 0_u);
    };

    "retried: each row goes on with the step at which it failed, and no earlier one"_test = [] {
        walk_through now;
        const auto done = now.until_second_end();
        const auto count = [](std::string_view call) {
            std::size_t found = 0;
            for (auto at = world.calls.find(call); at != std::string::npos;
                 at = world.calls.find(call, at + 1))
                ++found;
            return found;
        };
        expect(count("activate") == 0_ul) << world.calls;
        expect(count("register") == 1_ul and count("register-Fay") == 1_ul);
        expect(count("push") == 2_ul and count("ask") == 4_ul and count("notify") == 4_ul);
        for (const auto row : {ada, bob, cid, dan, fay, hal}) expect(now.steps_of(row) == "ccccc");

        expect(done.state == operation_state::completed_with_errors) << "Eve and Gus";
        expect(done.rows == row_counters{8, 8, 6, 2});
        expect(now.errors(now.id) ==
               "5 validation: an IMEI has 15 digits\n"
               "7 step_failure: no address\n");
        expect(now.at(fay, registration).retry_attempt == 1_u);
        expect(now.at(fay, activation).retry_attempt == 0_u);
        expect(now.service->retry_history({.operation = now.id}).value().total == 4_u);
        const auto can = now.service->can_retry(now.id).value();
        expect(!can.is_eligible and
               can.reason ==
                   "No retryable failed rows found (validation failures cannot be retried)");
    };

    "told: every state on the way, and the end twice"_test = [] {
        walk_through now;
        (void)now.until_second_end();
        std::string states;
        for (const auto found = now.service->events(now.id, 0, 1000).value();
             const auto& each : found)
            if (each.kind == bulk::event_kind::status_changed)
                states += std::string{name_of(each.state)} + ' ';
            else if (each.kind == bulk::event_kind::completed)
                states += "END ";
        expect(states ==
               "validating running completed_with_errors END "
               "retrying running completed_with_errors END ")
            << states;
    };

    "after a crash in between, the waits go on, and the end is the same"_test = [] {
        walk_through now;
        now.until_asked();
        const auto deadline = now.at(dan, approval).wait_until;
        now.crash();
        world.calls.clear();
        now.start();
        expect(now.drive([&] { return now.get(now.id).rows.failed == 2; }));
        expect(now.service->signal(now.id, key_of(ada)).value().row == row_number{ada});
        expect(now.service->signal(now.id, key_of(bob)).has_value());
        expect(now.service->signal(now.id, key_of(gus)).has_value());
        expect(now.service->fail_signal(now.id, key_of(cid), "the contract has ended").has_value());
        const auto done = now.finish(now.id);
        expect(done.rows == row_counters{8, 8, 2, 6});
        expect(world.calls.find("ask") == std::string::npos) << "nobody is asked twice";
        expect(now.at(dan, approval).completed_at >= deadline);
    };
};

}  // namespace

int main() {}
