// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/event.hpp>
#include <bulk/core/operation_record.hpp>
#include <bulk/storage/any_storage.hpp>
#include <bulk/storage/lease.hpp>
#include <bulk/storage/step_moves.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace bulk {

/// An operation that was claimed: its record as it was stored last, and how its owner changes it.
class owned_operation {
public:
    owned_operation(any_storage& storage, claimed_operation claimed)
        : storage_{storage},
          held_{claimed.held},
          record_{std::move(claimed.operation)},
          was_begun_{record_.state != operation_state::pending},
          was_orphaned_{claimed.was_lapsed && was_begun_ &&
                        record_.state != operation_state::retrying} {}

    [[nodiscard]] const lease& held() const { return held_; }
    [[nodiscard]] const operation_record& record() const { return record_; }

    /// Whether an earlier run has begun it, so that rows may have records.
    [[nodiscard]] bool was_begun() const { return was_begun_; }
    /// Whether that run has never given it back.
    [[nodiscard]] bool was_orphaned() const { return was_orphaned_; }

    /// How many rows the file has; stored with the next change.
    void set_total(std::uint64_t rows) { record_.rows.total = rows; }

    /// Which steps it has; stored with the next change.
    void set_steps(std::vector<std::string> names) { record_.steps = std::move(names); }

    /// What keeps it from going on, or nothing any more.
    [[nodiscard]] result<> set_error(std::string why) {
        if (record_.error_message == why) return {};
        operation_record changed = record_;
        changed.error_message = std::move(why);
        return keep(storage_.update(held_, changed, {}));
    }

    /// It has another step table from now on.
    [[nodiscard]] result<> move_steps(std::vector<std::string> names, const step_moves& to) {
        operation_record changed = record_;
        changed.steps = std::move(names);
        changed.error_message.clear();
        return keep(storage_.move_steps(held_, changed, to));
    }

    /// Moves the operation on, in one transaction with the event that tells it.
    [[nodiscard]] result<> move(operation_state next, timestamp now) {
        operation_record changed = record_;
        const auto previous = changed.state;
        if (auto moved = move_to(changed, next, now); !moved) return moved;
        return keep(
            storage_.update(held_, changed, {status_changed_event(changed, previous, now)}));
    }

    /// Its last change, made to what is stored now. One that somebody else has ended stays as it is.
    template <typename Change>
    [[nodiscard]] result<> close(Change change, timestamp now) {
        auto current = storage_.get(held_.operation);
        if (!current) return std::unexpected{std::move(current).error()};
        const auto previous = current->state;
        if (is_final(previous)) return {};
        if (auto changed = change(*current, now); !changed) return changed;
        current->rows.total =
            std::max({current->rows.total, record_.rows.total, current->rows.processed});
        std::vector<event> events{status_changed_event(*current, previous, now)};
        if (auto last = final_event(*current, now)) events.push_back(std::move(*last));
        auto stored = storage_.update(held_, *current, events);
        if (!stored) return std::unexpected{std::move(stored).error()};
        return {};
    }

private:
    [[nodiscard]] result<> keep(result<operation_record> stored) {
        if (!stored) return std::unexpected{std::move(stored).error()};
        record_ = std::move(*stored);
        return {};
    }

    any_storage& storage_;
    lease held_;
    operation_record record_;
    bool was_begun_;
    bool was_orphaned_;
};

}  // namespace bulk
