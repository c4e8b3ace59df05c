// SPDX-License-Identifier: MIT
#pragma once

// What exports do that does not depend on the operation's types: see core/linkage.hpp for who
// includes this.

#include <bulk/core/concat.hpp>
#include <bulk/core/linkage.hpp>
#include <bulk/run/guard.hpp>
#include <bulk/service/export_options.hpp>
#include <bulk/service/export_output.hpp>
#include <bulk/service/row_selection.hpp>
#include <bulk/service/row_standing.hpp>
#include <bulk/storage/any_storage.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// NOLINTBEGIN(misc-definitions-in-headers): BULK_INLINE says inline, or there is one unit
namespace bulk {

BULK_INLINE result<std::span<const row_record>> row_histories::of(row_number row) {
    if (row > loaded_to_)
        if (auto loaded = load(row); !loaded) return std::unexpected{std::move(loaded).error()};
    while (at_ < records_.size() && records_[at_].row < row) ++at_;
    std::size_t end = at_;
    while (end < records_.size() && records_[end].row == row) ++end;
    return std::span{records_}.subspan(at_, end - at_);
}

BULK_INLINE result<row_number> row_histories::last_row() {
    auto last = storage_.query(row_query{
        .operation = operation_, .descending = true, .page_size = 1, .with_total = false});
    if (!last) return std::unexpected{std::move(last).error()};
    return last->items.empty() ? row_number{} : last->items.front().row;
}

BULK_INLINE result<> row_histories::load(row_number first) {
    row_query query{.operation = operation_, .page_size = largest_page, .with_total = false};
    if (only_.empty()) {
        loaded_to_ = row_number{to_number(first) + rows_at_once_ - 1};
        query.from_row = first;
        query.to_row = loaded_to_;
    } else {
        const auto begin = std::ranges::lower_bound(only_, first);
        const auto left = static_cast<std::uint64_t>(only_.end() - begin);
        const auto count = static_cast<std::ptrdiff_t>(std::min(left, rows_at_once_));
        query.rows.assign(begin, begin + count);
        if (query.rows.empty()) query.rows = {first};
        loaded_to_ = query.rows.back();
    }
    records_.clear();
    at_ = 0;
    do {
        auto page = storage_.query(query);
        if (!page) return std::unexpected{std::move(page).error()};
        query.after = std::move(page->next);
        if (records_.empty())
            records_ = std::move(page->items);
        else
            std::ranges::move(page->items, std::back_inserter(records_));
    } while (!query.after.empty());
    return {};
}

BULK_INLINE result<row_selection> row_selection::make(const export_options& options,
                                                      const operation_description& operation) {
    auto step = find_step(operation, options.step);
    if (!step) return std::unexpected{std::move(step).error()};
    return row_selection{options, *step};
}

BULK_INLINE const std::vector<row_number>& row_selection::rows() const { return only_; }

BULK_INLINE bool row_selection::has(row_number row) const {
    return only_.empty() || std::ranges::binary_search(only_, row);
}

BULK_INLINE bool row_selection::is_past_last(row_number row) const {
    return !only_.empty() && row > only_.back();
}

BULK_INLINE bool row_selection::has(const row_standing& standing) const {
    const row_record* last = standing.last;
    if (!is_among(standing) || (state_ && standing.state != *state_)) return false;
    if (failure_ && (last == nullptr || last->failure != failure_)) return false;
    if (!pattern_.empty() &&
        (!standing.has_failed() || error_pattern(last->error_message) != pattern_))
        return false;
    return !step_ || (last != nullptr && last->step == *step_);
}

BULK_INLINE bool row_selection::is_among(const row_standing& standing) const {
    switch (among_) {
        case export_rows::succeeded:
            return standing.has_succeeded();
        case export_rows::failed:
            return standing.has_failed();
        case export_rows::unprocessed:
            return standing.is_unprocessed;
        default:
            return true;
    }
}

BULK_INLINE result<std::optional<step_index>> find_step(const operation_description& operation,
                                                        std::string_view name) {
    if (name.empty()) return std::nullopt;
    if (same_name(name, operation.step_name(validation_step))) return validation_step;
    std::vector<std::string_view> known{operation.step_name(validation_step)};
    for (std::size_t i = 0; i < operation.steps.size(); ++i) {
        if (same_name(name, operation.steps[i].name)) return static_cast<step_index>(i);
        known.push_back(operation.steps[i].name);
    }
    const auto near = nearest_name(name, known);
    return fail(errc::invalid_argument,
                concat("operation '", operation.name, "' has no step '", name, '\'',
                       near ? concat("; did you mean '", *near, "'?") : std::string{}));
}

BULK_INLINE std::string export_file_name(std::string_view source, std::string_view operation,
                                         const export_options& options,
                                         std::string_view extension) {
    source = source.substr(source.find_last_of("/\\") + 1);
    if (const auto ending = format_extension(source); !ending.empty())
        source = source.substr(0, static_cast<std::size_t>(ending.data() - source.data()) - 1);
    std::string name{source};
    if (name.empty()) name = operation;
    for (char& c : name)
        if (static_cast<unsigned char>(c) < 0x20 ||
            std::string_view{"\"'\\/:*?<>|;%\x7f"}.contains(c))
            c = '_';
    if (options.rows != export_rows::all) name += concat('-', name_of(options.rows));
    if (options.kind == export_kind::report) name += "-report";
    return concat(name, '.', extension);
}

BULK_INLINE row_standing standing_of(std::span<const row_record> records, step_index last_step,
                                     bool is_at_rest) {
    row_standing standing;
    if (!records.empty()) {
        standing.last = &records.back();
        const bool is_between =
            standing.last->state == row_state::completed && standing.last->step < last_step;
        standing.state = is_between ? row_state::pending : standing.last->state;
    }
    const bool has_begun = standing.last != nullptr && standing.last->step != validation_step;
    standing.is_unprocessed =
        is_at_rest ? !is_final(standing.state) : !has_begun && standing.state == row_state::pending;
    return standing;
}

BULK_INLINE std::string_view tracked_data(std::span<const row_record> records) {
    for (std::size_t i = records.size(); i > 0; --i)
        if (!records[i - 1].row_data.empty()) return records[i - 1].row_data;
    return {};
}

BULK_INLINE std::string& export_output::text() { return text_; }

BULK_INLINE result<> export_output::hand_over(bool is_last) {
    constexpr std::size_t part = std::size_t{64} * 1024;
    if (text_.empty() || (!is_last && text_.size() < part)) return {};
    auto taken = guarded([&] { return sink_(text_); });
    text_.clear();
    return taken;
}

BULK_INLINE row_selection::row_selection(const export_options& options,
                                         std::optional<step_index> step)
    : among_{options.rows},
      state_{options.state},
      failure_{options.failure},
      step_{step},
      pattern_{options.pattern},
      only_{options.only} {
    std::ranges::sort(only_);
    const auto twins = std::ranges::unique(only_);
    only_.erase(twins.begin(), twins.end());
}

}  // namespace bulk
// NOLINTEND(misc-definitions-in-headers)
