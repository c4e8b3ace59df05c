// The small values of core/: ids, names, text, counters, back-off, clocks.
#include <bulk/core/clock.hpp>
#include <bulk/core/concat.hpp>
#include <bulk/core/growing_histogram.hpp>
#include <bulk/core/histogram.hpp>
#include <bulk/core/id.hpp>
#include <bulk/core/names.hpp>
#include <bulk/core/retry.hpp>
#include <bulk/core/row_counters.hpp>
#include <bulk/core/uuid.hpp>

#include <support/ut.hpp>

#include <array>
#include <limits>

using namespace boost::ut;
using namespace std::chrono_literals;
using namespace std::string_literals;

namespace {

suite<"ids"> ids = [] {
    "an id round-trips through its text"_test = [] {
        const bulk::operation_id id{{.high = 0x0192'3456'789a'7bcd, .low = 0x8123'4567'89ab'cdef}};
        expect(to_text(id) == "01923456-789a-7bcd-8123-456789abcdef"s);
        expect(bulk::parse_operation_id(to_text(id)).value() == id);
        expect(bulk::parse_operation_id("01923456-789A-7BCD-8123-456789ABCDEF").value() == id);
    };

    "what is no id is refused with the form it takes"_test = [] {
        for (const auto* text :
             {"", "x", "01923456-789a-7bcd-8123-456789abcde",
              "01923456-789a-7bcd-8123-456789abcdefa", "01923456x789a-7bcd-8123-456789abcdef",
              "0192345g-789a-7bcd-8123-456789abcdef"}) {
            const auto parsed = bulk::parse_operation_id(text);
            expect(fatal(!parsed.has_value())) << text;
            expect(parsed.error().code == bulk::errc::invalid_argument);
            expect(parsed.error().message.contains("it takes the form")) << parsed.error().message;
        }
    };

    "a later id is greater, whatever the random bits"_test = [] {
        bulk::manual_clock clock;
        const auto early = bulk::make_uuid(clock.now(), ~0ULL, ~0ULL);
        clock.advance(1ms);
        const auto late = bulk::make_uuid(clock.now(), 0, 0);
        expect(early < late);
        expect(to_text(late)[14] == '7' and to_text(late)[19] == '8') << to_text(late);
        expect(to_text(early)[14] == '7' and to_text(early)[19] == 'b') << to_text(early);
    };
};

suite<"names"> names = [] {
    "case does not tell names apart"_test = [] {
        expect(bulk::same_name("Import-Users", "import-USERS"));
        expect(!bulk::same_name("import", "imports"));
        expect(!bulk::same_name("a[", "a{")) << "only letters have a case";
    };

    "the nearest name is suggested, a far one is not"_test = [] {
        constexpr std::array<std::string_view, 3> known{"import-users", "export", "prune"};
        static_assert(bulk::nearest_name("imprt-users", known) == "import-users");
        static_assert(bulk::nearest_name("EXPROT", known) == "export");
        static_assert(!bulk::nearest_name("billing", known));
        static_assert(!bulk::nearest_name("", known));
        expect(bulk::edit_distance("kitten", "sitting") == 3_ul);
        const std::string endless(10'000, 'x');
        expect(bulk::edit_distance(endless, "x") == 63_ul) << "long names cost no more";
        expect(!bulk::nearest_name(endless, known)) << "and are no typing errors";
    };

    "text and numbers join"_test = [] {
        expect(bulk::concat("row ", 7U, ", step ", -1, '!', "x"s, std::string_view{"y"}) ==
               "row 7, step -1!xy"s);
        expect(bulk::concat(std::numeric_limits<std::int64_t>::min()) == "-9223372036854775808"s);
    };
};

suite<"counters"> counters = [] {
    "every row is counted once"_test = [] {
        bulk::row_counters rows{.total = 4};
        bulk::count_row(rows, true);
        bulk::count_row(rows, false);
        expect(rows ==
               bulk::row_counters{.total = 4, .processed = 2, .successful = 1, .failed = 1});
        expect(bulk::percent(rows) == 50.0_d);
        expect(bulk::unprocessed(rows) == 2_ul);
    };

    "nothing known is no progress, no rows are success"_test = [] {
        expect(bulk::percent({.processed = 3}) == 0.0_d);
        expect(bulk::unprocessed({.processed = 3}) == 0_ul);
        expect(bulk::final_state({}) == bulk::operation_state::completed);
        expect(bulk::final_state({.total = 1, .failed = 1}) ==
               bulk::operation_state::completed_with_errors);
    };
};

suite<"back-off"> backoff = [] {
    "it doubles from two seconds to thirty, with up to half on top"_test = [] {
        const bulk::backoff_policy policy;
        const int seconds[] = {2, 4, 8, 16, 30, 30};
        for (int retry = 1; retry <= 6; ++retry) {
            const auto least = std::chrono::milliseconds{seconds[retry - 1] * 1000};
            expect(delay_before(policy, retry, 0) == least) << retry;
            expect(delay_before(policy, retry, 0.999'999) < least * 3 / 2) << retry;
            expect(delay_before(policy, retry, 0.5) == least * 5 / 4) << retry;
        }
        expect(delay_before(policy, std::numeric_limits<int>::max(), 0) == 30s);
    };

    "a step may choose its own"_test = [] {
        const bulk::backoff_policy policy{.base = 100ms, .factor = 3, .cap = 1s, .jitter = 0};
        expect(delay_before(policy, 1, 0.9) == 100ms);
        expect(delay_before(policy, 2, 0.9) == 300ms);
        expect(delay_before(policy, 4, 0.9) == 1s);
        expect(is_valid(policy));
        expect(!bulk::is_valid({.base = -1ms}) and !bulk::is_valid({.base = 2s, .cap = 1s}));
        expect(!bulk::is_valid({.cap = std::chrono::milliseconds::max()}));
        expect(!bulk::is_valid({.factor = 1e300}) and !bulk::is_valid({.jitter = 2}));
        const bulk::backoff_policy flat{.base = 0ms, .factor = 1};
        expect(delay_before(flat, std::numeric_limits<int>::max(), 0.5) == 0ms) << "at once";
        expect(!bulk::is_valid({.factor = 0.9}) and !bulk::is_valid({.jitter = -0.1}));
    };
};

suite<"histogram"> histograms = [] {
    "each time is in the bucket that ends at it or above, and not in the one before"_test = [] {
        using bulk::histogram;
        for (std::int64_t micros = 1; micros < 100'000; ++micros) {
            const auto bucket = histogram::bucket_of(std::chrono::microseconds{micros});
            expect(histogram::upper_bound(bucket).count() >= micros);
            expect(bucket == 0 or histogram::upper_bound(bucket - 1).count() < micros);
        }
        expect(histogram::bucket_of(std::chrono::hours{24 * 365}) == histogram::buckets - 1);
    };

    "a quantile is off by less than an eighth"_test = [] {
        for (const std::int64_t longest : {10, 900, 50'000, 3'000'000}) {
            bulk::growing_histogram grows;
            for (std::int64_t i = 1; i <= 1000; ++i)
                grows.add(std::chrono::microseconds{i * longest / 1000});
            const auto all = grows.value();
            for (const double share : {0.1, 0.5, 0.95, 0.99}) {
                const double exact = share * static_cast<double>(longest);
                const auto found = static_cast<double>(all.quantile(share).count());
                expect(found > exact * 0.875 - 1 and found < exact * 1.125 + 1)
                    << longest << share << found;
            }
        }
        expect(bulk::histogram{}.quantile(0.5) == 0us) << "of nothing";
    };

    "median and 95 % of times that differ by half differ"_test = [] {
        bulk::growing_histogram grows;
        grows.add(300us, 90);
        grows.add(450us, 10);
        expect(grows.value().quantile(0.5) < 330us and grows.value().quantile(0.95) > 400us);
    };
};

suite<"clock"> clocks = [] {
    "a hand-wound clock moves only by hand"_test = [] {
        bulk::manual_clock clock{bulk::timestamp{5s}};
        expect(clock.now() == bulk::timestamp{5s} and clock.now() == clock.now());
        clock.advance(250us);
        expect(clock.now() == bulk::timestamp{5s + 250us});
    };

    "the system's clock knows what century it is"_test = [] {
        expect(bulk::system_clock{}.now() >
               bulk::timestamp{std::chrono::sys_days{std::chrono::year{2024} / 1 / 1}});
    };
};

}  // namespace

int main() {}
