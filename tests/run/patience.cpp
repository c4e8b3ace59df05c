#include <bulk/run/patience.hpp>

#include <support/ut.hpp>

#include <chrono>
#include <string>

using namespace boost::ut;
using namespace std::chrono_literals;
using bulk::errc;

namespace {

suite<"patience"> all = [] {
    "each wait is twice as long, up to two seconds, until a call succeeds"_test = [] {
        bulk::patience at{30s};
        std::string waits;
        for (int i = 0; i < 8; ++i) waits += std::to_string(at.next_delay().count()) + ' ';
        expect(waits == "50 100 200 400 800 1600 2000 2000 ") << waits;
        at.succeeded();
        expect(at.next_delay() == 50ms);
    };

    "it ends when somebody else has the operation, or could have it"_test = [] {
        bulk::patience at{30s};
        const bulk::timestamp begin{};
        const bulk::error down{errc::unavailable, "down"};
        at.renewed(begin + 1h);
        expect(!at.is_at_its_end(down, begin + 1h + 30s));
        expect(at.is_at_its_end(down, begin + 1h + 30s + 1us));
        at.renewed(begin + 2h);
        expect(!at.is_at_its_end(down, begin + 2h + 30s));
        for (const auto code : {errc::conflict, errc::not_found, errc::storage_lost})
            expect(at.is_at_its_end({code, "gone"}, begin + 2h));
    };
};

}  // namespace

int main() {}
