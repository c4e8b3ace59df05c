// What the log says of a storage that fails.
#include <bulk/run/failure_log.hpp>

#include <support/ut.hpp>

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

using namespace boost::ut;
using namespace std::chrono_literals;

namespace {

struct fixture {
    std::vector<std::string> lines;
    bulk::log_handler handler = [this](const bulk::log_entry& entry) {
        lines.push_back(to_text(entry));
    };
    bulk::failure_log log{handler};
    bulk::timestamp now{1h};

    /// A failure every 100 ms.
    void fail_for(std::chrono::seconds time, const std::string& message = "disk full") {
        for (const auto end = now + time; now < end; now += 100ms) log.failed(message, now);
    }
};

suite<"failure log"> log_lines = [] {
    "the first failure is logged, then ever fewer, with how many were not"_test = [] {
        fixture at;
        at.fail_for(80s);
        expect(at.lines == std::vector<std::string>{
                               "storage failed why=disk full times=1",
                               "storage failed why=disk full times=100",
                               "storage failed why=disk full times=200",
                               "storage failed why=disk full times=400",
                           });
        at.fail_for(24h);
        expect(at.lines.size() < 4 + 24 * 3600 / 640 + 6) << at.lines.size();
    };

    "another message is logged at once, and the first one is still not news"_test = [] {
        fixture at;
        at.log.failed("disk full", at.now);
        at.log.failed("locked", at.now, {{"operation", "7"}});
        at.log.failed("disk full", at.now);
        expect(at.lines == std::vector<std::string>{
                               "storage failed why=disk full times=1",
                               "storage failed operation=7 why=locked times=1",
                           });
    };

    "messages that are another one each time are not logged each time"_test = [] {
        fixture at;
        for (int i = 0; i < 1000; ++i) at.log.failed("held since " + std::to_string(i), at.now);
        expect(at.lines.size() == bulk::failure_log::most_messages);
    };

    "the end is logged once, and a failure later is news"_test = [] {
        fixture at;
        at.log.worked(at.now);
        expect(at.lines.empty()) << "nothing had failed";
        at.fail_for(5s);
        at.log.worked(at.now);
        at.log.worked(at.now);
        at.now += bulk::failure_log::first_interval;
        at.fail_for(1s);
        expect(at.lines == std::vector<std::string>{
                               "storage failed why=disk full times=1",
                               "storage recovered seconds=5",
                               "storage failed why=disk full times=1",
                           });
    };

    "a storage that fails now and then is logged at most every ten seconds"_test = [] {
        fixture at;
        for (int i = 0; i < 600; ++i, at.now += 100ms) {
            at.log.failed("disk full", at.now);
            at.log.worked(at.now);
        }
        expect(at.lines.size() == 12_u) << "six failures in a minute, and the end of each";
    };
};

}  // namespace

int main() {}
