// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/operation_record.hpp>
#include <bulk/core/query.hpp>
#include <bulk/core/row_record.hpp>
#include <bulk/http/api/bodies/list.hpp>
#include <bulk/http/api/call.hpp>
#include <bulk/http/api/handlers/operations.hpp>
#include <bulk/http/api/shapes.hpp>
#include <bulk/http/problem.hpp>
#include <bulk/service/export_options.hpp>
#include <bulk/service/row_standing.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace bulk::http::api {

/// The step of a name that a request gives; none when it gives none.
[[nodiscard]] inline or_problem<std::optional<step_index>> find_step_of(
    const operation_description* about, std::string_view name) {
    if (name.empty()) return std::nullopt;
    if (about == nullptr)
        return refuse(problems::invalid_argument,
                      "this program does not know the operation's steps", "step");
    return http::asked(find_step(*about, name), "step");
}

/// The rows of an operation with all their records, some at a time.
class row_reader {
public:
    row_reader(bulk::service& service, const operation_record& of)
        : service_{service}, of_{of}, about_{description_of(service, of.name)} {}

    [[nodiscard]] const operation_description* about() const { return about_; }

    /// In ascending order, each with its records in the order of steps.
    [[nodiscard]] or_problem<std::vector<row_record>> records(std::vector<row_number> rows) const {
        std::vector<row_record> all;
        if (rows.empty()) return all;
        row_query query{.operation = of_.id,
                        .rows = std::move(rows),
                        .page_size = largest_page,
                        .with_total = false};
        do {
            auto page = http::asked(service_.query(query));
            if (!page) return std::unexpected{std::move(page).error()};
            std::ranges::move(page->items, std::back_inserter(all));
            query.after = std::move(page->next);
        } while (!query.after.empty());
        return all;
    }

    [[nodiscard]] row_standing standing(std::span<const row_record> records) const {
        const auto steps = about_ != nullptr ? about_->steps.size() : of_.steps.size();
        return standing_of(
            records, step_index{static_cast<std::int16_t>(static_cast<std::int16_t>(steps) - 1)},
            is_final(of_.state));
    }

    /// Calls `visit(records)` for each row in a list of records.
    template <typename Visit>
    static void for_each_row(std::span<const row_record> records, Visit visit) {
        while (!records.empty()) {
            std::size_t end = 1;
            while (end < records.size() && records[end].row == records[0].row) ++end;
            visit(records.first(end));
            records = records.subspan(end);
        }
    }

private:
    bulk::service& service_;
    const operation_record& of_;
    const operation_description* about_;
};

[[nodiscard]] inline reply get_rows(call& asked) {
    constexpr int most_pages = 20;  // of rows of which none is in the state that is asked for
    const auto found = find_operation(asked);
    if (!found) return std::unexpected{found.error()};
    const auto page = paging::of(asked, 100);
    if (!page) return std::unexpected{page.error()};
    const row_reader reader{asked.service(), *found};
    row_query query{.operation = found->id,
                    .row_id_contains = asked.text("row_id"),
                    .signal_key = asked.text("signal_key"),
                    .page_size = page->size,
                    .after = page->after};
    std::optional<row_state> state;
    auto read =
        all_of({asked.read("state", state), asked.read("from_row", query.from_row),
                asked.read("to_row", query.to_row), asked.read("errors_only", query.errors_only),
                asked.read("total", query.with_total),
                check_range("from_row", query.from_row, "to_row", query.to_row)});
    if (!read) return std::unexpected{std::move(read).error()};
    auto step = find_step_of(reader.about(), asked.text("step"));
    if (!step) return std::unexpected{std::move(step).error()};
    query.step = *step;
    // A row that waits for its next step has no record that says so, and every row has completed
    // something: those two are asked of the row, the others of its records.
    const bool is_of_row = state == row_state::pending || state == row_state::completed;
    if (!is_of_row) query.state = state;
    if (auto valid = http::asked(validate(query)); !valid) return std::unexpected{valid.error()};
    std::vector<bodies::row> rows;
    std::optional<std::uint64_t> total;
    for (int pages = 0; pages < most_pages && rows.size() < page->size; ++pages) {
        query.page_size = page->size - static_cast<std::uint32_t>(rows.size());
        auto numbers = page->asked(asked.service().row_numbers(query));
        if (!numbers) return std::unexpected{std::move(numbers).error()};
        if (!is_of_row && query.with_total) total = numbers->total;
        auto records = reader.records(std::move(numbers->items));
        if (!records) return std::unexpected{std::move(records).error()};
        row_reader::for_each_row(*records, [&](std::span<const row_record> each) {
            const auto standing = reader.standing(each);
            if (is_of_row && standing.state != *state) return;
            rows.push_back(row_body(each, standing, reader.about()));
        });
        query.after = std::move(numbers->next);
        if (query.after.empty()) break;
    }
    return list_response(std::move(rows), page->next(query.after), total);
}

[[nodiscard]] inline reply get_row(call& asked) {
    const auto found = find_operation(asked);
    if (!found) return std::unexpected{found.error()};
    const auto number = read_number<std::uint64_t>(asked.path("row"), "row");
    if (!number) return std::unexpected{number.error()};
    const row_reader reader{asked.service(), *found};
    const auto records = reader.records({row_number{*number}});
    if (!records) return std::unexpected{records.error()};
    if (records->empty())
        return refuse(problems::not_found,
                      concat("operation ", to_text(found->id), " has no record of row ", *number),
                      "row");
    return json_response(200, row_body(*records, reader.standing(*records), reader.about()));
}

[[nodiscard]] inline reply get_errors(call& asked) {
    const auto found = find_operation(asked);
    if (!found) return std::unexpected{found.error()};
    const auto page = paging::of(asked, 100);
    if (!page) return std::unexpected{page.error()};
    const auto* about = description_of(asked.service(), found->name);
    row_query query{.operation = found->id,
                    .row_id_contains = asked.text("row_id"),
                    .errors_only = true,
                    .page_size = page->size,
                    .after = page->after};
    sort_order order = sort_order::asc;
    auto read =
        all_of({asked.read("failure", query.failure), asked.read("from_row", query.from_row),
                asked.read("to_row", query.to_row), asked.read("sort", query.sort),
                asked.read("order", order), asked.read("total", query.with_total),
                check_range("from_row", query.from_row, "to_row", query.to_row)});
    if (!read) return std::unexpected{std::move(read).error()};
    query.descending = order == sort_order::desc;
    auto step = find_step_of(about, asked.text("step"));
    if (!step) return std::unexpected{std::move(step).error()};
    query.step = *step;
    if (auto valid = http::asked(validate(query)); !valid) return std::unexpected{valid.error()};
    const auto errors = page->asked(asked.service().query(query));
    if (!errors) return std::unexpected{errors.error()};
    return list_response(
        bodies_of(errors->items,
                  [&](const row_record& each) { return row_error_body(each, about); }),
        page->next(errors->next), query.with_total ? std::optional{errors->total} : std::nullopt);
}

[[nodiscard]] inline reply get_error_groups(call& asked) {
    const auto found = find_operation(asked);
    if (!found) return std::unexpected{found.error()};
    const auto groups = http::asked(asked.service().error_groups(found->id));
    if (!groups) return std::unexpected{groups.error()};
    const auto* about = description_of(asked.service(), found->name);
    return list_response(
        bodies_of(*groups, [&](const error_group& each) { return error_group_body(each, about); }));
}

}  // namespace bulk::http::api
