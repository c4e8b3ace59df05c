// Calls to the system that fail, or end the process, where a test wants them to.
#pragma once

#include <bulk/storage/files/system_calls.hpp>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <string_view>

namespace support {

/// What happens at which call.
struct call_plan {
    std::function<int(std::string_view call)> fault{};  ///< the error of this call; 0: it is made
    std::size_t most_at_once = std::numeric_limits<std::size_t>::max();  ///< bytes, of a write
    int calls = 0;

    /// The `at`th call, counted from 1 and from now on, has this error, and only that one.
    void fail_once(int at, int code) {
        calls = 0;
        fault = [this, at, code](std::string_view) { return calls == at ? code : 0; };
    }
    /// Before the `at`th call something happens.
    void interrupt(int at, std::function<void()> what) {
        calls = 0;
        fault = [this, at, what = std::move(what)](std::string_view) {
            if (calls == at) what();
            return 0;
        };
    }
};

struct faulty_calls {
    std::shared_ptr<call_plan> plan = std::make_shared<call_plan>();
    bulk::files::system_calls real{};

    int open(const char* path, int flags, mode_t mode) const {
        return fails("open") ? -1 : real.open(path, flags, mode);
    }
    int close(int file) const { return real.close(file); }
    ssize_t write(int file, const char* from, std::size_t size) const {
        return fails("write") ? -1 : real.write(file, from, std::min(size, plan->most_at_once));
    }
    ssize_t pread(int file, char* into, std::size_t size, off_t at) const {
        return fails("pread") ? -1 : real.pread(file, into, size, at);
    }
    int fstat(int file, struct stat* about) const {
        return fails("fstat") ? -1 : real.fstat(file, about);
    }
    int fsync(int file) const { return fails("fsync") ? -1 : real.fsync(file); }
    int lock(int file) const { return fails("lock") ? -1 : real.lock(file); }
    int mkdir(const char* path, mode_t mode) const {
        return fails("mkdir") ? -1 : real.mkdir(path, mode);
    }
    int rename(const char* from, const char* to) const {
        return fails("rename") ? -1 : real.rename(from, to);
    }
    int unlink(const char* path) const { return fails("unlink") ? -1 : real.unlink(path); }
    int rmdir(const char* path) const { return fails("rmdir") ? -1 : real.rmdir(path); }

private:
    [[nodiscard]] bool fails(std::string_view call) const {
        ++plan->calls;
        const int code = plan->fault ? plan->fault(call) : 0;
        if (code != 0) errno = code;
        return code != 0;
    }
};

}  // namespace support
