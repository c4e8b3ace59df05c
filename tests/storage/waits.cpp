#include <bulk/storage/waits.hpp>

#include <support/ut.hpp>

#include <chrono>
#include <cstdint>
#include <string>

using namespace boost::ut;
using namespace std::chrono_literals;

namespace {

struct wait {
    std::string key, before;
    std::uint32_t attempt = 0;

    [[nodiscard]] const std::string& signal_key() const { return key; }
    [[nodiscard]] const std::string& journal() const { return before; }
    [[nodiscard]] std::uint32_t retry_attempt() const { return attempt; }
};

const bulk::row_record waiting{.state = bulk::row_state::waiting_for_completion,
                               .retry_attempt = 2,
                               .signal_key = "key",
                               .journal = "j"};

suite<"waits"> waits = [] {
    "a record with a key waits for a signal until it is over"_test = [] {
        auto record = waiting;
        expect(bulk::awaits_signal(record));
        record.signal_key.clear();
        expect(not bulk::awaits_signal(record)) << "it is polled";
        record = waiting;
        record.state = bulk::row_state::completed;
        expect(not bulk::awaits_signal(record));
    };

    "the same key, journal and attempt are the same wait"_test = [] {
        expect(bulk::continues(wait{"key", "j", 2}, waiting));
        expect(not bulk::continues(wait{"other", "j", 2}, waiting));
        expect(not bulk::continues(wait{"key", "", 2}, waiting));
        expect(not bulk::continues(wait{"key", "j", 1}, waiting));
        auto ended = waiting;
        ended.state = bulk::row_state::failed;
        expect(not bulk::continues(wait{"key", "j", 2}, ended));
    };

    "a wait is over at its deadline, and long over when every clock says so"_test = [] {
        const bulk::timestamp now{1h};
        expect(not bulk::is_over(std::nullopt, now) and not bulk::is_long_over(std::nullopt, now));
        expect(bulk::is_over(now, now) and not bulk::is_over(now + 1us, now));
        expect(not bulk::is_long_over(now, now));
        expect(bulk::is_long_over(now - bulk::clock_difference, now));
    };
};

}  // namespace

int main() {}
