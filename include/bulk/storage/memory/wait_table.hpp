// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/id.hpp>
#include <bulk/core/row_record.hpp>
#include <bulk/core/signal.hpp>
#include <bulk/storage/memory/early_signals.hpp>
#include <bulk/storage/memory/given_signals.hpp>
#include <bulk/storage/memory/kept_record.hpp>
#include <bulk/storage/memory/record_shelves.hpp>
#include <bulk/storage/memory/row_table.hpp>
#include <bulk/storage/memory/sorted_list.hpp>
#include <bulk/storage/record_place.hpp>
#include <bulk/storage/step_moves.hpp>

#include <algorithm>
#include <chrono>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

namespace bulk::memory {

/// The waits of one operation's rows, found by what they wait for, and the signals for them. The
/// keys themselves are in the records, here are their hashes.
///
/// Who has waited longest is whose record says `started_at` first, then the lower row. What time it
/// is, only signals and records tell: an early signal is gone as soon as another one was sent, or a
/// wait has `started_at`, when it was to be kept no longer or later.
class wait_table {
public:
    /// A record is about to replace the one of its place, if there is one.
    void change(const kept_record* before, const row_record& record) {
        const bool was_waiting = before != nullptr && before->is_waiting();
        if (!was_waiting && !is_waiting(record)) return;
        const record_place place{record.row, record.step};
        if (was_waiting) {
            const auto wait = wait_of(before->signal_key(), before->started_at(), place);
            if (!waits_.erase(wait)) waits_.erase(spent(wait));
            const bool is_same = is_waiting(record) && before->signal_key() == record.signal_key &&
                                 before->journal() == record.journal &&
                                 before->retry_attempt() == record.retry_attempt;
            if (!is_same) {
                given_.use_up(place);
                closed_.erase(place);
            }
        }
        if (!is_waiting(record)) return;
        if (record.started_at) early_.end(*record.started_at);
        bool is_spent = given_.find(place) != nullptr || closed_.contains(place);
        if (!is_spent)
            if (auto early = early_.take(record.signal_key, record.row)) {
                given_.give(place, record.signal_key, std::move(*early));
                is_spent = true;
            }
        const auto wait = wait_of(record.signal_key, record.started_at, place);
        waits_.insert(is_spent ? spent(wait) : wait);
    }

    [[nodiscard]] result<signal_receipt> send(const row_table& rows, const signal& sent,
                                              timestamp until) {
        early_.end(sent.sent_at);
        auto found = sent.row ? find_row(rows, sent, *sent.row) : find_longest(rows, sent);
        if (!found) return std::unexpected{found.error()};
        if (const std::optional<record_place> place = *found) {
            const auto wait = wait_of(sent.key, rows.find(*place)->started_at(), *place);
            if (waits_.erase(wait)) waits_.insert(spent(wait));
            given_.give(*place, sent.key, sent.failure);
            return signal_receipt{.row = place->row(), .step = place->step()};
        }
        early_.keep(sent, until);
        return signal_receipt{.is_kept = true};
    }

    void move_steps(const step_moves& to) {
        const auto there = [&](record_place at) {
            return record_place{at.row(), moved(at.step(), to)};
        };
        sorted_list<wait> waits;
        waits_.visit_from({}, [&](wait each) {
            each.place = there(each.place);
            waits.insert(each);
            return true;
        });
        waits_ = std::move(waits);
        std::set<record_place> closed;
        for (const auto at : closed_) closed.insert(there(at));
        closed_ = std::move(closed);
        given_.move_steps(to);
    }

    [[nodiscard]] std::vector<given_signal> given(std::uint64_t after, std::uint32_t limit) const {
        return given_.behind(after, limit);
    }

    [[nodiscard]] std::optional<given_signal> close(const row_table& rows, record_place place) {
        const kept_record* record = rows.find(place);
        if (record == nullptr || !record->is_waiting()) return std::nullopt;
        const auto wait = wait_of(record->signal_key(), record->started_at(), place);
        if (waits_.erase(wait)) waits_.insert(spent(wait));
        closed_.insert(place);
        const given_signal* given = given_.find(place);
        return given != nullptr ? std::optional{*given} : std::nullopt;
    }

