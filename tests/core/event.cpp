#include <bulk/core/event.hpp>

#include <support/ut.hpp>

using namespace boost::ut;
using namespace std::chrono_literals;
using namespace std::string_literals;
using enum bulk::operation_state;

namespace {

suite<"event"> events = [] {
    const bulk::manual_clock clock;
    const auto now = clock.now();
    const bulk::operation_record op{.name = "import",
                                    .state = completed,
                                    .rows = {.total = 5, .processed = 5, .successful = 5},
                                    .created_at = now,
                                    .started_at = now,
                                    .run_started_at = now,
                                    .completed_at = now + 2045ms};

    "creation is told with its own time"_test = [&] {
        const auto event = created_event(op);
        expect(event.kind == bulk::event_kind::created and event.time == now);
        expect(event.message == "Operation created"s and event.operation_name == "import"s);
        auto uploaded = op;
        uploaded.created_by = "anna";
        uploaded.file_name = "users.csv";
        uploaded.metadata = R"({"owner":"Eve"})";
        expect(*created_event(uploaded, R"({"owner":"***"})").created ==
               bulk::event_creation{"anna", "users.csv", R"({"owner":"***"})"});
        expect(created_event(uploaded).created->metadata.empty())
            << "metadata as it was given may be personal";
        expect(!event.ended and !status_changed_event(op, running, now).created);
    };

    "a copy of an event is equal, and independent of it"_test = [&] {
        const auto first = created_event(op, "{}");
        auto copy = first;
        expect(bool{copy == first});
        copy.created->metadata = "[]";
        expect(bool{copy != first} and first.created->metadata == "{}"s);
        const bulk::event bare{};
        copy = bare;
        expect(bool{copy == bare} and bool{copy != first});
        copy = first;
        expect(bool{copy == first});
        copy.created = {};
        expect(bool{copy != first});
    };

    "an end is told with its counts and the time of its run"_test = [&] {
        for (const auto state : {completed, completed_with_errors, failed, cancelled})
            for (const bool validated : {false, true}) {
                auto ended = op;
                ended.state = state;
                ended.validated = validated;
                ended.rows = {.total = 9, .processed = 8, .successful = 5, .failed = 3};
                const auto event = final_event(ended, now);
                expect(fatal(event.has_value() and event->ended.has_value()));
                bulk::event_outcome wanted{
                    .processed = 8, .successful = 5, .failed = 3, .duration = 2045ms};
                if (validated) wanted.total = 9;
                expect(*event->ended == wanted);
                expect(event->ended->unprocessed() == (validated ? 1U : 0U));
            }
        auto never = op;
        never.state = cancelled;
        never.run_started_at.reset();
        expect(final_event(never, now)->ended->duration == 0us) << "it had not begun";
    };

    "a change of state names both"_test = [&] {
        const auto event = status_changed_event(op, running, now);
        expect(event.previous == running and event.state == completed);
        expect(event.message == "running to completed"s);
    };

    "an end without failures is good news"_test = [&] {
        const auto event = final_event(op, now);
        expect(fatal(event.has_value()));
        expect(event->kind == bulk::event_kind::completed);
        expect(event->level == bulk::severity::info);
        expect(event->message == "5/5 rows succeeded in 2.045 s"s);
    };

    "an end with failures is a warning"_test = [&] {
        auto torn = op;
        torn.state = completed_with_errors;
        torn.rows = {.total = 5, .processed = 5, .successful = 3, .failed = 2};
        expect(final_event(torn, now)->level == bulk::severity::warning);
        expect(final_event(torn, now)->message == "3/5 rows succeeded in 2.045 s"s);
    };

    "a failure and a cancellation have events of their own"_test = [&] {
        auto lost = op;
        lost.state = failed;
        lost.error_message = "the file has no column IMEI";
        expect(final_event(lost, now)->kind == bulk::event_kind::failed);
        expect(final_event(lost, now)->level == bulk::severity::error);
        expect(final_event(lost, now)->message == lost.error_message);
        expect(final_event(lost, now)->error_message() == lost.error_message);
        expect(final_event(op, now)->error_message().empty());

        auto waiting = op;
        waiting.state = cancelled;
        waiting.rows = {};
        expect(final_event(waiting, now)->message == "Operation cancelled"s) << "nothing is known";

        auto stopped = op;
        stopped.state = cancelled;
        stopped.rows = {.total = 5, .processed = 2, .successful = 2};
        expect(final_event(stopped, now)->kind == bulk::event_kind::cancelled);
        stopped.validated = true;
        expect(final_event(stopped, now)->message == "Operation cancelled, 3 rows not processed"s);
    };

    "a clock that was set back does not make a run negative"_test = [&] {
        auto early = op;
        early.completed_at = now - 45ms;
        expect(final_event(early, now)->message == "5/5 rows succeeded in 0.000 s"s);
        expect(final_event(early, now)->ended->duration == 0us);
    };

    "nothing final is told before the end"_test = [&] {
        for (const auto state : {pending, validating, running, retrying}) {
            auto active = op;
            active.state = state;
            expect(!final_event(active, now).has_value());
        }
    };

    "a failed row is told with its reason"_test = [&] {
        const bulk::row_record record{.row = bulk::row_number{42},
                                      .state = bulk::row_state::failed,
                                      .failure = bulk::error_type::validation,
                                      .error_message = "no e-mail"};
        const auto event = row_failed_event(op, record, now);
        expect(event.row == bulk::row_number{42});
        expect(event.failure == bulk::error_type::validation);
        expect(event.message == "Row 42: no e-mail"s);
        expect(event.error_message() == "no e-mail"s);
    };
};

}  // namespace

int main() {}
