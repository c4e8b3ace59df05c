// Who hears of what happens: handlers of events, and recipients by their channels.
#include <bulk/storage/memory/records.hpp>

#include <support/faulty_storage.hpp>
#include <support/stage.hpp>
#include <support/ut.hpp>

#include <chrono>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

using namespace boost::ut;
using namespace std::chrono_literals;
using namespace std::string_literals;
using bulk::event, bulk::event_kind, bulk::notification, bulk::operation_state, bulk::trigger;
using support::number, support::numbers, support::script;

namespace {

using operations = bulk::operation_list<support::pipeline>;
using stage = support::stage<operations>;

suite<"handlers"> handlers = [] {
    "each hears everything once, in the order of the store"_test = [] {
        script play;
        stage on;
        std::vector<event> one, two;
        (void)on.service->subscribe([&](const event& each) { one.push_back(each); });
        (void)on.service->subscribe([&](const event& each) { two.push_back(each); });
        for (int i = 0; i < 3; ++i) (void)on.create("value\n1\nx\n2\n");
        on.drive_for(1min);
        expect(one.size() == 18_ul);
        expect(std::equal_to{}(one, two));
        expect(std::equal_to{}(one, on.storage.events(std::nullopt, 0, 1000).value()));
    };

    "an event says which operation, in which state, when, and which row"_test = [] {
        script play;
        stage on;
        std::vector<event> heard;
        (void)on.service->subscribe([&](const event& each) { heard.push_back(each); });
        const auto id = on.create("value\nx\n");
        on.drive_for(1min);
        expect(fatal(heard.size() == 6_ul));
        for (const auto& each : heard) {
            expect(each.operation == id and each.operation_name == "pipeline");
            expect(each.time == on.get(id).created_at);
        }
        expect(heard[1].kind == event_kind::status_changed);
        expect(heard[1].previous == operation_state::pending and
               heard[1].state == operation_state::validating);
        expect(heard[2].kind == event_kind::row_failed and heard[2].row == bulk::row_number{1});
        expect(heard[2].failure == bulk::error_type::parse);
        expect(heard[2].level == bulk::severity::error);
        expect(heard[5].kind == event_kind::completed and
               heard[5].level == bulk::severity::warning);
        expect(heard[5].state == operation_state::completed_with_errors);
    };

    "all are told that there are, however many, though nothing else happens"_test = [] {
        script play;
        stage on{{.flush_batch_size = 5'000}};
        std::size_t heard = 0;
        (void)on.service->subscribe([&](const event&) { ++heard; });
        std::string file = "value\n";
        for (int i = 0; i < 3'000; ++i) file += "x\n";
        const auto ended = on.run(std::move(file));
        expect(ended.state == operation_state::completed_with_errors);
        on.drive_for(1ms);
        expect(heard == 3'005_ul);
    };

    "what one throws is logged, and the others hear all the same"_test = [] {
        script play;
        stage on;
        int heard = 0;
        (void)on.service->subscribe([](const event&) { throw std::runtime_error{"no ears"}; });
        (void)on.service->subscribe([](const event&) { throw 7; });
        (void)on.service->subscribe([&](const event&) { ++heard; });
        const auto id = on.create(numbers(1));
        on.drive_for(1min);
        expect(on.get(id).state == operation_state::completed);
        expect(heard == 5_i);
        expect(on.log.contains("event handler failed event=1 why=no ears")) << on.log;
        expect(on.log.contains("event=5 why=something was thrown")) << on.log;
    };

    "nobody needs to listen"_test = [] {
        script play;
        stage on;
        expect(on.run(numbers(1)).state == operation_state::completed);
    };

    "one hears what happens from then on, until it is taken away"_test = [] {
        script play;
        stage on;
        (void)on.run(numbers(1));
        int heard = 0;
        const auto number = on.service->subscribe([&](const event&) { ++heard; });
        (void)on.create(numbers(1));
        on.drive_for(1min);
        expect(heard == 5_i);
        on.service->unsubscribe(number);
        (void)on.create(numbers(1));
        on.drive_for(1min);
        expect(heard == 5_i);
    };

    "a handler may do what others may: create, cancel, go"_test = [] {
        script play;
        stage on;
        std::optional<bulk::operation_id> next;
        std::uint64_t self = 0;
        self = on.service->subscribe([&](const event& each) {
            if (each.kind != event_kind::completed) return;
            next = on.create(numbers(9));
            expect(on.service->cancel(*next).has_value());
            on.service->unsubscribe(self);
        });
        (void)on.create(numbers(1));
        on.drive_for(1min);
        expect(fatal(next.has_value()));
        expect(on.get(*next).state == operation_state::cancelled);
    };

    "while the storage does not answer, nothing is told; then all of it"_test = [] {
        script play;
        bool is_down = false;
        bulk::memory::records kept;
        support::stage<operations, support::faulty_storage<bulk::memory::records>> on{
            {}, support::faulty_storage{kept, [&](const char* call) {
                                            return is_down && call == "events"s;
                                        }}};
        int heard = 0;
        (void)on.service->subscribe([&](const event&) { ++heard; });
        is_down = true;
        const auto id = on.create(numbers(1));
        on.drive_for(1min);
        expect(heard == 0_i and kept.get(id).value().state == operation_state::completed);
        is_down = false;
        on.drive_for(2s);
        expect(heard == 5_i);
    };
};

suite<"triggers"> triggers = [] {
    "each kind of event is one trigger, or none"_test = [] {
        const auto of = [](event_kind kind, operation_state state = {}) {
            return trigger_of(event{.kind = kind, .state = state});
        };
        using enum trigger;
        expect(of(event_kind::completed, operation_state::completed) == on_completion);
        expect(of(event_kind::completed, operation_state::completed_with_errors) ==
               on_completion_with_errors);
        expect(of(event_kind::failed) == on_failure);
        expect(of(event_kind::cancelled) == on_cancelled);
        expect(of(event_kind::status_changed) == on_status_change);
        expect(of(event_kind::created) == none and of(event_kind::row_failed) == none);
    };

    "they can be joined, and have their documented numbers"_test = [] {
        using enum trigger;
        expect((on_completion | on_failure | on_completion_with_errors | on_cancelled) == on_end);
        expect((on_end | on_status_change) == all);
        for (const auto& [value, number] : {std::pair{none, 0},
                                            {on_completion, 1},
                                            {on_failure, 2},
                                            {on_completion_with_errors, 4},
                                            {on_cancelled, 8},
                                            {on_end, 15},
                                            {on_status_change, 16},
                                            {all, 31}})
            expect(std::to_underlying(value) == number);
        expect(!includes(none, on_failure) and !includes(on_end, on_status_change));
        expect(bulk::recipient{}.when == on_failure) << "unless they say so";
    };
};

/// A stage with a channel that writes down who was told of what.
struct postbox : stage {
    std::string sent;

    postbox() {
        expect(service
                   ->add_channel("Mail",
                                 [this](const notification& each) {
                                     sent += each.to.target + ": " + each.what.message + '\n';
                                 })
                   .has_value());
    }
    std::string send(std::string content, std::vector<bulk::recipient> to) {
        (void)create(std::move(content), "pipeline", {.recipients = std::move(to)});
        drive_for(1min);
        return std::exchange(sent, {});
    }
};

suite<"recipients"> recipients = [] {
    "each end is heard by those who asked for it"_test = [] {
        script play;
        postbox on;
        using enum trigger;
        const std::vector<bulk::recipient> to{{"mail", "clean", on_completion},
                                              {"mail", "torn", on_completion_with_errors},
                                              {"mail", "lost", on_failure},
                                              {"mail", "gone", on_cancelled},
                                              {"mail", "never", none}};
        expect(on.send(numbers(1), to) == "clean: 1/1 rows succeeded in 0.000 s\n"s);
        expect(on.send("value\nx\n", to) == "torn: 0/1 rows succeeded in 0.000 s\n"s);
        expect(on.send("wrong\n", to) == "lost: the file has no column 'value'\n"s);
        play.first = [&](const number&, bulk::context& ctx) {
            (void)on.service->cancel(ctx.operation());
            return bulk::outcome::done();
        };
        expect(on.send(numbers(3), to) == "gone: Operation cancelled, 2 rows not processed\n"s);
    };

    "who wants all hears every change and the end, but not of each row"_test = [] {
        script play;
        postbox on;
        expect(on.send("value\nx\n", {{"mail", "a", trigger::all}}) ==
               "a: pending to validating\n"
               "a: validating to running\n"
               "a: running to completed_with_errors\n"
               "a: 0/1 rows succeeded in 0.000 s\n"s);
    };

    "who says nothing else hears of failures"_test = [] {
        script play;
        postbox on;
        expect(on.send(numbers(1), {{"mail", "a"}}).empty());
        expect(on.send("wrong\n", {{"mail", "a"}}) == "a: the file has no column 'value'\n"s);
    };

    "they are told one after the other, as they were listed"_test = [] {
        script play;
        postbox on;
        expect(on.send("wrong\n", {{"mail", "b"}, {"mail", "a"}, {"mail", "b"}}) ==
               "b: the file has no column 'value'\n"
               "a: the file has no column 'value'\n"
               "b: the file has no column 'value'\n"s);
    };

    "a channel is found by its name in any case"_test = [] {
        script play;
        postbox on;
        expect(on.send("wrong\n", {{"MAIL", "a"}, {"mail", "b"}}).size() > 40_ul);
        expect(on.service->add_channel("mAIL", [](const notification&) {}).error().message ==
               "there is a channel 'mAIL' already (case does not count)"s);
    };

    "a channel that nobody added is logged, and the next recipient is told"_test = [] {
        script play;
        postbox on;
        expect(on.send("wrong\n", {{"pigeon", "a"}, {"mail", "b"}}) ==
               "b: the file has no column 'value'\n"s);
        expect(on.log.contains("no channel is named 'pigeon'")) << on.log;
    };

    "what a channel throws is logged, and the next recipient is told"_test = [] {
        script play;
        postbox on;
        expect(on.service
                   ->add_channel("fax",
                                 [](const notification&) { throw std::runtime_error{"no paper"}; })
                   .has_value());
        expect(on.send("wrong\n", {{"fax", "a"}, {"mail", "b"}}) ==
               "b: the file has no column 'value'\n"s);
        expect(on.log.contains("notification failed") and on.log.contains("why=no paper"));
    };

    "a channel needs a name and something to call"_test = [] {
        stage on;
        for (const auto* name : {"", " "})
            expect(!on.service->add_channel(name, [](const notification&) {}).has_value());
        expect(on.service->add_channel("fax", {}).error().code == bulk::errc::invalid_argument);
        expect(on.service->add_channel("fax", [](const notification&) {}).has_value());
    };

    "a message waits for a storage that does not answer, and is sent once"_test = [] {
        script play;
        bool is_down = false;
        std::string sent;
        bulk::memory::records kept;
        support::stage<operations, support::faulty_storage<bulk::memory::records>> on{
            {}, support::faulty_storage{kept, [&](const char* call) {
                                            return is_down && call == "get"s;
                                        }}};
        (void)on.service->subscribe([&](const event& each) {
            if (each.kind == event_kind::failed) is_down = true;
        });
        expect(
            on.service
                ->add_channel("mail", [&](const notification& each) { sent += each.what.message; })
                .has_value());
        (void)on.create("wrong\n", "pipeline", {.recipients = {{"mail", "a"}}});
        on.drive_for(1min);
        expect(is_down and sent.empty());
        is_down = false;
        on.drive_for(2s);
        expect(sent == "the file has no column 'value'"s) << sent;
    };

    "a message has the event, its recipient, and the operation as it is"_test = [] {
        script play;
        stage on;
        std::optional<notification> sent;
        expect(on.service->add_channel("mail", [&](const notification& each) { sent = each; })
                   .has_value());
        const bulk::recipient to{"Mail", "ann", trigger::on_completion};
        const auto id =
            on.create(numbers(3), "pipeline", {.created_by = "ann", .recipients = {to}});
        on.drive_for(1min);
        expect(fatal(sent.has_value()));
        expect(sent->what.kind == event_kind::completed and sent->to == to);
        expect(sent->operation == on.get(id));
    };

    "where there is no channel, nothing is sent, and nothing is harmed"_test = [] {
        script play;
        stage on;
        const auto done =
            on.run("wrong\n", "pipeline", {.recipients = {{"mail", "a", trigger::all}}});
        on.drive_for(1min);
        expect(done.state == operation_state::failed);
        expect(!on.log.contains("notification failed"));
    };
};

}  // namespace

int main() {}
