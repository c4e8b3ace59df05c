// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/engine/executor.hpp>
#include <bulk/http/message.hpp>
#include <bulk/http/server/answer_gate.hpp>
#include <bulk/http/server/fair_slots.hpp>
#include <bulk/http/server/stream_desk.hpp>
#include <bulk/http/server_options.hpp>

#include <algorithm>
#include <atomic>
#include <memory>
#include <string_view>
#include <type_traits>
#include <utility>

namespace bulk::http {

/// What all connections of a server share.
struct shared_server {
    shared_server(std::shared_ptr<application> answers, server_options limits, executor& waiting,
                  executor& searching)
        : app{std::move(answers)},
          options{std::move(limits)},
          gate{options.threads},
          queries{options.max_queries, std::max(options.max_queries / 2, 1)},
          commands{options.max_queries, std::max(options.max_queries / 2, 1)},
          desk{options},
          streams{waiting},
          work{searching} {}

    const std::shared_ptr<application> app;
    const server_options options;
    answer_gate gate;
    fair_slots queries;
    fair_slots commands;
    stream_desk desk;
    executor& streams;                 ///< threads that wait for bodies
    executor& work;                    ///< threads of queries and commands
    std::atomic<int> connections = 0;  ///< that are served
    std::atomic<int> listeners = 0;
    std::atomic<bool> is_stopping = false;

    /// What an application says, even one that throws against its contract: nothing of a user's may end
    /// the process.
    template <typename Call>
    [[nodiscard]] std::invoke_result_t<Call> guarded(Call call) {
        try {
            return call();
        } catch (...) {
            return refusal(500, "the program met an error while it answered");
        }
    }

    [[nodiscard]] response refusal(int status, std::string_view why) {
        try {
            return app->refuse(status, why);
        } catch (...) {
            return response{.status = status};
        }
    }
};

/// One of a number that is limited, for as long as it lives.
class slot {
public:
    slot() = default;
    slot(std::atomic<int>& count, int most) {
        if (count.fetch_add(1) < most)
            count_ = &count;
        else
            count.fetch_sub(1);
    }
    slot(slot&& other) noexcept : count_{std::exchange(other.count_, nullptr)} {}
    slot& operator=(slot&& other) noexcept {
        std::swap(count_, other.count_);
        return *this;
    }
    ~slot() {
        if (count_ != nullptr) count_->fetch_sub(1);
    }
    [[nodiscard]] explicit operator bool() const { return count_ != nullptr; }

private:
    std::atomic<int>* count_ = nullptr;
};

}  // namespace bulk::http
