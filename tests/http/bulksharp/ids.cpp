#include <bulk/http/api/bulksharp/ids.hpp>

#include <support/ut.hpp>

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

using namespace boost::ut;
namespace api = bulk::http::api::bulksharp;

suite<"ids for .NET"> ids = [] {
    "a GUID is read in every form that .NET writes, and nothing else is"_test = [] {
        const std::string text = "01890000-0000-7000-8000-00000000abcd";
        const auto id = api::parse_guid(text);
        expect(fatal(id.has_value()));
        for (const std::string form :
             {"01890000-0000-7000-8000-00000000ABCD", "0189000000007000800000000000abcd",
              "{01890000-0000-7000-8000-00000000abcd}", "(01890000-0000-7000-8000-00000000abcd)"})
            expect(api::parse_guid(form) == id) << form;
        for (const std::string wrong :
             {"", "7", "0189000000007000800000000000abc", "0189000000007000800000000000abcg",
              "{01890000-0000-7000-8000-00000000abcd)", "[01890000-0000-7000-8000-00000000abcd]",
              "01890000-0000-7000-8000-00000000abcd "})
            expect(!api::parse_guid(wrong)) << wrong;
    };

    "what is derived is the same for the same parts, in every version of this library"_test = [] {
        const bulk::operation_id operation{{0x0189'0000'0000'7000, 0x8000'0000'0000'0001}};
        const auto row = [&](std::uint64_t number, int step) {
            return to_text(api::record_guid(operation, bulk::row_number{number},
                                            bulk::step_index{static_cast<std::int16_t>(step)}));
        };
        expect(row(1, 0) == row(1, 0));
        expect(row(1, 0) == "06069c98-fd13-8137-822a-0c7d21696c9d") << row(1, 0);
        const auto entry =
            to_text(api::retry_guid(operation, bulk::row_number{1}, bulk::step_index{0}, 0));
        expect(entry == "089b5bf3-6f7d-8aef-9e32-3ebb19350f2e") << entry;
        std::set<std::string> all{entry};
        for (std::uint64_t number = 0; number < 2000; ++number)
            for (int step = -1; step < 4; ++step) {
                all.insert(row(number, step));
                for (std::uint32_t attempt = 0; attempt < 3; ++attempt)
                    all.insert(to_text(api::retry_guid(
                        operation, bulk::row_number{number},
                        bulk::step_index{static_cast<std::int16_t>(step)}, attempt)));
            }
        expect(all.size() == 40'000U) << "no two are the same";
        for (const auto& each : all)
            expect(fatal(each.size() == 36_u and each[14] == '8' and
                         std::string{"89ab"}.contains(each[19])))
                << each;
    };

    "a file has its own id, one that is derived, or zeros"_test = [] {
        const auto file = [](std::string_view id) { return to_text(api::file_guid(id)); };
        expect(file("01890000-0000-7000-8000-00000000ABCD") ==
               "01890000-0000-7000-8000-00000000abcd");
        expect(file("") == "00000000-0000-0000-0000-000000000000");
        expect(file("7") == file("7") and file("7") != file("8"));
        expect(bulk::parse_uuid(file("some file")).has_value());
    };
};

int main() {}
