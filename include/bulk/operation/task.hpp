// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/error.hpp>
#include <bulk/operation/step_waits.hpp>

#include <concepts>
#include <coroutine>
#include <exception>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

namespace bulk {

template <typename T>
class task;

namespace detail {

/// Runs to its end by itself, and is gone then.
struct detached {
    struct promise_type {
        static detached get_return_object() { return {}; }
        static std::suspend_never initial_suspend() noexcept { return {}; }
        static std::suspend_never final_suspend() noexcept { return {}; }
        static void return_void() {}
        static void unhandled_exception() {}  // the only one is caught where it is awaited
    };
};

struct sleep_awaiter {
    step_waits& waits;
    sleep_request wanted;

    [[nodiscard]] bool await_ready() { return waits.replayed().has_value(); }
    void await_suspend(std::coroutine_handle<> from) { waits.suspend(from, wanted); }
    static void await_resume() {}
};

struct signal_awaiter {
    step_waits& waits;
    signal_request wanted;
    std::optional<wait_answer> before{};

    [[nodiscard]] bool await_ready() {
        before = waits.replayed();
        return before.has_value();
    }
    void await_suspend(std::coroutine_handle<> from) { waits.suspend(from, wanted); }
    [[nodiscard]] result<> await_resume() {
        const wait_answer said = before ? *before : waits.last_answer();
        if (said.what == wait_answer::kind::told_failure) return fail(said.text);
        if (said.what == wait_answer::kind::timed_out)
            return fail(errc::timed_out, "no signal came for '" + wanted.key + "' in time");
        return {};
    }
};

template <typename Awaitable>
decltype(auto) awaiter_of(Awaitable&& awaitable) {
    if constexpr (requires { std::forward<Awaitable>(awaitable).operator co_await(); })
        return std::forward<Awaitable>(awaitable).operator co_await();
    else if constexpr (requires { operator co_await(std::forward<Awaitable>(awaitable)); })
        return operator co_await(std::forward<Awaitable>(awaitable));
    else
        return std::forward<Awaitable>(awaitable);
}

/// Waits for anything that can be awaited, wherever that resumes: the step itself goes on where
/// steps run. Its result is kept in between.
template <typename Awaitable>
class outside_awaiter {
    using returned = decltype(awaiter_of(std::declval<Awaitable>()).await_resume());
    using kept =
        std::conditional_t<std::is_void_v<returned>, std::monostate,
                           std::conditional_t<std::is_reference_v<returned>,
                                              std::remove_reference_t<returned>*, returned>>;

public:
    outside_awaiter(step_waits& waits, Awaitable&& awaited)
        : waits_{waits}, awaited_{std::forward<Awaitable>(awaited)} {}

    [[nodiscard]] static bool await_ready() { return false; }
    void await_suspend(std::coroutine_handle<> from) {
        waits_.suspend(from, step_waits::outside{});
        (void)wait(*this, waits_.shared_from_this());
    }
    returned await_resume() {
        if (thrown_) std::rethrow_exception(thrown_);
        if constexpr (std::is_reference_v<returned>)
            return static_cast<returned>(**value_);
        else if constexpr (!std::is_void_v<returned>)
            return std::move(*value_);
    }

private:
    /// Holds on to what the step is made of: the run may be over when this comes back.
    static detached wait(outside_awaiter& self, std::shared_ptr<step_waits> keep) {
        try {
            if constexpr (std::is_void_v<returned>)
                co_await std::forward<Awaitable>(self.awaited_);
            else if constexpr (std::is_reference_v<returned>)
                self.value_ = &co_await std::forward<Awaitable>(self.awaited_);
            else
                self.value_.emplace(co_await std::forward<Awaitable>(self.awaited_));
        } catch (...) {
            self.thrown_ = std::current_exception();
        }
        keep->arrive();
    }

