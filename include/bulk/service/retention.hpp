// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/id.hpp>
#include <bulk/core/operation_record.hpp>
#include <bulk/core/operation_state.hpp>
#include <bulk/core/query.hpp>
#include <bulk/core/reflect.hpp>
#include <bulk/run/guard.hpp>
#include <bulk/service/prune_options.hpp>
#include <bulk/storage/any_storage.hpp>

#include <algorithm>
#include <iterator>
#include <utility>

namespace bulk {

/// Removes operations with everything of them.
class retention {
public:
    explicit retention(any_storage& storage) : storage_{storage} {}

    /// The records first: what is left if the process dies in between is an upload of no operation,
    /// which the next start removes. So is that of a damaged operation: it may name the wrong one.
    [[nodiscard]] result<> remove(operation_id id) {
        const auto record = storage_.get(id);
        if (!record && record.error().code == errc::damaged) return storage_.remove(id);
        if (!record) return std::unexpected{record.error()};
        auto removed = storage_.remove(id);
        // Removing records takes some space, and removing the upload gives some back.
        if (!removed && storage_.is_full() && is_final(record->state) && remove_upload(*record))
            removed = storage_.remove(id);
        return removed ? remove_upload(*record) : removed;
    }

    [[nodiscard]] result<prune_report> prune(const prune_options& options, timestamp now) {
        if (options.older_than.count() < 0)
            return fail(errc::invalid_argument, "older_than is negative: nothing has ended yet");
        for (const auto state : options.states)
            if (!is_final(state))
                return fail(errc::invalid_argument, concat("an operation that is ", name_of(state),
                                                           " has not ended: cancel it first"));
        prune_report report;
        for (const auto state : enumerators_of<operation_state>) {
            if (!is_final(state.value) || !is_wanted(options, state.value)) continue;
            if (auto pruned = prune(options, state.value, now, report); !pruned)
                return std::unexpected{pruned.error()};
        }
        retry_on_full_disk(report);
        return report;
    }

private:
    /// One that is gone already is no failure.
    [[nodiscard]] result<> remove_upload(const operation_record& record) {
        if (record.file_id.empty()) return {};
        auto gone = storage_.remove_file(record.file_id);
        if (!gone && gone.error().code != errc::not_found) return gone;
        return {};
    }

    [[nodiscard]] static bool is_wanted(const prune_options& options, operation_state state) {
        return options.states.empty() ||
               std::ranges::find(options.states, state) != options.states.end();
    }

    [[nodiscard]] result<> prune(const prune_options& options, operation_state state, timestamp now,
                                 prune_report& report) {
        const timestamp last = now - options.older_than;
        operation_query query{.state = state,
                              .created_to = last,
                              .descending = false,
                              .page_size = largest_page,
                              .with_total = false};
        do {
            const auto found = storage_.query(query);
            if (!found) return std::unexpected{found.error()};
            for (const auto& each : found->items)
                if (each.completed_at && *each.completed_at <= last) remove(options, each, report);
            query.after = found->next;
        } while (!query.after.empty());
        return {};
    }

    /// On a full disk the first operations may fail for want of a few blocks, which the uploads of
    /// later ones have freed since: `remove` deletes the upload even if the records stay.
    void retry_on_full_disk(prune_report& report) {
        for (auto before = short_of_space_.size() + 1; short_of_space_.size() < before;) {
            before = short_of_space_.size();
            std::erase_if(short_of_space_,
                          [&](const auto& each) { return remove(each.first).has_value(); });
            report.removed += before - short_of_space_.size();
        }
        std::ranges::move(std::exchange(short_of_space_, {}), std::back_inserter(report.kept));
    }

    void remove(const prune_options& options, const operation_record& record,
                prune_report& report) {
        result<> done;
        if (options.before) done = guarded([&] { return options.before(record); });
        if (!done) return (void)report.kept.emplace_back(record.id, done.error().message);
        done = remove(record.id);
        if (done)
            ++report.removed;
        else
            (storage_.is_full() ? short_of_space_ : report.kept)
                .emplace_back(record.id, done.error().message);
    }

    any_storage& storage_;
    decltype(prune_report::kept) short_of_space_{};
};

}  // namespace bulk
