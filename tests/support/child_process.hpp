// This program again, in a process of its own that can be killed.
#pragma once

#include <chrono>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <csignal>

namespace support {

/// Sanitizers make everything slower, some of it much.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
inline constexpr int slower = 5;
#else
inline constexpr int slower = 1;
#endif
#else
inline constexpr int slower = 1;
#endif

class child_process {
public:
    explicit child_process(std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), "child");
        std::vector<char*> pointers;
        for (auto& each : arguments) pointers.push_back(each.data());
        pointers.push_back(nullptr);
        id_ = ::fork();
        if (id_ < 0) throw std::runtime_error{"no process could be started"};
        if (id_ > 0) return;
        const rlimit none{0, 0};
        ::setrlimit(RLIMIT_CORE, &none);  // they are meant to die
        ::execv("/proc/self/exe", pointers.data());
        ::_exit(127);
    }
    child_process(child_process&& other) noexcept : id_{std::exchange(other.id_, -1)} {}
    child_process& operator=(child_process&&) = delete;
    ~child_process() {
        if (id_ > 0) (void)kill();
    }

    /// Whether it is over, by itself.
    [[nodiscard]] bool has_ended() {
        return id_ < 0 || (::waitpid(id_, &status_, WNOHANG) == id_ && (id_ = -1, true));
    }
    /// Waits for its end.
    int wait() {
        if (id_ > 0) ::waitpid(std::exchange(id_, -1), &status_, 0);
        return status_;
    }
    int kill() {
        if (id_ > 0) ::kill(id_, SIGKILL);
        return wait();
    }

    /// As `waitpid` gives it.
    [[nodiscard]] int status() const { return status_; }

private:
    pid_t id_ = -1;
    int status_ = 0;
};

/// When it is the moment of a kill that is given, not a condition that is waited for.
inline void pass_time(std::chrono::microseconds time) {
    timespec left{.tv_sec = static_cast<time_t>(time.count() / 1'000'000),
                  .tv_nsec = static_cast<long>(time.count() % 1'000'000 * 1'000)};
    while (::nanosleep(&left, &left) != 0) {
    }
}

}  // namespace support
