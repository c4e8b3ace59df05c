#include <bulk/operation/declare.hpp>
#include <bulk/operation/step_table.hpp>

#include <support/ut.hpp>

#include <string>
#include <type_traits>
#include <vector>

using namespace boost::ut;
using namespace std::chrono_literals;
using namespace std::string_literals;

namespace {

struct device {
    std::string imei;
};
BULK_ROW(device, imei);

struct request {
    std::string by;
};
BULK_METADATA(request, by);

using calls = std::vector<std::string>;

struct push {
    static constexpr bulk::step_options options{
        .name = "Profile Push", .order = 3, .poll_interval = 2s, .timeout = 20s};
    calls* log = nullptr;
    void execute(const device& d, const request&, bulk::context&) {
        log->push_back("push " + d.imei);
    }
    bulk::result<bool> is_complete(const device& d, const request&, bulk::context&) {
        return d.imei == "7";
    }
};

struct approval {
    static constexpr bulk::step_options options{.name = "Carrier Approval", .order = 4};
    calls* log = nullptr;
    bulk::outcome execute(const device&, const request& r, bulk::context&) {
        log->push_back("ask for " + r.by);
        return bulk::outcome::skip("approved before");
    }
    std::string_view signal_key(const device& d, const request&) const { return d.imei; }
};

struct provisioning : bulk::operation<provisioning, device, request> {
    BULK_OPERATION("device-provisioning")

    calls log{};

    auto steps() { return bulk::steps(push{&log}, approval{&log}); }

    BULK_STEP(notify, "Customer Notification", .order = 5, .max_retries = 1)
    (const device&, const request&, bulk::context&)->bulk::result<> {
        log.push_back("notify");
        return bulk::fail("nobody at home");
    }

    BULK_STEP(activate, "SIM Activation", .order = 1, .max_retries = 2)
    (const device&, const request&, bulk::context& ctx) {
        log.push_back("activate, try " + std::to_string(ctx.attempt()));
    }

