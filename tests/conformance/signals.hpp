// What a signal store must do.
//
// Who has waited longest is whose record says `started_at` first; of two, the lower row. A store has
// no clock: an early signal is gone as soon as another signal was sent, or a wait of its operation
// is recorded with `started_at`, when it was to be kept no longer or later. A record that says that
// its row waits is believed: it is given the early signal, whenever its wait ends. Of early signals
// the one that came first goes first.
#pragma once

#include "operations.hpp"
#include "rows.hpp"
#include "signal_model.hpp"

#include <bulk/storage/concepts.hpp>

#include <support/ut.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace conformance {

inline bulk::row_record waiting(std::uint64_t number, int step_number, std::string key,
                                int since = 0) {
    auto record = record_of(number, step_number, bulk::row_state::waiting_for_completion);
    record.signal_key = std::move(key);
    record.started_at = at(since);
    return record;
}

inline bulk::signal signal_for(std::string key, int sent_at = 0) {
    return {.operation = operation(1).id, .key = std::move(key), .sent_at = at(sent_at)};
}
inline bulk::signal signal_for(std::uint64_t number, std::string key, int sent_at = 0) {
    auto made = signal_for(std::move(key), sent_at);
    made.row = row(number);
    return made;
}

inline bulk::signal_receipt given_to(std::uint64_t number, int step_number) {
    return {.row = row(number), .step = step(step_number)};
}
inline constexpr bulk::signal_receipt kept{.is_kept = true};

/// "3a 1b!": row 3 at its first step, row 1 at its second, which failed.
template <typename Store>
std::string given_in(Store& store, std::uint64_t after = 0, std::uint32_t limit = 1000) {
    std::string text;
    for (const auto found = store.signals(operation(1).id, after, limit).value();
         const auto& each : found) {
        if (!text.empty()) text += ' ';
        text += std::to_string(to_number(each.row));
        text += static_cast<char>('a' + to_number(each.step));
        if (each.failure) text += '!';
    }
    return text;
}

