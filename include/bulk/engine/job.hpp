// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>
#include <memory>
#include <type_traits>
#include <utility>

namespace bulk {

/// Something to be done once, by whichever thread has time. It handles what it throws itself: an executor with
/// threads of its own goes on with the next job, and tells nobody.
class job {
public:
    job() = default;

    template <typename Call>
        requires(!std::same_as<std::remove_cvref_t<Call>, job> && std::invocable<Call&>)
    explicit job(Call call) : call_{std::make_unique<model<Call>>(std::move(call))} {}

    [[nodiscard]] explicit operator bool() const { return call_ != nullptr; }

    void operator()() {
        const auto call = std::move(call_);
        call->run();
    }

private:
    struct interface {
        interface() = default;
        interface(const interface&) = delete;
        interface& operator=(const interface&) = delete;
        virtual ~interface() = default;
        virtual void run() = 0;
    };
    template <typename Call>
    struct model final : interface {
        explicit model(Call call) : call{std::move(call)} {}
        void run() override { call(); }
        Call call;
    };

    std::unique_ptr<interface> call_;
};

}  // namespace bulk
