// What an operation store must do. `Make` gives a fresh, empty storage.
#pragma once

#include "counted_pages.hpp"

#include <bulk/storage/concepts.hpp>

#include <support/ut.hpp>

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace conformance {

inline bulk::timestamp at(int seconds) {
    return bulk::timestamp{std::chrono::sys_days{std::chrono::year{2026} / 1 / 1}} +
           std::chrono::seconds{seconds};
}

inline bulk::operation_record operation(int number, std::string name = "import") {
    return {.id = {{.high = static_cast<std::uint64_t>(number), .low = 7}},
            .name = std::move(name),
            .created_by = "ops",
            .created_at = at(number)};
}

inline bulk::claim_request request(int now, std::vector<std::string> names = {"import"}) {
    return {.owner = "me",
            .names = std::move(names),
            .now = at(now),
            .lease_time = std::chrono::seconds{10}};
}

/// The lease of the claim before.
inline bulk::lease before(bulk::lease held) {
    --held.fence;
    return held;
}

/// Texts in which a backend could take a character for a wildcard or for the end of a string, what
/// is searched for, and which of the texts contain it.
inline const std::vector<std::string> literal_texts{"axb", "a%b",   "a_b", "a\\b",
                                                    "a*b", "a[x]b", "a?b", "a'b"};
inline const std::vector<std::pair<std::string, std::string>> literal_searches{
    {"%", "a%b "},   {"_", "a_b "},   {"\\", "a\\b "},   {"*", "a*b "},       {"?", "a?b "},
    {"'", "a'b "},   {"[", "a[x]b "}, {"[x]", "a[x]b "}, {"a%", "a%b "},      {"A%B", "a%b "},
    {"a_b", "a_b "}, {"a*", "a*b "},  {"%%", ""},        {"a%%b", ""},        {"__", ""},
    {"\\%", ""},     {"\\_", ""},     {"''", ""},        {"x", "axb a[x]b "}, {"a\\b", "a\\b "}};

template <typename Make>
void check_operations(Make make) {
    using namespace boost::ut;
    using bulk::errc, bulk::operation_state;

    "an operation is stored with its events, and read as it was"_test = [&] {
        auto store = make();
        bulk::operation_record wanted{
            .id = operation(1).id,
            .name = "Import users",
            .metadata = R"({"a":1})",
            .created_by = "anna",
            .source = "desk",
            .idempotency_key = "k",
            .recipients = {{.channel = "mail", .target = "a@b", .when = bulk::trigger::all}, {}},
            .file_id = "file 7",
            .file_name = "x.csv",
            .file_size = 12,
            .steps = {"one", "", "three"},
            .state = operation_state::retrying,
            .paused = true,
            .cancel_requested = true,
            .validated = true,
            .rows = {.total = 9, .processed = 7, .successful = 4, .failed = 3},
            .retry_count = 2,
            .error_message = "no",
            .created_at = at(1),
            .started_at = at(2),
            .run_started_at = at(3),
            .completed_at = at(4)};
        const auto stored = store->create(wanted, {created_event(wanted, "{}")});
        expect(fatal(stored.has_value()));
        wanted.version = stored->version;
        expect(wanted.version > 0_u);
        expect(*stored == wanted);
        expect(store->get(wanted.id).value() == wanted);
        auto told = created_event(wanted, "{}");
        const auto events = store->events(wanted.id, std::nullopt, 10).value();
        expect(fatal(events.size() == 1_ul));
        told.sequence = events[0].sequence;
        expect(bool{events[0] == told});
        expect(store->get(operation(2).id).error().code == errc::not_found);
        expect(store->crashes(wanted.id).value().empty());
        expect(store->crashes(operation(2).id).error().code == errc::not_found);
        wanted.idempotency_key = "another";
        expect(!store->create(wanted, {}).has_value()) << "ids are unique";
    };

    "an idempotency key gives the first operation again, per operation name"_test = [&] {
        auto store = make();
        auto first = operation(1), again = operation(2), other = operation(3, "export");
        first.idempotency_key = again.idempotency_key = other.idempotency_key = "k";
        (void)store->create(first, {created_event(first)});
        expect(store->create(again, {created_event(again)}).value().id == first.id);
        expect(store->create(other, {created_event(other)}).value().id == other.id);
        expect(store->get(again.id).error().code == errc::not_found);
        expect(store->events(std::nullopt, 0, 10).value().size() == 2_ul) << "no event for none";
    };

    "an update with an old version is refused, and changes nothing"_test = [&] {
        auto store = make();
        auto mine = store->create(operation(1), {}).value(), yours = mine;
        mine.paused = true;
        const auto updated = store->update(mine, {});
        expect(fatal(updated.has_value()));
        expect(updated->version > mine.version);
        yours.cancel_requested = true;
        expect(
            store->update(yours, {status_changed_event(yours, yours.state, at(1))}).error().code ==
            errc::conflict);
        expect(store->get(mine.id).value() == *updated);
        expect(store->events(mine.id, 0, 10).value().empty());
        expect(store->update(operation(9), {}).error().code == errc::not_found);
    };

    "the oldest is claimed first, once, and only if it is known"_test = [&] {
        auto store = make();
        for (const int number : {3, 1, 2}) (void)store->create(operation(number), {});
        (void)store->create(operation(0, "unknown"), {});
        expect(store->claim(request(10)).value()->operation.id == operation(1).id);
        expect(store->claim(request(10)).value()->operation.id == operation(2).id);
        expect(store->claim(request(10, {"IMPORT"})).value()->operation.id == operation(3).id);
        expect(!store->claim(request(10)).value().has_value());
        expect(!store->claim(operation(1).id, request(10)).value().has_value()) << "it is taken";
        expect(store->claim(operation(0).id, request(10)).value().has_value()) << "asked by id";
        expect(!store->claim(operation(77).id, request(10)).value().has_value());
    };

    "of operations whose lease ran out the oldest is claimed first, whenever that was"_test = [&] {
        auto store = make();
        for (const int number : {1, 2, 3}) (void)store->create(operation(number), {});
        expect(store->claim(operation(2).id, request(0)).value().has_value());
        expect(store->claim(operation(1).id, request(5)).value().has_value());
        for (const int number : {1, 2, 3})
            expect(store->claim(request(100)).value()->operation.id == operation(number).id)
                << number;
    };

    "a lease that ran out goes to the next, and the last owner's writes are refused"_test = [&] {
        auto store = make();
        (void)store->create(operation(1), {});
        const auto first = store->claim(request(0)).value().value();
        expect(!store->claim(request(9)).value().has_value());
        expect(store->renew(first.held, at(9), std::chrono::seconds{10}).has_value());
        expect(!store->claim(request(18)).value().has_value()) << "it was renewed";
        const auto second = store->claim(request(19)).value();
        expect(fatal(second.has_value()));
        expect(second->held.fence > first.held.fence);
        for (const auto& refused : {store->renew(first.held, at(19), std::chrono::seconds{10}),
                                    store->update(first.held, first.operation, {})})
            expect(!refused.has_value() and refused.error().code == errc::conflict);
        expect(store->record(first.held, {.counted = {.processed = 1}}).error().code ==
               errc::conflict);
        expect(store->release(first.held).error().code == errc::conflict);
        expect(store->get(operation(1).id).value().rows == bulk::row_counters{});
        expect(store->renew(second->held, at(19), std::chrono::seconds{10}).has_value());
    };

    "a claim leases the whole operation, and a lease of another slice changes nothing"_test = [&] {
        auto store = make();
        (void)store->create(operation(1), {});
        const auto claimed = store->claim(request(0)).value().value();
        expect(claimed.held.slice == bulk::whole_operation);
        auto other = claimed.held;
        other.slice = bulk::slice_number{1};
        for (const auto& refused : {store->renew(other, at(1), std::chrono::seconds{10}),
                                    store->update(other, claimed.operation, {})})
            expect(!refused.has_value() and refused.error().code == errc::conflict);
        expect(store->record(other, {.counted = {.processed = 1}}).error().code == errc::conflict);
        expect(store->release(other).error().code == errc::conflict);
        expect(store->get(operation(1).id).value().rows == bulk::row_counters{});
        expect(store->renew(claimed.held, at(1), std::chrono::seconds{10}).has_value());
    };

    "an operation that was given back can be claimed at once"_test = [&] {
        auto store = make();
        (void)store->create(operation(1), {});
        auto claimed = store->claim(request(0)).value().value();
        (void)move_to(claimed.operation, operation_state::validating, at(0));
        claimed.operation = store->update(claimed.held, claimed.operation, {}).value();
        expect(store->release(claimed.held).has_value());
        const auto again = store->claim(request(1)).value();
        expect(fatal(again.has_value()));
        expect(again->operation.state == operation_state::validating);
        expect(again->held.fence > claimed.held.fence);
    };

    "who claims is told whether the last owner did not give the operation back"_test = [&] {
        auto store = make();
        (void)store->create(operation(1), {});
        const auto first = store->claim(request(0)).value().value();
        expect(!first.was_lapsed) << "nobody had it";
        (void)store->release(first.held);
        const auto second = store->claim(request(1)).value().value();
        expect(!second.was_lapsed) << "it was given back";
        const auto third = store->claim(request(11)).value().value();
        expect(third.was_lapsed);
        const auto fourth = store->claim(operation(1).id, request(21)).value().value();
        expect(fourth.was_lapsed);
        (void)store->release(fourth.held);
        expect(!store->claim(operation(1).id, request(40)).value().value().was_lapsed);
    };

    "paused operations are not claimed, unless to be cancelled; those at rest never"_test = [&] {
        auto store = make();
        auto record = store->create(operation(1), {}).value();
        record.paused = true;
        record = store->update(record, {}).value();
        expect(!store->claim(request(0)).value().has_value());
        record.cancel_requested = true;
        record = store->update(record, {}).value();
        auto claimed = store->claim(request(0)).value().value();
        (void)move_to(claimed.operation, operation_state::cancelled, at(0));
        expect(store->update(claimed.held, claimed.operation, {}).has_value());
        expect(!store->claim(request(100)).value().has_value());
        expect(store->update(claimed.held, claimed.operation, {}).error().code == errc::conflict)
            << "an operation at rest has no owner";
    };

    "an owner's update keeps what others asked for and what was counted"_test = [&] {
        auto store = make();
        (void)store->create(operation(1), {});
        auto claimed = store->claim(request(0)).value().value();
        auto seen = store->get(operation(1).id).value();
        seen.cancel_requested = seen.paused = true;
        (void)store->update(seen, {});
        (void)store->record(claimed.held,
                            {.counted = {.processed = 3, .successful = 2, .failed = 1}});
        claimed.operation.rows.total = 5;
        (void)move_to(claimed.operation, operation_state::validating, at(1));
        const auto stored = store->update(claimed.held, claimed.operation, {}).value();
        expect(stored.cancel_requested and stored.paused);
        expect(stored.rows ==
               bulk::row_counters{.total = 5, .processed = 3, .successful = 2, .failed = 1});
        expect(store->renew(claimed.held, at(1), std::chrono::seconds{1}).value() == stored);
    };

    "queries filter, sort and page"_test = [&] {
        auto store = make();
        const auto put = [&](int number, std::string name, std::string by, operation_state state,
                             std::uint64_t total) {
            auto record = operation(number, std::move(name));
            record.created_by = std::move(by);
            record.source = number % 2 == 0 ? "even" : "odd";
            record.state = state;
            record.rows = {.total = total, .processed = total / 2};
            (void)store->create(record, {});
        };
        put(1, "import users", "Ann", operation_state::completed, 30);
        put(2, "Import Devices", "bob", operation_state::failed, 10);
        put(3, "export", "ann", operation_state::running, 20);
        put(4, "import users", "Cid", operation_state::completed, 40);
        put(5, "archive", "Bob", operation_state::pending, 0);
        const auto ask = [&](bulk::operation_query query) {
            std::string order;
            query.page_size = 2;
            const auto total = read_counted_pages(*store, query, [&](const auto& each) {
                order += static_cast<char>('0' + each.id.value.high);
            });
            if (!total) return total.error().message;
            expect(*total == order.size());
            return order;
        };
        using enum bulk::operation_sort;
        expect(ask({}) == "54321");
        expect(ask({.descending = false}) == "12345");
        expect(ask({.name_contains = "IMPORT"}) == "421");
        expect(ask({.created_by_contains = "ANN"}) == "31");
        expect(ask({.state = operation_state::completed}) == "41");
        expect(ask({.source = "odd"}) == "531");
        expect(ask({.source = "even", .state = operation_state::completed}) == "4");
        expect(ask({.source = "eve"}).empty() and ask({.source = "Even"}).empty()) << "exactly";
        expect(ask({.name_contains = "import", .created_by_contains = "b"}) == "2");
        expect(ask({.created_from = at(2), .created_to = at(4)}) == "432");
        expect(ask({.created_from = at(2), .created_to = at(4), .descending = false}) == "234");
        expect(ask({.created_from = at(6), .descending = false}).empty());
        expect(ask({.created_from = at(2), .sort = name}) == "4235");
        expect(ask({.state = operation_state::completed, .created_to = at(3)}) == "1");
        expect(ask({.state = operation_state::cancelled}).empty());
        expect(ask({.sort = name, .descending = false}) == "53214");
        expect(ask({.sort = total_rows}) == "41325");
        expect(ask({.sort = processed_rows, .descending = false}) == "52314");
        expect(ask({.sort = state, .descending = false}) == "53142");
        expect(ask({.name_contains = "nothing"}).empty());
        expect(ask({.after = "zz"}).contains("not one of ours"));
        expect(store->query(bulk::operation_query{.page_size = 0}).error().code ==
               errc::invalid_argument);
    };

    "a search for a name or a creator is literal: no character is a wildcard"_test = [&] {
        auto store = make();
        int number = 0;
        for (const auto& text : literal_texts) {
            ++number;
            auto named = operation(number, text), created = operation(100 + number);
            created.created_by = text;
            expect(store->create(named, {}).has_value() and store->create(created, {}).has_value());
        }
        for (const auto& [part, wanted] : literal_searches) {
            const auto names =
                store->query(bulk::operation_query{.name_contains = part, .descending = false});
            const auto creators = store->query(
                bulk::operation_query{.created_by_contains = part, .descending = false});
            std::string by_name, by_creator;
            for (const auto& each : names.value().items) by_name += each.name + ' ';
            for (const auto& each : creators.value().items) by_creator += each.created_by + ' ';
            expect(by_name == wanted) << part << "found" << by_name;
            expect(by_creator == wanted) << part << "found" << by_creator;
            expect(names->total == names->items.size()) << part;
            expect(creators->total == creators->items.size()) << part;
        }
    };

    "a page goes on where the last ended, though records come and go"_test = [&] {
        auto store = make();
        for (int number = 1; number <= 7; ++number) {
            auto ended = operation(number);
            ended.state = operation_state::cancelled;  // others cannot be removed
            (void)store->create(ended, {});
        }
        auto page = store->query(bulk::operation_query{.page_size = 3}).value();
        expect(page.items.size() == 3_ul and page.items[2].id == operation(5).id);
        (void)store->create(operation(9), {});
        expect(store->remove(operation(5).id).has_value()) << "the last of the page";
        expect(store->remove(operation(3).id).has_value()) << "one that comes";
        page = store->query(bulk::operation_query{.page_size = 3, .after = page.next}).value();
        expect(fatal(page.items.size() == 3_ul));
        expect(page.items[0].id == operation(4).id and page.items[1].id == operation(2).id and
               page.items[2].id == operation(1).id);
        expect(page.next.empty());
    };
}

}  // namespace conformance
