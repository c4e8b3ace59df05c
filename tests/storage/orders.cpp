#include <bulk/core/feed_item.hpp>
#include <bulk/core/feed_run.hpp>
#include <bulk/core/row_record.hpp>
#include <bulk/storage/feed_cursors.hpp>
#include <bulk/storage/first_places.hpp>
#include <bulk/storage/operation_order.hpp>
#include <bulk/storage/read_page.hpp>
#include <bulk/storage/retry_order.hpp>
#include <bulk/storage/row_order.hpp>

#include <support/ut.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

using namespace boost::ut;
using bulk::operation_sort, bulk::row_sort;

namespace {

constexpr bulk::record_place place{bulk::row_number{7}, bulk::validation_step};

suite<"orders"> orders = [] {
    "places are sorted by row, then step, validation first"_test = [] {
        const bulk::row_number seven{7}, eight{8};
        expect(place < bulk::record_place{seven, bulk::step_index{0}});
        expect(bulk::record_place{seven, bulk::step_index{9}} <
               bulk::record_place{eight, place.step()});
        expect(place.row() == seven and place.step() == bulk::validation_step);
        expect(bulk::parse_place(to_text(place)) == place);
        for (const std::string wrong :
             {"", "7", "7:", ":1", "7:x", "7:-2", "7:1 ", "281474976710656:0"})
            expect(not bulk::parse_place(wrong).has_value()) << wrong;
    };

    "a cursor of rows is read as it was written"_test = [] {
        const bulk::row_order order{.number = -3, .text = "a b", .place = place};
        expect(bulk::parse_row_order(to_text(order), row_sort::row_id).value() == order);
        expect(not bulk::parse_row_order(to_text(order), row_sort::row).has_value())
            << "only row ids are texts";
    };

    "a record has a position in every order"_test = [] {
        const bulk::row_record record{.row = place.row(),
                                      .step = bulk::step_index{2},
                                      .state = bulk::row_state::failed,
                                      .row_id = "a",
                                      .failure = bulk::error_type::parse,
                                      .started_at = bulk::timestamp{bulk::timestamp::duration{5}}};
        const auto number = [&](row_sort sort) { return order_of(record, sort).number; };
        expect(number(row_sort::row) == 0_l and number(row_sort::row_id) == 0_l);
        expect(order_of(record, row_sort::row_id).text == "a");
        expect(number(row_sort::step) == 2_l and number(row_sort::started_at) == 5_l);
        expect(number(row_sort::state) == std::to_underlying(bulk::row_state::failed));
        expect(number(row_sort::failure) == bulk::order_of(record.failure));
    };

    "rows without a failure or a start come first"_test = [] {
        using failure = std::optional<bulk::error_type>;
        using time = std::optional<bulk::timestamp>;
        expect(bulk::order_of(failure{}) < bulk::order_of(failure{bulk::error_type::parse}));
        expect(bulk::order_of(time{}) < bulk::order_of(time{bulk::timestamp{}}));
    };

    "a cursor of operations is read as it was written"_test =
        [](operation_sort sort) {
            const bulk::operation_record record{.id = {{.high = 1, .low = 2}},
                                                .name = "Import",
                                                .state = bulk::operation_state::running,
                                                .rows = {.total = 9, .processed = 4}};
            const auto order = bulk::parse_operation_order(bulk::cursor_of(record, sort), sort);
            expect(fatal(order.has_value()));
            expect(*order == bulk::order_of(record, sort));
        } |
        std::vector{operation_sort::created_at, operation_sort::name, operation_sort::state,
                    operation_sort::total_rows, operation_sort::processed_rows};

    "a cursor of another order is refused"_test = [] {
        const bulk::operation_record record{.name = "Import"};
        const auto by_name = bulk::cursor_of(record, operation_sort::name);
        const auto refused = bulk::parse_operation_order(by_name, operation_sort::state);
        expect(fatal(not refused.has_value()));
        expect(refused.error().message.contains("is of another order"));
    };

    "a cursor of runs and one of items are read as they were written"_test = [] {
        const auto of_runs = bulk::cursor_of(bulk::feed_run{.number = 12});
        expect(bulk::parse_run_cursor(of_runs).value() == 12_ul);
        const auto of_items = bulk::cursor_of(bulk::canonical_item{.key = "b 1"});
        expect(bulk::parse_item_cursor(of_items).value() == std::string{"b 1"});
        expect(not bulk::parse_run_cursor(of_items).has_value());
        expect(not bulk::parse_item_cursor("!").has_value());
    };

    "the first places behind another are picked in both directions"_test = [] {
        const auto pick = [](std::optional<int> after, bool is_descending) {
            bulk::first_places<int> places{after, is_descending, 3};
            for (const int each : {5, 1, 9, 7, 3}) places.add(each);
            return std::move(places).take();
        };
        expect(pick(std::nullopt, false) == std::vector{1, 3, 5});
        expect(pick(3, false) == std::vector{5, 7, 9});
        expect(pick(std::nullopt, true) == std::vector{9, 7, 5});
        expect(pick(3, true) == std::vector{1});
    };

    "a page says where the next one begins, and the last that there is none"_test = [] {
        struct numbers_query {
            std::uint32_t page_size = 2;
            std::string after{};
        };
        const auto read = [](const std::string& after) {
            return bulk::read_page(
                numbers_query{.after = after},
                [](const std::string& text) -> bulk::result<int> {
                    if (text == "wrong") return bulk::unknown_cursor(text);
                    return std::stoi(text);
                },
                [](const numbers_query& query, const std::optional<int>& behind) {
                    bulk::page<int> found;
                    for (int each = behind.value_or(0) + 1;
                         each <= 4 && found.items.size() < query.page_size; ++each)
                        found.items.push_back(each);
                    return found;
                },
                [](int last) { return std::to_string(last); });
        };
        const auto first = read("").value(), second = read(first.next).value();
        expect(first.items == std::vector{1, 2} and first.next == "2");
        expect(second.items == std::vector{3, 4} and second.next.empty());
        expect(read("wrong").error().code == bulk::errc::invalid_argument);
    };

    "a cursor of earlier failures is read as it was written"_test = [] {
        const auto order = bulk::parse_retry_order(
            bulk::cursor_of({.row = place.row(), .step = bulk::step_index{2}, .retry_attempt = 3}));
        expect(fatal(order.has_value()));
        expect(order->place == bulk::record_place{place.row(), bulk::step_index{2}});
        expect(order->attempt == 3_u);
        for (const std::string wrong : {"1 2", "1 2 x", "1 2 3 4", "x"})
            expect(not bulk::parse_retry_order(to_text(bulk::cursor{.id = wrong})).has_value());
    };
};

}  // namespace

int main() {}
