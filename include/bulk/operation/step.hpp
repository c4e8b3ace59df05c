// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/error.hpp>
#include <bulk/core/names.hpp>
#include <bulk/core/retry.hpp>
#include <bulk/operation/context.hpp>
#include <bulk/operation/member_names.hpp>
#include <bulk/operation/outcome.hpp>
#include <bulk/operation/step_options.hpp>

#include <boost/hana/tuple.hpp>

#include <concepts>
#include <string>
#include <type_traits>
#include <utility>

namespace bulk {

/// A class that can be a step: it has a name and can be executed.
template <typename Step, typename Row, typename Metadata>
concept step_class = requires(Step& step, const Row& row, const Metadata& metadata, context& ctx) {
    { Step::options } -> std::convertible_to<const step_options&>;
    { step.execute(row, metadata, ctx) } -> step_result;
};

/// A step that is asked, after `execute`, whether it is complete.
template <typename Step, typename Row, typename Metadata>
concept polled_step =
    step_class<Step, Row, Metadata> &&
    requires(Step& step, const Row& row, const Metadata& metadata, context& ctx) {
        requires std::same_as<decltype(step.is_complete(row, metadata, ctx)), bool> ||
                     std::same_as<decltype(step.is_complete(row, metadata, ctx)), result<bool>>;
    };

/// A step that is completed, after `execute`, from outside, by the key that it names.
template <typename Step, typename Row, typename Metadata>
concept signalled_step = step_class<Step, Row, Metadata> &&
                         requires(Step& step, const Row& row, const Metadata& metadata) {
                             std::string{step.signal_key(row, metadata)};
                         };

template <typename Step, typename Row, typename Metadata>
[[nodiscard]] consteval step_kind kind_of_step() {
    if (polled_step<Step, Row, Metadata>) return step_kind::polled;
    if (signalled_step<Step, Row, Metadata>) return step_kind::signalled;
    return step_kind::plain;
}

/// What an operation's `steps()` returns.
template <typename... Steps>
struct step_list {
    boost::hana::tuple<Steps...> steps;
};

/// The class steps of an operation, in the order in which they run unless their `order` says
/// otherwise.
template <typename... Steps>
[[nodiscard]] constexpr step_list<Steps...> steps(Steps... each) {
    static_assert((true && ... && std::movable<Steps>),
                  "bulk::steps(...): a step class must be movable; hold what is not by pointer");
    return {boost::hana::tuple<Steps...>{std::move(each)...}};
}

/// The sentences for class steps that cannot work; whether there is enough right to go on.
template <typename Step, typename Row, typename Metadata>
[[nodiscard]] consteval bool check_class_step() {
    constexpr bool has_options = requires {
        requires std::same_as<decltype(Step::options), const step_options>;
        requires Step::options.max_retries == Step::options.max_retries;  // a constant
    };
    static_assert(!std::is_final_v<Step>, "bulk::steps(...): a step class cannot be final");
    static_assert(has_options,
                  "bulk::steps(...): a step class needs "
                  "'static constexpr bulk::step_options options{.name = \"...\"};'");
    static_assert(!has_options || step_class<Step, Row, Metadata>,
                  "bulk::steps(...): a step class needs execute(const row&, const metadata&, "
                  "bulk::context&) that returns void, bulk::result<> or bulk::outcome");
    static_assert(!names_is_complete<Step> || !step_class<Step, Row, Metadata> ||
                      polled_step<Step, Row, Metadata>,
                  "bulk::steps(...): is_complete takes (const row&, const metadata&, "
                  "bulk::context&) and returns bool or bulk::result<bool>");
    static_assert(!names_signal_key<Step> || !step_class<Step, Row, Metadata> ||
                      signalled_step<Step, Row, Metadata>,
                  "bulk::steps(...): signal_key takes (const row&, const metadata&) and returns a "
                  "string");
    static_assert(!(polled_step<Step, Row, Metadata> && signalled_step<Step, Row, Metadata>),
                  "bulk::steps(...): a step is polled or signalled, not both; drop is_complete or "
                  "signal_key");
    if constexpr (!step_class<Step, Row, Metadata>) {
        return false;
    } else {
        constexpr step_options options = Step::options;
        constexpr step_kind kind = kind_of_step<Step, Row, Metadata>();
        static_assert(!is_blank(options.name), "bulk::steps(...): a step needs a name");
        static_assert(options.max_retries >= 0,
                      "bulk::steps(...): max_retries cannot be negative; 0 means one try");
        static_assert(is_valid(options.backoff),
                      "bulk::steps(...): a back-off needs base >= 0, a cap from base to a year, a "
                      "factor from 1 to 1000 and a jitter from 0 to 1");
        static_assert(!options.poll_interval || options.poll_interval->count() > 0,
                      "bulk::steps(...): poll_interval must be longer than 0");
        static_assert(!options.timeout || options.timeout->count() > 0,
                      "bulk::steps(...): timeout must be longer than 0");
        static_assert(!options.poll_interval || kind == step_kind::polled,
                      "bulk::steps(...): poll_interval is for polled steps; add is_complete");
        static_assert(!options.timeout || kind != step_kind::plain,
                      "bulk::steps(...): timeout is for steps that wait; add is_complete or "
                      "signal_key");
        static_assert(kind != step_kind::polled || options.timeout,
                      "bulk::steps(...): a polled step needs a time-out; add .timeout to its "
                      "options");
        return true;
    }
}

}  // namespace bulk
