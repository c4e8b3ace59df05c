#include <bulk/core/signal.hpp>

#include <support/ut.hpp>

#include <string>
#include <string_view>

using namespace boost::ut;
using namespace std::string_literals;

namespace {

suite<"signal"> signals = [] {
    const bulk::operation_id id =
        bulk::parse_operation_id("01234567-89ab-cdef-0123-456789abcdef").value();

    "a full key names operation, key and row, and is read back"_test = [&] {
        for (const auto key : {"a", "carrier-1", "a:b:c", ":", " "}) {
            const auto full = bulk::full_signal_key(id, key, bulk::row_number{7});
            expect(full == to_text(id) + ':' + key + ":7");
            const auto read = bulk::parse_signal_key(full);
            expect(fatal(read.has_value())) << full;
            expect(*read == bulk::signal{.operation = id, .key = key, .row = bulk::row_number{7}});
        }
    };

    "what is no full key is refused"_test = [&] {
        const auto text = to_text(id);
        for (const auto& full :
             {""s, "key"s, text, text + ":key", text + ":key:", text + ":key:0", text + ":key:-1",
              text + ":key:1x", text + ":key: 1", text + ":key:99999999999999999999",
              "not-an-id:key:1"s, ":key:1"s}) {
            const auto read = bulk::parse_signal_key(full);
            expect(fatal(!read.has_value())) << full;
            expect(read.error().code == bulk::errc::invalid_argument);
        }
    };
};

}  // namespace

int main() {}
