#include <bulk/operation/declare.hpp>
#include <bulk/operation/registry.hpp>

#include <support/ut.hpp>

#include <optional>
#include <string>

using namespace boost::ut;
using namespace std::string_literals;

namespace shop {

enum class size { small, large };
BOOST_DESCRIBE_ENUM(size, small, large)

struct money {
    long cents = 0;
};
bulk::result<money> from_text(std::type_identity<money>, std::string_view text) {
    const auto cents = bulk::from_text(std::type_identity<long>{}, text);
    if (!cents) return std::unexpected{cents.error()};
    return money{*cents};
}
constexpr std::string_view column_type_name(std::type_identity<money>) { return "money"; }

struct order {
    std::string number;
    size box = size::small;
    std::optional<size> bag;
    money price;
    std::optional<std::uint8_t> count;
    std::string note;
};
BULK_ROW(order, (number, .column = "Order No", .row_id = true, .unique = true), box, bag, price,
         (count, .required = true), (note, .required = false));

struct batch {
    std::string shop;
    std::optional<double> discount;
};
BULK_METADATA(batch, (shop, .name = "shopName", .description = "which shop"), discount);

struct import_orders : bulk::operation<import_orders, order, batch> {
    BULK_OPERATION("import-orders", .description = "Orders of a day", .track_row_data = true,
                   .retryable = true)
    bulk::result<> validate(const batch&) { return {}; }
    bulk::result<> validate(const order&, const batch&) { return {}; }
    void process(const order&, const batch&, bulk::context&) {}
};

struct ship_orders : bulk::operation<ship_orders, order> {
    BULK_OPERATION("ship-orders")
    BULK_STEP(pack, "Pack", .allow_operation_retry = false)
    (const order&, const bulk::no_metadata&, bulk::context&) {}
};

}  // namespace shop

namespace {

constexpr auto& known = bulk::operations<shop::import_orders, shop::ship_orders>;

suite<"registry"> registry = [] {
    "a name is found in any case"_test = [] {
        expect(known.find("import-orders").value()->name == "import-orders");
        expect(known.find("SHIP-Orders").value()->name == "ship-orders");
    };

    "a misspelt name is not found, and the nearest is suggested"_test = [] {
        const auto found = known.find("import-order");
        expect(fatal(!found.has_value()));
        expect(found.error() ==
               bulk::error{bulk::errc::not_found,
                           "no operation is named 'import-order'; did you mean 'import-orders'?"});
    };

    "a name like no other gets the list"_test = [] {
        expect(known.find("billing").error().message ==
               "no operation is named 'billing'; there is 'import-orders', 'ship-orders'"s);
    };

    "a visit gets the type"_test = [] {
        std::string_view visited;
        const auto visit = [&]<typename Op>(std::type_identity<Op>) {
            visited = bulk::description_of<Op>.name;
        };
        expect(known.visit("Ship-Orders", visit).has_value());
        expect(visited == "ship-orders");
        expect(known.visit("none", visit).error().code == bulk::errc::not_found);
    };
};

suite<"description"> descriptions = [] {
    "the operation says what it is"_test = [] {
        constexpr auto& import = bulk::description_of<shop::import_orders>;
        static_assert(import.description == "Orders of a day");
        static_assert(import.track_row_data && import.retryable && !import.is_pipeline);
        constexpr auto& ship = bulk::description_of<shop::ship_orders>;
        static_assert(!ship.track_row_data && !ship.retryable && ship.is_pipeline);
        static_assert(ship.metadata.empty() && !ship.steps[0].allow_operation_retry);
    };

    "columns have names, types and what is required"_test = [] {
        constexpr auto columns = bulk::description_of<shop::import_orders>.columns;
        static_assert(columns.size() == 6);
        static_assert(columns[0].name == "Order No" && columns[0].member == "number");
        static_assert(columns[0].type == "text" && columns[0].required);
        static_assert(columns[0].row_id && columns[0].unique && !columns[1].row_id);
        static_assert(columns[1].name == "box" && columns[1].type == "enum");
        static_assert(columns[1].choices.size() == 2 && columns[1].choices[1] == "large");
        static_assert(columns[2].choices.size() == 2 && !columns[2].required);
        static_assert(columns[3].type == "money");
        static_assert(columns[4].type == "uint8" && columns[4].required && columns[4].nullable);
        static_assert(!columns[5].required && !columns[5].nullable);
    };

    "metadata fields too"_test = [] {
        constexpr auto fields = bulk::description_of<shop::import_orders>.metadata;
        static_assert(fields.size() == 2);
        static_assert(fields[0].name == "shopName" && fields[0].member == "shop");
        static_assert(fields[0].description == "which shop" && fields[0].required);
        static_assert(fields[1].type == "double" && !fields[1].required && fields[1].nullable);
    };
};

}  // namespace

int main() {}
