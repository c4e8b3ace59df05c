#include <bulk/storage/operation_order.hpp>
#include <bulk/storage/retry_order.hpp>
#include <bulk/storage/row_order.hpp>

#include <support/ut.hpp>

#include <string>
#include <utility>

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
