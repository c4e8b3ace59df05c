// Operations that are half done when the program comes back with other steps.
#include <support/stage.hpp>
#include <support/ut.hpp>

#include <chrono>
#include <string>

using namespace boost::ut;
using namespace std::chrono_literals;
using bulk::operation_state, bulk::row_state;
using support::number, support::numbers;

namespace {

std::string calls;

template <char Name>
struct plain {
    static constexpr char text[]{Name, '\0'};
    static constexpr bulk::step_options options{.name = text};
    void execute(const number&, const bulk::no_metadata&, bulk::context&) { calls += Name; }
};
/// Waits for a signal.
struct wait {
    static constexpr bulk::step_options options{.name = "Wait", .timeout = 24h};
    void execute(const number&, const bulk::no_metadata&, bulk::context&) { calls += 'w'; }
    std::string signal_key(const number& row, const bulk::no_metadata&) {
        return "k" + std::to_string(row.value);
    }
};

/// One version of the program.
#define VERSION(NAME, ...)                                      \
    struct NAME##_work : bulk::operation<NAME##_work, number> { \
        BULK_OPERATION("work", .retryable = true)               \
        auto steps() { return bulk::steps(__VA_ARGS__); }       \
    };                                                          \
    using NAME = support::stage<bulk::operation_list<NAME##_work>>

VERSION(first, plain<'a'>{}, wait{}, plain<'c'>{});
VERSION(one_more, plain<'a'>{}, plain<'b'>{}, wait{}, plain<'c'>{});
VERSION(many_more, plain<'x'>{}, plain<'a'>{}, plain<'b'>{}, wait{}, plain<'d'>{}, plain<'c'>{});
VERSION(without_last, plain<'a'>{}, wait{});
VERSION(without_first, wait{}, plain<'c'>{});
VERSION(swapped, wait{}, plain<'a'>{}, plain<'c'>{});
VERSION(all_other, plain<'z'>{});

const bulk::service_options by_name{.on_changed_steps = bulk::changed_steps::by_name};

/// An operation whose two rows wait, one of which is told already, and whose process died.
struct half_done {
    bulk::memory::storage storage;
    bulk::operation_id id{};
    bulk::timestamp now{};

    half_done() {
        first on{{}, storage};
        id = on.create(numbers(2), "work");
        on.drive_for(5s);
        on.crash();
        (void)storage.send({.operation = id, .key = "k1", .sent_at = on.jobs.now()},
                           on.jobs.now() + 1h);
        now = on.jobs.now();
        calls.clear();
    }
};

/// Goes on with another program.
template <typename Stage>
struct resumed : Stage {
    explicit resumed(half_done& from, const bulk::service_options& options)
        : Stage{options, from.storage} {
        this->drive_for(2min);
    }
};

suite<"changed_steps"> changed_steps = [] {
    "an operation keeps the steps that it began with"_test = [] {
        half_done from;
        expect(from.storage.get(from.id).value().steps ==
               std::vector<std::string>{"a", "Wait", "c"});
    };

    "other steps are refused, both tables are shown, and nothing is changed"_test = [] {
        half_done from;
        resumed<one_more> on{from, {}};
        const auto record = on.get(from.id);
        expect(record.state == operation_state::running);
        expect(record.error_message ==
               "the steps of 'work' have changed since this operation began: it has ('a', 'Wait', "
               "'c'), the program has ('a', 'b', 'Wait', 'c'); run it with the program that began "
               "it, or let on_changed_steps be by_name")
            << record.error_message;
        expect(calls.empty());
        expect(on.log.contains("have changed since"));
        on.drive_for(10min);
        expect(on.get(from.id).version == record.version) << "it is not tried again and again";
        expect(on.service->cancel(from.id).has_value());
        on.drive_for(1s);
        expect(on.get(from.id).state == operation_state::cancelled);
    };

    "the program that began it goes on with it"_test = [] {
        half_done from;
        {
            resumed<all_other> other{from, {}};
        }
        resumed<first> on{from, {}};
        expect(on.get(from.id).error_message.empty());
        expect(on.service->signal(from.id, "k2").has_value());
        expect(on.finish(from.id).rows.successful == 2_u);
        expect(calls == "cc") << calls;
    };

    "steps are found by their names, and rows go on behind those that they have done"_test = [] {
        half_done from;
        resumed<many_more> on{from, by_name};
        expect(on.record(from.id, 2, 3)->state == row_state::waiting_for_completion);
        expect(on.record(from.id, 2, 1)->state == row_state::completed);
        expect(!on.record(from.id, 2, 0) && !on.record(from.id, 2, 2));
        expect(on.service->signal(from.id, "k2").has_value());
        const auto done = on.finish(from.id);
        expect(done.rows.successful == 2_u);
        expect(calls == "dcdc") << calls;
        expect(done.steps == std::vector<std::string>{"x", "a", "b", "Wait", "d", "c"});
    };

    "a step that no row has reached may go"_test = [] {
        half_done from;
        resumed<without_last> on{from, by_name};
        expect(on.service->signal(from.id, "k2").has_value());
        expect(on.finish(from.id).rows.successful == 2_u);
    };

    "one that rows have been at may not"_test = [] {
        half_done from;
        resumed<without_first> on{from, by_name};
        expect(on.get(from.id).error_message.contains("step 'a' is gone, and row 1 has been there"))
            << on.get(from.id).error_message;
    };

    "steps that have changed places are refused"_test = [] {
        half_done from;
        resumed<swapped> on{from, by_name};
        expect(on.get(from.id).error_message.contains(
            "step 'Wait' comes earlier now than a step that was before it"))
            << on.get(from.id).error_message;
    };

    "an operation that nobody has begun takes the steps that there are"_test = [] {
        bulk::memory::storage storage;
        bulk::operation_id id{};
        {
            first on{{.scheduler = bulk::scheduling::none}, storage};
            id = on.create(numbers(1), "work");
        }
        all_other on{{}, storage};
        expect(on.finish(id).rows.successful == 1_u);
    };
};

}  // namespace

int main() {}
