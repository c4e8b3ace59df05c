// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/log.hpp>

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace bulk::cli {

/// Log entries on their way from the threads of a service to the one that prints. Shared: a step
/// that never returns may still log when the program has gone on.
class log_queue {
public:
    /// Takes entries from this level on.
    [[nodiscard]] static log_handler handler(const std::shared_ptr<log_queue>& queue,
                                             log_level least) {
        return [queue, least](const log_entry& entry) {
            if (entry.level >= least) queue->push(to_text(entry));
        };
    }

    [[nodiscard]] std::vector<std::string> take() {
        const std::scoped_lock lock{mutex_};
        if (dropped_ > 0)
            lines_.push_back("and " + std::to_string(std::exchange(dropped_, 0)) +
                             " more like that");
        return std::exchange(lines_, {});
    }

private:
    void push(std::string line) {
        constexpr std::size_t most = 1000;  // a storage that is gone says so for every batch
        const std::scoped_lock lock{mutex_};
        if (lines_.size() < most)
            lines_.push_back(std::move(line));
        else
            ++dropped_;
    }

    std::mutex mutex_;
    std::vector<std::string> lines_;
    std::size_t dropped_ = 0;
};

}  // namespace bulk::cli
