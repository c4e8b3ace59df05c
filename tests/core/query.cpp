#include <bulk/core/query.hpp>

#include <support/ut.hpp>

using namespace boost::ut;
using namespace std::chrono_literals;
using namespace std::string_literals;

namespace {

suite<"cursor"> cursors = [] {
    "any key and id come back"_test = [] {
        for (const auto& at : {bulk::cursor{}, bulk::cursor{"a.b", "7"}, bulk::cursor{"", "x"},
                               bulk::cursor{"\x00\xff\n"s, "\xc3\xa4"s}}) {
            const auto back = bulk::parse_cursor(to_text(at));
            expect(fatal(back.has_value())) << to_text(at);
            expect(*back == at) << to_text(at);
        }
    };

    "what is no cursor is refused"_test = [] {
        for (const auto* text : {"", "6", "6.", ".6", "zz.61", "61.6g", "6161", "61.61.61"}) {
            const auto back = bulk::parse_cursor(text);
            expect(fatal(!back.has_value())) << text;
            expect(back.error().message.contains("not one of ours")) << back.error().message;
        }
    };
};

suite<"query"> queries = [] {
    "defaults ask for something"_test = [] {
        expect(validate(bulk::operation_query{}).has_value());
        expect(validate(bulk::row_query{}).has_value());
        expect(bulk::operation_query{}.page_size == 20_u and bulk::operation_query{}.descending);
        expect(bulk::row_query{}.page_size == 100_u and !bulk::row_query{}.descending);
    };

    "each bad value has its sentence"_test = [] {
        const auto says = [](const bulk::result<>& checked, const std::string& sentence) {
            expect(fatal(!checked.has_value())) << sentence;
            expect(checked.error() == bulk::error{bulk::errc::invalid_argument, sentence});
        };
        says(validate(bulk::operation_query{.page_size = 0}),
             "page size is 0; it must be between 1 and 1000");
        says(validate(bulk::row_query{.page_size = 1001}),
             "page size is 1001; it must be between 1 and 1000");
        says(validate(bulk::operation_query{.created_from = bulk::timestamp{2s},
                                            .created_to = bulk::timestamp{1s}}),
             "created_from is later than created_to: nothing is between");
        says(validate(
                 bulk::row_query{.from_row = bulk::row_number{2}, .to_row = bulk::row_number{1}}),
             "from_row is greater than to_row: nothing is between");
        says(validate(bulk::row_query{.after = "nonsense"}),
             "cursor 'nonsense' is not one of ours: pass on what `next` of the page before said");
    };
};

}  // namespace

int main() {}