template <typename Make>
void check_signals(Make make) {
    using namespace boost::ut;
    using bulk::errc, bulk::row_state;

    const auto with_claim = [&] {
        auto store = make();
        (void)store->create(operation(1), {});
        auto claimed = store->claim(request(0)).value().value();
        return std::pair{std::move(store), claimed.held};
    };
    const auto long_after = at(1'000'000);
    const auto code = [](const auto& result) {
        return result.has_value() ? std::optional<errc>{} : std::optional{result.error().code};
    };

    "a signal is given to the row that waits, and its next record uses it up"_test = [&] {
        auto [store, held] = with_claim();
        (void)store->record(held, {.records = {waiting(1, 0, "a"), waiting(2, 1, "b")}});
        expect(given_in(*store).empty());
        auto sent = signal_for("b");
        sent.failure = "no money";
        expect(store->send(sent, long_after).value() == given_to(2, 1));
        expect(store->send(signal_for("a"), long_after).value() == given_to(1, 0));
        const auto given = store->signals(operation(1).id, 0, 10).value();
        expect(fatal(given.size() == 2_ul));
        expect(given[0].row == row(2) and given[0].step == step(1));
        expect(given[0].failure == "no money" and !given[1].failure.has_value());
        expect(given[0].key == "b" and given[1].key == "a");
        expect(given[1].sequence > given[0].sequence);
        expect(given_in(*store, given[0].sequence) == "1a");
        expect(given_in(*store, given[1].sequence).empty());
        expect(given_in(*store, 0, 1) == "2b!");
        auto done = waiting(2, 1, "b");
        done.state = row_state::completed;
        (void)store->record(held, {.records = {done}});
        expect(given_in(*store) == "1a");
        (void)store->record(held, {.records = {record_of(1, 1, row_state::running)}});
        expect(given_in(*store) == "1a") << "that was another step";
        (void)store->record(held, {.records = {record_of(1, 0, row_state::running)}});
        expect(given_in(*store).empty());
    };

    "by the key alone, the row that has waited longest is given it, each row once"_test = [&] {
        auto [store, held] = with_claim();
        (void)store->record(held, {.records = {waiting(1, 0, "k", 30), waiting(2, 0, "k", 20)}});
        (void)store->record(held, {.records = {waiting(4, 0, "k", 10), waiting(3, 0, "k", 10),
                                               waiting(5, 0, "kk", 1), waiting(6, 0, "K", 1)}});
        for (const std::uint64_t next : {3U, 4U, 2U, 1U})
            expect(store->send(signal_for("k", 40), long_after).value() == given_to(next, 0));
        expect(store->send(signal_for("k", 40), long_after).value() == kept);
        expect(given_in(*store) == "3a 4a 2a 1a");
    };

    "a record that waits for no signal is found by none"_test = [&] {
        auto [store, held] = with_claim();
        auto polled = waiting(1, 0, ""), done = waiting(2, 0, "k");
        done.state = row_state::completed;
        (void)store->record(held, {.records = {polled, done}});
        expect(store->send(signal_for("k"), long_after).value() == kept);
        expect(code(store->send(signal_for(""), long_after)) == errc::invalid_argument);
        expect(code(store->send(signal_for(1, ""), long_after)) == errc::invalid_argument);
    };

    "a signal that comes early is given to the first that waits for it"_test = [&] {
        auto [store, held] = with_claim();
        auto first = signal_for("k", 1), second = signal_for("k", 2);
        second.failure = "second";
        expect(store->send(first, long_after).value() == kept);
        expect(store->send(second, long_after).value() == kept);
        expect(store->send(signal_for(7, "k", 3), long_after).value() == kept);
        expect(given_in(*store).empty());
        (void)store->record(held, {.records = {waiting(5, 0, "other", 4), waiting(7, 0, "k", 4),
                                               waiting(9, 0, "k", 4)}});
        expect(given_in(*store) == "7a 9a") << "7 has one of its own: " << given_in(*store);
        (void)store->record(held, {.records = {waiting(8, 1, "k", 4), waiting(6, 1, "k", 4)}});
        expect(given_in(*store) == "7a 9a 8b!") << given_in(*store);
        expect(store->send(signal_for("k", 5), long_after).value() == given_to(6, 1));
    };

    "an early signal for one row is for no other"_test = [&] {
        auto [store, held] = with_claim();
        (void)store->send(signal_for(2, "k"), long_after);
        (void)store->record(held, {.records = {waiting(1, 0, "k"), waiting(2, 0, "other")}});
        expect(given_in(*store).empty());
        (void)store->record(held, {.records = {waiting(2, 0, "k")}});
        expect(given_in(*store) == "2a");
    };

    "an early signal is kept as long as was said"_test = [&] {
        auto [store, held] = with_claim();
        (void)store->send(signal_for("a", 1), at(10));
        (void)store->send(signal_for(1, "b", 1), at(10));
        (void)store->send(signal_for("c", 1), at(20));
        (void)store->record(held, {.records = {waiting(1, 0, "a", 10), waiting(2, 0, "c", 10)}});
        expect(given_in(*store) == "2a") << given_in(*store);
        expect(store->send(signal_for(1, "b", 11), at(30)).value() == kept) << "the first is gone";
        expect(store->send(signal_for("d", 30), at(40)).value() == kept);
        (void)store->record(held, {.records = {waiting(1, 1, "b", 25)}});
        expect(given_in(*store) == "2a") << "something was sent when it was to be gone";
        (void)store->record(held, {.records = {waiting(3, 1, "d", 39)}});
        expect(given_in(*store) == "2a 3b");
    };

    "a second signal for a row is refused, and says so"_test = [&] {
        auto [store, held] = with_claim();
        (void)store->record(held, {.records = {waiting(1, 0, "k")}});
        expect(store->send(signal_for(1, "k"), long_after).value() == given_to(1, 0));
        const auto again = store->send(signal_for(1, "k"), long_after);
        expect(code(again) == errc::illegal_transition);
        expect(again.error().message.contains("row 1 was given a signal already"));
        expect(store->send(signal_for(2, "k"), long_after).value() == kept);
        expect(code(store->send(signal_for(2, "k"), long_after)) == errc::illegal_transition);
        expect(store->send(signal_for(2, "l"), long_after).value() == kept) << "another key";
        expect(given_in(*store) == "1a");
    };

    "a second signal for a row that has gone on is refused, unless the row waits for it again"_test =
        [&] {
            auto [store, held] = with_claim();
            auto done = waiting(1, 0, "k");
            done.state = row_state::completed;
            (void)store->record(held, {.records = {done, record_of(1, 1, row_state::running)}});
            const auto again = store->send(signal_for(1, "k"), long_after);
            expect(code(again) == errc::illegal_transition);
            expect(again.error().message.contains("row 1 was given a signal already"))
                << again.error().message;
            expect(again.error().message.contains("step 0")) << again.error().message;
            expect(store->send(signal_for(1, "l"), long_after).value() == kept) << "another key";
            expect(store->send(signal_for(2, "k"), long_after).value() == kept) << "another row";
            expect(store->send(signal_for("k"), at(1)).value() == kept) << "for anybody";
            auto later = waiting(1, 1, "k", 2);
            later.wait_until = at(10);
            (void)store->record(held, {.records = {later}});
            expect(store->send(signal_for(1, "k", 10), at(11)).value() == kept)
                << "too late for this wait, and not for one that begins anew";
            expect(store->send(signal_for(1, "k", 9), long_after).value() == given_to(1, 1));
            auto failed = later;
            failed.state = row_state::failed;
            (void)store->record(held, {.records = {failed}});
            expect(code(store->send(signal_for(1, "k", 12), long_after)) ==
                   errc::illegal_transition);
        };

    "signals for what is at rest are refused"_test = [&] {
        auto [store, held] = with_claim();
        auto failed = waiting(1, 0, "k"), late = waiting(2, 0, "k"), done = waiting(3, 0, "");
        failed.state = row_state::failed;
        late.state = row_state::timed_out;
        done.state = row_state::completed;
        (void)store->record(held, {.records = {failed, late, done}});
        const auto refused = store->send(signal_for(1, "k"), long_after);
        expect(code(refused) == errc::illegal_transition);
        expect(refused.error().message.contains("row 1"));
        expect(code(store->send(signal_for(2, "k"), long_after)) == errc::illegal_transition);
        expect(store->send(signal_for(3, "k"), long_after).value() == kept)
            << "its next step may wait for it";
        auto unknown = signal_for("k");
        unknown.operation = operation(9).id;
        expect(code(store->send(unknown, long_after)) == errc::not_found);
        expect(code(store->signals(operation(9).id, 0, 10)) == errc::not_found);
        auto record = store->get(operation(1).id).value();
        record.state = bulk::operation_state::completed;
        (void)store->update(held, record, {});
        const auto ended = store->send(signal_for("k"), long_after);
        expect(code(ended) == errc::illegal_transition);
        expect(!ended.error().message.empty());
    };

    "a wait that is written again is the same wait, unless it waits for something else"_test = [&] {
        auto [store, held] = with_claim();
        auto record = waiting(1, 0, "k", 5);
        (void)store->record(held, {.records = {record}});
        (void)store->send(signal_for("k", 6), long_after);
        record.attempt = 3;
        record.wait_until = at(100);
        (void)store->record(held, {.records = {record}});
        expect(given_in(*store) == "1a");
        expect(code(store->send(signal_for(1, "k", 6), long_after)) == errc::illegal_transition);
        record.journal = "told once";
        (void)store->record(held, {.records = {record}});
        expect(given_in(*store).empty()) << "it waits anew";
        expect(store->send(signal_for("k", 7), long_after).value() == given_to(1, 0));
        record.signal_key = "l";
        (void)store->record(held, {.records = {record}});
        expect(given_in(*store).empty());
        expect(store->send(signal_for("k", 8), long_after).value() == kept);
        expect(store->send(signal_for(1, "l", 8), long_after).value() == given_to(1, 0));
    };

    "a wait that is closed is open again when its row is tried once more"_test = [&] {
        auto [store, held] = with_claim();
        auto record = waiting(1, 0, "k", 1);
        (void)store->record(held, {.records = {record}});
        (void)store->close_wait(held, row(1), step(0));
        (void)store->record(held, {.records = {record}});
        expect(store->send(signal_for("k", 2), at(3)).value() == kept) << "it is the same wait";
        record.retry_attempt = 1;
        record.started_at = at(4);
        (void)store->record(held, {.records = {record}});
        expect(store->send(signal_for("k", 5), long_after).value() == given_to(1, 0));
    };

    "a wait that is over is not found"_test = [&] {
        auto [store, held] = with_claim();
        auto first = waiting(1, 0, "k", 1), second = waiting(2, 0, "k", 2);
        first.wait_until = at(10);
        second.wait_until = at(20);
        (void)store->record(held, {.records = {first, second}});
        expect(store->send(signal_for("k", 10), at(11)).value() == given_to(2, 0));
        expect(store->send(signal_for(1, "k", 10), at(11)).value() == kept);
        expect(store->send(signal_for("k", 9), at(11)).value() == given_to(1, 0))
            << "this one was sent in time";
        auto third = waiting(3, 0, "k", 3);
        third.wait_until = at(30);
        (void)store->record(held, {.records = {third}});
        expect(store->send(signal_for("k", 500), at(501)).value() == kept);
        third.wait_until = at(600);
        third.started_at = at(501);
        (void)store->record(held, {.records = {third}});
        expect(store->send(signal_for("k", 502), at(501)).value() == given_to(3, 0))
            << "it waits on";
    };

    "a wait that is closed is not found, and tells what came just in time"_test = [&] {
        auto [store, held] = with_claim();
        (void)store->record(held, {.records = {waiting(1, 0, "k", 1), waiting(2, 0, "k", 2),
                                               waiting(3, 1, "k", 3)}});
        expect(!store->close_wait(held, row(1), step(0)).value().has_value());
        expect(store->send(signal_for("k", 5), long_after).value() == given_to(2, 0));
        const auto given = store->close_wait(held, row(2), step(0)).value();
        expect(fatal(given.has_value()));
        expect(*given == store->signals(operation(1).id, 0, 10).value()[0]);
        expect(store->send(signal_for(1, "k", 5), long_after).value() == kept);
        expect(store->send(signal_for("k", 5), long_after).value() == given_to(3, 1));
        expect(store->send(signal_for("k", 5), long_after).value() == kept);
        expect(!store->close_wait(held, row(9), step(0)).value().has_value());
        expect(!store->close_wait(held, row(3), step(0)).value().has_value());
        expect(code(store->close_wait(before(held), row(3), step(1))) == errc::conflict);
        auto done = waiting(1, 0, "k");
        done.state = row_state::timed_out;
        (void)store->record(held, {.records = {done}});
        auto again = waiting(1, 0, "k", 6);
        again.retry_attempt = 1;
        (void)store->record(held, {.records = {again}});
        expect(given_in(*store) == "2a 3b 1a") << "a new wait is given what was kept for the row";
    };

    "a signal is of one operation"_test = [&] {
        auto [store, held] = with_claim();
        (void)store->create(operation(2), {});
        const auto other = store->claim(operation(2).id, request(0)).value().value().held;
        auto elsewhere = waiting(1, 0, "k");
        elsewhere.operation = operation(2).id;
        (void)store->record(other, {.records = {elsewhere}});
        expect(store->send(signal_for("k"), long_after).value() == kept);
        expect(store->signals(operation(2).id, 0, 10).value().empty());
        (void)store->record(held, {.records = {waiting(1, 0, "k")}});
        expect(given_in(*store) == "1a");
    };

    "random signals and waits are as a plain model has them"_test = [&] {
        for (unsigned seed = 1; seed <= 60; ++seed) {
            std::mt19937 random{seed};
            auto [store, held] = with_claim();
            signal_model model;
            const auto any = [&](unsigned below) { return static_cast<int>(random() % below); };
            const auto any_key = [&] { return std::string(1, static_cast<char>('a' + any(3))); };
            int now = 1;
            for (int i = 0; i < 120; ++i) {
                now += any(3);
                const auto number = static_cast<std::uint64_t>(1 + any(6));
                const int step_number = any(2), action = any(10);
                if (action < 4) {
                    auto record = waiting(number, step_number, any_key(), now - any(4));
                    if (any(3) == 0) record.wait_until = at(now + any(8));
                    if (any(4) == 0) record.journal = "j";
                    if (any(6) == 0) record.retry_attempt = 1;
                    if (any(4) == 0) record.state = static_cast<row_state>(any(6));
                    expect(store->record(held, {.records = {record}}).has_value());
                    model.record(record);
                } else if (action < 9) {
                    auto sent = any(2) == 0 ? signal_for(any_key(), now)
                                            : signal_for(number, any_key(), now);
                    if (any(3) == 0) sent.failure = "no";
                    const auto until = at(now + any(20));
                    const auto receipt = store->send(sent, until);
                    const auto expected = model.send(sent, until);
                    expect(receipt.has_value() == expected.has_value()) << "seed" << seed << i;
                    if (receipt && expected)
                        expect(*receipt == *expected) << "seed" << seed << i;
                    else if (!receipt)
                        expect(receipt.error().code == errc::illegal_transition);
                } else {
                    const auto closed = store->close_wait(held, row(number), step(step_number));
                    expect(closed->has_value() == model.close(row(number), step(step_number)))
                        << "seed" << seed << i;
                }
                expect(given_in(*store) == model.given()) << "seed" << seed << i;
                const auto key = any_key();
                std::string rows;
                const auto waiting =
                    store->row_numbers({.operation = operation(1).id, .signal_key = key}).value();
                for (const auto each : waiting.items) rows += std::to_string(to_number(each));
                expect(rows == model.rows_waiting_for(key)) << "seed" << seed << i;
            }
        }
    };

    "two hundred thousand rows that wait for one key cost a signal no more than one row"_test =
        [&] {
            auto [store, held] = with_claim();
            constexpr std::uint64_t rows = 200'000;
            bulk::row_batch batch;
            for (std::uint64_t i = 1; i <= rows; ++i) {
                batch.records.push_back(waiting(i, 0, "k", static_cast<int>(i % 1000)));
                batch.records.back().wait_until = at(5000);
                if (batch.records.size() == 1000) {
                    expect(store->record(held, batch).has_value());
                    batch.clear();
                }
            }
            constexpr std::uint64_t signals = 5000;
            for (std::uint64_t i = 0; i < signals; ++i)
                batch.records.push_back(waiting(rows + 1 + i, 0, "alone " + std::to_string(i), 1));
            expect(store->record(held, batch).has_value());
            // By the median, which a busy machine leaves alone; looking at every row would take
            // thousands of times as long.
            const auto median = [&, &store = store](auto key, auto expected) {
                std::vector<std::chrono::steady_clock::duration> times;
                for (std::uint64_t i = 0; i < signals; ++i) {
                    const auto sent = signal_for(key(i), 2000);
                    const auto before = std::chrono::steady_clock::now();
                    const auto receipt = store->send(sent, long_after);
                    times.push_back(std::chrono::steady_clock::now() - before);
                    expect(receipt.value() == given_to(expected(i), 0)) << i;
                }
                std::ranges::nth_element(times, times.begin() + signals / 2);
                return times[signals / 2];
            };
            const auto among_many =
                median([](std::uint64_t) { return std::string{"k"}; },
                       [](std::uint64_t i) {
                           return i < 200 ? 1000 * (i + 1) : 1000 * (i % 200) + i / 200;
                       });
            const auto alone = median([](std::uint64_t i) { return "alone " + std::to_string(i); },
                                      [](std::uint64_t i) { return rows + 1 + i; });
            expect(among_many < 50 * alone) << among_many.count() << alone.count();
            const auto all = [&, &store = store] {
                return store->query(
                    {.operation = operation(1).id, .signal_key = "k", .page_size = 10});
            };
            expect(all().value().total == rows);
            // They are all over, and stay: nobody has told the store.
            for (int i = 0; i < 20; ++i)
                expect(store->send(signal_for("k", 9000), at(9000)).value() == kept);
            expect(all().value().total == rows);
        };
}

}  // namespace conformance
