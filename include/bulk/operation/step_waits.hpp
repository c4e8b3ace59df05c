// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/operation/wait_request.hpp>

#include <atomic>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

namespace bulk {

/// What a step that is a coroutine and whoever resumes it have in common: what it waits for, and
/// what it was told so far. After a restart it begins anew and is told the same again, in order.
class step_waits : public std::enable_shared_from_this<step_waits> {
public:
    /// Something of the user's own, which ends when it ends.
    struct outside {};
    using wait = std::variant<std::monostate, sleep_request, signal_request, outside>;

    step_waits() = default;
    step_waits(const step_waits&) = delete;
    step_waits& operator=(const step_waits&) = delete;

    // --- for the coroutine ---

    /// The answer that it got before the restart, if it had come this far.
    [[nodiscard]] std::optional<wait_answer> replayed() {
        if (at_ == told_.size()) return std::nullopt;
        return told_[at_++];
    }
    void suspend(std::coroutine_handle<> where, wait what) {
        resume_at_ = where;
        waiting_ = std::move(what);
    }
    [[nodiscard]] const wait_answer& last_answer() const { return told_.back(); }

    /// What was waited for outside has come. From any thread.
    void arrive() {
        if (meeting_.exchange(meeting::arrived) == meeting::parked && on_arrival_) on_arrival_();
    }

    // --- for whoever resumes it ---

    void replay(std::vector<wait_answer> told) { told_ = std::move(told); }
    [[nodiscard]] const wait& waiting() const { return waiting_; }
    [[nodiscard]] const std::vector<wait_answer>& told() const { return told_; }

    void answer(wait_answer said) {
        told_.push_back(std::move(said));
        at_ = told_.size();
    }

    void resume(std::coroutine_handle<> first) {
        const auto where = std::exchange(resume_at_, {});
        waiting_ = {};
        meeting_ = meeting::none;
        (where ? where : first).resume();
    }

    /// The row is parked until `arrive`, which calls `on_arrival`; false if it has come already.
    [[nodiscard]] bool park(std::function<void()> on_arrival) {
        on_arrival_ = std::move(on_arrival);
        return meeting_.exchange(meeting::parked) != meeting::arrived;
    }

private:
    enum class meeting : std::uint8_t { none, arrived, parked };

    std::coroutine_handle<> resume_at_;
    wait waiting_;
    std::vector<wait_answer> told_;
    std::size_t at_ = 0;  ///< the next of them to be told again
    std::function<void()> on_arrival_;
    std::atomic<meeting> meeting_{meeting::none};
};

}  // namespace bulk
