// SPDX-License-Identifier: MIT
#pragma once

// What the functions do that are part of a run and do not depend on the operation's types: see core/linkage.hpp
// for who includes this.

#include <bulk/core/concat.hpp>
#include <bulk/core/linkage.hpp>
#include <bulk/rows/text_source.hpp>
#include <bulk/run/batch_writer.hpp>
#include <bulk/run/crashed_rows.hpp>
#include <bulk/run/file_supply.hpp>
#include <bulk/run/repeated_value.hpp>
#include <bulk/run/step_transaction.hpp>
#include <bulk/storage/any_storage.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <typeinfo>
#include <utility>
#include <vector>

// NOLINTBEGIN(misc-definitions-in-headers): BULK_INLINE says inline, or there is one unit
namespace bulk {

BULK_INLINE timestamp batch_writer::close_window() {
    const timestamp now = watch_.now();
    end_stretch();
    share_out(now);
    last_close_ = now;
    return now;
}

BULK_INLINE void batch_writer::done(const rows_completed& completed, const row_record& record) {
    last_close_.reset();
    if (fits_in_run(completed.completed_at - completed.started_at))
        batch_.completed.push_back(completed);
    else
        put(record);
}

BULK_INLINE void batch_writer::put(row_record record) {
    last_close_.reset();
    batch_.records.push_back(std::move(record));
}

BULK_INLINE void batch_writer::put(event event) { batch_.events.push_back(std::move(event)); }

BULK_INLINE void batch_writer::put_id(row_number row, std::string id) {
    batch_.row_ids.emplace_back(row, std::move(id));
}

BULK_INLINE row_batch batch_writer::take() {
    close_window();
    last_close_.reset();  // what is done with it may take long
    return std::exchange(batch_, row_batch{});
}

BULK_INLINE void batch_writer::put_back(row_batch earlier) {
    close_window();
    row_batch later = std::exchange(batch_, std::move(earlier));
    append(batch_, later);
}

BULK_INLINE void batch_writer::open_window() {
    if (parts_.empty()) window_began_ = last_close_ ? *last_close_ : watch_.now();
}

BULK_INLINE void batch_writer::end_stretch() {
    if (stretch_.rows == 0) return;
    const auto steps = to_number(stretch_.last_step) - to_number(stretch_.first_step) + 1;
    parts_.push_back({.index = batch_.completed.size(),
                      .steps = stretch_.rows * static_cast<std::uint64_t>(steps)});
    batch_.completed.push_back(stretch_);
    stretch_.rows = 0;
}

BULK_INLINE void batch_writer::share_out(timestamp now) {
    const auto time = now - window_began_;
    std::uint64_t all = 0, before = 0;
    for (const auto& each : parts_) all += each.steps;
    timestamp begin = window_began_;
    for (const auto& each : parts_) {
        before += each.steps;
        const auto steps = static_cast<std::int64_t>(before);
        const timestamp end =
            before == all ? now
                          : window_began_ + std::min(time * steps / static_cast<std::int64_t>(all),
                                                     steps * stopwatch::precision);
        if (each.is_record) {
            batch_.records[each.index].started_at = begin;
            batch_.records[each.index].completed_at = end;
        } else {
            batch_.completed[each.index].started_at = begin;
            batch_.completed[each.index].completed_at = end;
        }
        begin = end;
    }
    parts_.clear();
}

BULK_INLINE result<void*> step_transaction::begin(const std::type_info& connection) {
    const std::type_info* const own = storage_.connection_type();
    if (own == nullptr)
        return fail(errc::invalid_argument,
                    "the storage of this service has no transaction that a step could write in: "
                    "open it on SQLite, or make the step safe to repeat by its idempotency_key()");
    if (connection != *own)
        return fail(errc::invalid_argument,
                    "the storage of this service has no connection of that type: "
                    "ask for the one of the storage that it was opened with");
    if (!open_) {
        if (auto written = flush_(); !written) return refuse(std::move(written).error());
        auto begun = storage_.begin(held_);
        if (!begun) return refuse(std::move(begun).error());
        open_ = std::move(*begun);
        set_open(true);
    }
    return open_->connection();
}

BULK_INLINE result<> step_transaction::commit(const row_batch& earlier, const row_batch& own) {
    auto done = open_->record(earlier);
    if (done) done = open_->record(own);
    if (done) done = open_->commit();
    roll_back();  // unless it is committed
    return done;
}

BULK_INLINE void step_transaction::roll_back() {
    open_.reset();
    set_open(false);
}

BULK_INLINE std::optional<error> step_transaction::take_refusal() {
    if (!refusal_) return std::nullopt;
    set_asked(open_ != nullptr);
    return std::exchange(refusal_, std::nullopt);
}

BULK_INLINE std::optional<error> step_transaction::overdue() {
    return open_ ? open_->overdue() : std::nullopt;
}

BULK_INLINE std::unexpected<error> step_transaction::refuse(error why) {
    set_asked(true);
    refusal_ = why;
    return std::unexpected{std::move(why)};
}

BULK_INLINE void crashed_rows::set(std::vector<crashed_row> rows) {
    std::erase_if(rows, [&](const crashed_row& each) { return most_ == 0 || each.count < most_; });
    given_up_ = std::move(rows);
}

BULK_INLINE std::optional<std::string> crashed_rows::refusal(
    row_number row, const std::optional<row_progress>& known,
    const operation_description& about) const {
    const auto found = std::ranges::lower_bound(given_up_, row, {}, &crashed_row::row);
    if (found == given_up_.end() || found->row != row) return std::nullopt;
    if (known && (known->step > found->step ||
                  (known->step == found->step && known->state == row_state::completed)))
        return std::nullopt;
    const std::string often = found->count == 1 ? "once" : concat(found->count, " times");
    return concat("the process ended ", often, " while it worked on this row, last at step '",
                  about.step_name(found->step),
                  "': it is not tried again; find out why before the operation is retried");
}

BULK_INLINE std::string to_text(const repeated_value& repeated) {
    return concat("column '", repeated.column, "' must be unique, and row ",
                  to_number(repeated.first), " has the same value");
}

namespace detail {

/// Multiplies and folds eight bytes at a time.
[[nodiscard]] inline std::uint64_t mixed_hash(std::string_view text, std::uint64_t seed) {
    std::uint64_t mixed = seed ^ (text.size() * 0xff51afd7ed558ccdULL);
    for (std::size_t at = 0; at < text.size(); at += 8) {
        std::uint64_t part = 0;
        std::memcpy(&part, text.data() + at, std::min<std::size_t>(8, text.size() - at));
        mixed = (mixed ^ part) * (seed | 1);
        mixed ^= std::rotl(mixed, 31) * 0x9fb21c651e98df25ULL;
    }
    mixed ^= mixed >> 32;
    return mixed * 0xc4ceb9fe1a85ec53ULL;
}

}  // namespace detail

BULK_INLINE key_hash key_hash::of(std::string_view text) {
    return {detail::mixed_hash(text, 0x9e3779b97f4a7c15ULL),
            detail::mixed_hash(text, 0xd1b54a32d192ed03ULL)};
}

BULK_INLINE void seen_keys::add(key_hash key, row_number row) {
    const std::scoped_lock lock{mutex_};
    seen_.push_back({key, to_number(row)});
}

BULK_INLINE std::vector<repeated_value> seen_keys::take_repeated(std::string_view column) {
    std::vector<repeated_value> found;
    const std::scoped_lock lock{mutex_};
    std::ranges::sort(seen_);
    std::size_t first = 0;
    for (std::size_t i = 1; i < seen_.size(); ++i) {
        if (seen_[i].key == seen_[first].key)
            found.push_back({.row = row_number{seen_[i].row},
                             .first = row_number{seen_[first].row},
                             .column = column});
        else
            first = i;
    }
    seen_ = {};
    std::ranges::sort(found, {}, &repeated_value::row);
    return found;
}

BULK_INLINE std::optional<row_number> seen_keys_in_order::add(key_hash key, row_number row) {
    const auto [first, is_new] = seen_.emplace(key, row);
    if (is_new) return std::nullopt;
    return first->second;
}

BULK_INLINE result<std::optional<row_unit>> file_cutter::next(std::uint64_t rows) {
    auto next = cutter_->next(rows);
    if (!next) return std::unexpected{std::move(next).error()};
    if (!*next) return std::nullopt;
    if (auto skipped = skip_to((*next)->offset); !skipped)
        return std::unexpected{std::move(skipped).error()};
    auto text = std::make_shared<std::string>((*next)->text_size(), '\0');
    const auto got = text_.read(*text);
    if (!got) return std::unexpected{got.error()};
    text->resize(*got);
    position_ += *got;
    count_ += (*next)->rows;
    return row_unit{.rows = (*next)->rows, .text = std::move(text), .place = **next};
}

BULK_INLINE result<> file_cutter::skip_to(std::uint64_t offset) {
    std::string part;
    while (position_ < offset) {
        part.resize(static_cast<std::size_t>(
            std::min<std::uint64_t>(offset - position_, std::uint64_t{64} * 1024)));
        const auto got = text_.read(part);
        if (!got) return std::unexpected{got.error()};
        if (*got == 0) return fail(errc::conflict, "the file is shorter than it was");
        position_ += *got;
    }
    return {};
}

BULK_INLINE result<byte_source> open_text(const file_opener& open, const read_options& options) {
    auto bytes = open();
    if (!bytes) return std::unexpected{std::move(bytes).error()};
    return text_of(std::move(*bytes), options.unpacking);
}

BULK_INLINE result<file_cutter> cut_file(
    std::unique_ptr<slice_cutter> (*cut)(byte_source text, const read_options& options),
    const file_opener& open, const read_options& options) {
    auto first = open_text(open, options), second = open_text(open, options);
    if (!first) return std::unexpected{std::move(first).error()};
    if (!second) return std::unexpected{std::move(second).error()};
    return file_cutter{cut(std::move(*first), options), std::move(*second)};
}

}  // namespace bulk
// NOLINTEND(misc-definitions-in-headers)