    BULK_STEP(carrier, "carrier approval", .order = 2)  // the class of that name replaces it
    (const device&, const request&, bulk::context&) { log.push_back("never"); }
};

struct single : bulk::operation<single, device> {
    BULK_OPERATION("single-pass")
    int rows = 0;
    void process(const device&, const bulk::no_metadata&, bulk::context&) { ++rows; }
};

struct named_process : bulk::operation<named_process, device> {
    BULK_OPERATION("named")
    int rows = 0;
    BULK_STEP(process, "Import", .max_retries = 4)
    (const device&, const bulk::no_metadata&, bulk::context&) { ++rows; }
};

struct process_among_steps : bulk::operation<process_among_steps, device> {
    BULK_OPERATION("among")
    static bool is_valid(const device&) { return true; }  // names of ours are free for users
    int row = 0, metadata = 0;
    BULK_STEP(process, "Import", .order = 1)
    (const device&, const bulk::no_metadata&, bulk::context&) { row = 1; }
    BULK_STEP(check, "Check", .order = 2)
    (const device&, const bulk::no_metadata&, bulk::context&) { metadata = row + 1; }
};
static_assert(bulk::step_descriptions<process_among_steps>.size() == 2);

// The table is made by the compiler: these hold before anything runs.
constexpr auto& described = bulk::step_descriptions<provisioning>;
static_assert(described.size() == 4);
static_assert(described[0].name == "SIM Activation" && described[0].max_retries == 2);
static_assert(described[1].name == "Profile Push" && described[1].kind == bulk::step_kind::polled);
static_assert(described[1].poll_interval == 2s && described[1].timeout == 20s);
static_assert(described[2].kind == bulk::step_kind::signalled && !described[2].timeout);
static_assert(described[3].name == "Customer Notification" && described[3].index == 3);
static_assert(!std::is_polymorphic_v<bulk::step_table<provisioning>>);

suite<"step table"> step_table = [] {
    const device row{"7"};
    const request metadata{"ops"};
    bulk::context ctx{{.attempt = 2}};

    "every step is called, in order, as what it is"_test = [&] {
        provisioning operation;
        bulk::step_table table{operation};
        expect(table.visit_from(0, [&](auto step) {
            (void)bulk::outcome_of([&] { return step.execute(row, metadata, ctx); });
            return true;
        }));
        expect(operation.log == calls{"activate, try 2", "push 7", "ask for ops", "notify"});
    };

    "a walk can begin later and stop early"_test = [&] {
        provisioning operation;
        bulk::step_table table{operation};
        expect(!table.visit_from(1, [&](auto step) {
            (void)bulk::outcome_of([&] { return step.execute(row, metadata, ctx); });
            return step.kind != bulk::step_kind::signalled;
        }));
        expect(operation.log == calls{"push 7", "ask for ops"});
        expect(table.visit_from(4, [](auto) { return false; })) << "nothing left to visit";
    };

    "waiting steps can be asked"_test = [&] {
        provisioning operation;
        bulk::step_table table{operation};
        int asked = 0;
        table.visit_from(0, [&](auto step) {
            if constexpr (step.kind == bulk::step_kind::polled) {
                expect(step.is_complete(row, metadata, ctx).value());
                ++asked;
            } else if constexpr (step.kind == bulk::step_kind::signalled) {
                expect(step.signal_key(row, metadata) == "7"s);
                ++asked;
            }
            return true;
        });
        expect(asked == 2_i);
    };

    "process is a table of one, under the operation's name"_test = [&] {
        static_assert(bulk::step_descriptions<single>.size() == 1);
        static_assert(bulk::step_descriptions<single>[0].name == "single-pass");
        single operation;
        bulk::step_table{operation}.visit_from(0, [&](auto step) {
            step.execute(row, {}, ctx);
            return true;
        });
        expect(operation.rows == 1_i);
    };

    "process can be given a name and attributes as a step"_test = [&] {
        static_assert(bulk::step_descriptions<named_process>[0].name == "Import");
        static_assert(bulk::step_descriptions<named_process>[0].max_retries == 4);
        named_process operation;
        bulk::step_table{operation}.visit_from(0, [&](auto step) {
            step.execute(row, {}, ctx);
            return true;
        });
        expect(operation.rows == 1_i);
    };
};

suite<"outcome"> outcomes = [] {
    const auto holds = []<typename State>(const bulk::outcome& outcome, std::type_identity<State>) {
        return std::holds_alternative<State>(outcome.get());
    };

    "whatever a step returns becomes one outcome"_test = [&] {
        expect(holds(bulk::outcome_of([] {}), std::type_identity<bulk::outcome::succeeded>{}));
        expect(holds(bulk::outcome_of([] { return bulk::result<>{}; }),
                     std::type_identity<bulk::outcome::succeeded>{}));
        const auto failed = bulk::outcome_of([] { return bulk::fail("no"); });
        expect(fatal(holds(failed, std::type_identity<bulk::outcome::retried>{})));
        expect(std::get<bulk::outcome::retried>(failed.get()).reason == "no"s);
        expect(!std::get<bulk::outcome::retried>(failed.get()).after.has_value());
    };

    "an outcome keeps what was said"_test = [] {
        expect(std::get<bulk::outcome::failed>(bulk::outcome::fail("x").get()).reason == "x"s);
        expect(std::get<bulk::outcome::retried>(bulk::outcome::retry("x", 5s).get()).after == 5s);
        expect(std::get<bulk::outcome::skipped>(bulk::outcome::skip("y").get()).reason == "y"s);
        const auto waiting = bulk::outcome::wait_for_signal("key", 1min);
        expect(std::get<bulk::outcome::waiting>(waiting.get()).key == "key"s);
        expect(std::get<bulk::outcome::waiting>(waiting.get()).timeout == 60s);
        expect(std::get<bulk::outcome::polling>(bulk::outcome::poll(1s, 9s).get()).timeout == 9s);
    };

    "a step's key is the same on every try"_test = [] {
        const bulk::operation_id id{{1, 2}};
        const auto key = [&](std::uint32_t attempt) {
            return bulk::context{{.operation = id,
                                  .row = bulk::row_number{12},
                                  .step = bulk::step_index{3},
                                  .attempt = attempt}}
                .idempotency_key();
        };
        expect(key(1) == key(2));
        expect(key(1) == "00000000-0000-0001-0000-000000000002:12:3"s) << key(1);
    };
};

}  // namespace

int main() {}