    /// Where a record that waits for the key can be, by row; none if there are more than so many.
    [[nodiscard]] std::optional<std::vector<record_place>> places_of(std::string_view key,
                                                                     std::size_t most) const {
        std::vector<record_place> found;
        const wait first{.key = hash_of(key)};
        waits_.visit_from(first, [&](const wait& each) {
            if ((each.key & ~std::uint64_t{1}) != first.key || found.size() > most) return false;
            found.push_back(each.place);
            return true;
        });
        if (found.size() > most) return std::nullopt;
        std::ranges::sort(found);
        return found;
    }

private:
    /// By key, then those that a signal can still find, then who waited longest.
    struct wait {
        std::uint64_t key = 0;  ///< the hash of what it waits for; odd: no signal finds it
        std::int64_t since = std::numeric_limits<std::int64_t>::min();
        record_place place{};

        auto operator<=>(const wait&) const = default;
    };

    static std::uint64_t hash_of(std::string_view key) {
        return std::uint64_t{std::hash<std::string_view>{}(key)} << 1;
    }
    static wait wait_of(std::string_view key, std::optional<timestamp> since, record_place place) {
        wait made{.key = hash_of(key), .place = place};
        if (since) made.since = since->time_since_epoch().count();
        return made;
    }
    static wait spent(wait each) {
        each.key |= 1;
        return each;
    }

    static bool is_over(const kept_record& record, timestamp now) {
        const auto until = record.wait_until();
        return until && *until <= now;
    }

    [[nodiscard]] result<std::optional<record_place>> find_row(const row_table& rows,
                                                               const signal& sent,
                                                               row_number row) const {
        std::optional<record_place> found;
        std::optional<step_index> completed;  // unless a later step waits for the same
        for (const auto& record : rows.apart_of(row)) {
            if (record.signal_key() != sent.key) continue;
            const record_place place{row, record_shelves::step_of(record)};
            if (record.state() == row_state::completed) completed = place.step();
            if (!record.is_waiting()) continue;
            completed.reset();
            if (given_.find(place) != nullptr)
                return fail(errc::illegal_transition,
                            concat("row ", to_number(row), " was given a signal already"));
            if (!closed_.contains(place) && !is_over(record, sent.sent_at)) found = place;
        }
        if (found) return found;
        std::optional<row_progress> last;
        rows.progress(row, {&last, 1});
        if (last && (last->state == row_state::failed || last->state == row_state::timed_out))
            return fail(errc::illegal_transition,
                        concat("row ", to_number(row), " waits for nothing: it is ",
                               name_of(last->state), " at step ", to_number(last->step)));
        if (completed)
            return fail(errc::illegal_transition,
                        concat("row ", to_number(row),
                               " was given a signal already, and has gone on: it waits no more at "
                               "step ",
                               to_number(*completed)));
        if (early_.has(sent.key, row))
            return fail(errc::illegal_transition, concat("row ", to_number(row),
                                                         " was sent a signal already, which is "
                                                         "kept until the row waits for it"));
        return std::nullopt;
    }

    [[nodiscard]] std::optional<record_place> find_longest_open(
        const row_table& rows, const signal& sent, std::vector<wait>& long_over) const {
        std::optional<record_place> found;
        const wait first{.key = hash_of(sent.key)};
        waits_.visit_from(first, [&](const wait& each) {
            if (each.key != first.key) return false;
            const kept_record& record = *rows.find(each.place);
            if (record.signal_key() != sent.key) return true;  // of the same hash
            if (!is_over(record, sent.sent_at)) {
                found = each.place;
                return false;
            }
            if (is_over(record, sent.sent_at - clocks_differ)) long_over.push_back(each);
            return true;
        });
        return found;
    }

    /// Waits that are over for long are put out of the way, so that each is passed by once and not
    /// by every signal that comes.
    [[nodiscard]] result<std::optional<record_place>> find_longest(const row_table& rows,
                                                                   const signal& sent) {
        std::vector<wait> long_over;
        const auto found = find_longest_open(rows, sent, long_over);
        for (const auto& each : long_over) {
            waits_.erase(each);
            waits_.insert(spent(each));
        }
        return found;
    }

    /// By no more than this, we hope, on the machines of those who send.
    static constexpr std::chrono::minutes clocks_differ{1};

    sorted_list<wait> waits_;
    given_signals given_;
    std::set<record_place> closed_;
    early_signals early_;
};

}  // namespace bulk::memory