    step_waits& waits_;
    Awaitable awaited_;
    std::optional<kept> value_;
    std::exception_ptr thrown_;
};

/// What all tasks' promises have.
class task_promise {
public:
    [[nodiscard]] static std::suspend_always initial_suspend() noexcept { return {}; }
    [[nodiscard]] auto final_suspend() noexcept {
        struct back {
            static bool await_ready() noexcept { return false; }
            std::coroutine_handle<> to;
            [[nodiscard]] std::coroutine_handle<> await_suspend(
                std::coroutine_handle<>) const noexcept {
                return to ? to : std::noop_coroutine();
            }
            static void await_resume() noexcept {}
        };
        return back{caller};
    }
    void unhandled_exception() { thrown = std::current_exception(); }

    [[nodiscard]] sleep_awaiter await_transform(sleep_request wanted) const {
        return {*waits, wanted};
    }
    [[nodiscard]] signal_awaiter await_transform(signal_request wanted) const {
        return {*waits, std::move(wanted)};
    }
    template <typename T>
    [[nodiscard]] auto await_transform(task<T> inner) const {
        return std::move(inner).awaited_by(*waits);
    }
    template <typename Awaitable>
    [[nodiscard]] auto await_transform(Awaitable&& awaited) const {
        return outside_awaiter<Awaitable>{*waits, std::forward<Awaitable>(awaited)};
    }

    step_waits* waits = nullptr;
    std::coroutine_handle<> caller;
    std::exception_ptr thrown;
};

template <typename T>
class task_promise_of : public task_promise {
public:
    task<T> get_return_object();
    template <std::convertible_to<T> Value>
    void return_value(Value&& value) {
        value_.emplace(std::forward<Value>(value));
    }
    [[nodiscard]] T take() { return std::move(*value_); }

private:
    std::optional<T> value_;
};

template <>
class task_promise_of<void> : public task_promise {
public:
    task<void> get_return_object();
    static void return_void() {}
    static void take() {}
};

}  // namespace detail

/// A step, or a part of one, that is a coroutine: it may wait without holding a thread, for time,
/// for signals, for other tasks and for whatever can be awaited. It begins when it is awaited. After
/// a restart of the process it begins anew; sleeps and signals that had come to their end before are
/// answered at once, as they were, so what lies between them must be able to bear being done twice.
template <typename T = void>
class [[nodiscard]] task {
public:
    using promise_type = detail::task_promise_of<T>;
    using value_type = T;

    explicit task(std::coroutine_handle<promise_type> frame) : frame_{frame} {}
    task(task&& other) noexcept : frame_{std::exchange(other.frame_, {})} {}
    task& operator=(task&& other) noexcept {
        std::swap(frame_, other.frame_);
        return *this;
    }
    ~task() {
        if (frame_) frame_.destroy();
    }

    /// Goes on from where it stands, until it waits or ends.
    void resume(step_waits& waits) {
        frame_.promise().waits = &waits;
        waits.resume(frame_);
    }
    [[nodiscard]] bool is_done() const { return frame_.done(); }
    /// What it returned; throws what it threw. Only when done.
    T take() {
        if (frame_.promise().thrown) std::rethrow_exception(frame_.promise().thrown);
        return frame_.promise().take();
    }

    /// For a task that awaits this one.
    [[nodiscard]] auto awaited_by(step_waits& waits) && {
        struct awaiter {
            task inner;
            step_waits* waits;

            [[nodiscard]] bool await_ready() const { return !inner.frame_; }
            [[nodiscard]] std::coroutine_handle<> await_suspend(std::coroutine_handle<> from) {
                inner.frame_.promise().waits = waits;
                inner.frame_.promise().caller = from;
                return inner.frame_;
            }
            T await_resume() { return inner.take(); }
        };
        return awaiter{std::move(*this), &waits};
    }

private:
    std::coroutine_handle<promise_type> frame_;
};

template <typename T>
task<T> detail::task_promise_of<T>::get_return_object() {
    return task<T>{std::coroutine_handle<task_promise_of>::from_promise(*this)};
}
inline task<void> detail::task_promise_of<void>::get_return_object() {
    return task<void>{std::coroutine_handle<task_promise_of>::from_promise(*this)};
}

template <typename T>
inline constexpr bool is_task = false;
template <typename T>
inline constexpr bool is_task<task<T>> = true;

}  // namespace bulk
