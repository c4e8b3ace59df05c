#include <bulk/engine/parking.hpp>

#include <support/ut.hpp>

#include <atomic>
#include <chrono>
#include <semaphore>
#include <thread>

using namespace boost::ut;
using namespace std::chrono_literals;

namespace {

/// A thread that sleeps once.
class sleeper {
public:
    sleeper(bulk::parking& idle, bool has_work)
        : idle_{idle}, thread_{[this, has_work] {
              was_woken_ = idle_.sleep([&] {
                  looks_.release();
                  return has_work;
              });
              is_awake_.release();
          }} {}
    ~sleeper() { idle_.close(); }
    sleeper(const sleeper&) = delete;
    sleeper& operator=(const sleeper&) = delete;

    [[nodiscard]] bool has_looked() { return looks_.try_acquire_for(30s); }
    [[nodiscard]] bool is_awake() { return is_awake_.try_acquire_for(30s); }
    [[nodiscard]] bool was_woken() const { return was_woken_; }

private:
    bulk::parking& idle_;
    std::counting_semaphore<> looks_{0}, is_awake_{0};
    std::atomic<bool> was_woken_{false};
    std::jthread thread_;
};

suite<"parking"> parkings = [] {
    "whoever finds work in the last moment does not sleep"_test = [] {
        bulk::parking idle;
        sleeper one{idle, true};
        expect(one.is_awake() and one.was_woken());
        expect(!idle.wake_one()) << "and is not counted as one who sleeps";
    };

    "each wake wakes one, and nobody twice"_test = [] {
        bulk::parking idle;
        expect(!idle.wake_one()) << "nobody sleeps";
        sleeper one{idle, false}, two{idle, false};
        expect(fatal(one.has_looked() and two.has_looked()));
        int woken = 0;
        while (woken < 2) woken += idle.wake_one() ? 1 : 0;  // they sleep as soon as they looked
        expect(!idle.wake_one()) << "two were woken, though neither may run yet";
        expect(one.is_awake() and two.is_awake());
        expect(one.was_woken() and two.was_woken());
    };

    "at the end all wake, and nobody sleeps any more"_test = [] {
        bulk::parking idle;
        sleeper one{idle, false};
        expect(fatal(one.has_looked()));
        idle.close();
        expect(one.is_awake() and !one.was_woken());
        expect(!idle.sleep([] { return true; })) << "not even for work";
    };
};

}  // namespace

int main() {}
