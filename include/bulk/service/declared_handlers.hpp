// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/event.hpp>
#include <bulk/operation/description.hpp>
#include <bulk/operation/registry.hpp>
#include <bulk/service/subscriptions.hpp>

#include <concepts>
#include <memory>
#include <tuple>
#include <utility>

namespace bulk {

/// An operation that says itself who hears of it: `auto handlers() { return std::tuple{…}; }`.
template <typename Op>
concept lists_handlers = requires(Op& op) { std::tuple_size<decltype(op.handlers())>::value; };

namespace detail {

template <typename Handler>
consteval bool is_event_handler() {
    return std::invocable<Handler&, const event&> ||
           requires(Handler& h, const event& e) { h.on_created(e); } ||
           requires(Handler& h, const event& e) { h.on_status_changed(e); } ||
           requires(Handler& h, const event& e) { h.on_completed(e); } ||
           requires(Handler& h, const event& e) { h.on_failed(e); } ||
           requires(Handler& h, const event& e) { h.on_cancelled(e); } ||
           requires(Handler& h, const event& e) { h.on_row_failed(e); };
}

}  // namespace detail

/// Tells a handler what it wants to hear: everything, if it can be called with an event; else the
/// kinds for which it has a function.
template <typename Handler>
void tell_handler(Handler& handler, const event& what) {
    static_assert(detail::is_event_handler<Handler>(),
                  "handlers(): a handler is called with (const bulk::event&), or has some of "
                  "on_created, on_status_changed, on_completed, on_failed, on_cancelled and "
                  "on_row_failed, each taking (const bulk::event&)");
    if constexpr (std::invocable<Handler&, const event&>) {
        handler(what);
    } else {
        switch (what.kind) {
            case event_kind::created:
                if constexpr (requires { handler.on_created(what); }) handler.on_created(what);
                break;
            case event_kind::status_changed:
                if constexpr (requires { handler.on_status_changed(what); })
                    handler.on_status_changed(what);
                break;
            case event_kind::completed:
                if constexpr (requires { handler.on_completed(what); }) handler.on_completed(what);
                break;
            case event_kind::failed:
                if constexpr (requires { handler.on_failed(what); }) handler.on_failed(what);
                break;
            case event_kind::cancelled:
                if constexpr (requires { handler.on_cancelled(what); }) handler.on_cancelled(what);
                break;
            case event_kind::row_failed:
                if constexpr (requires { handler.on_row_failed(what); })
                    handler.on_row_failed(what);
                break;
            default:  // of a feed's run
                break;
        }
    }
}

/// Subscribes the handlers that an operation lists, each on its own: one that throws takes nothing
/// from the others.
template <typename Op>
void subscribe_declared(subscriptions& events) {
    if constexpr (lists_handlers<Op>) {
        struct state {
            Op operation{};
            decltype(std::declval<Op&>().handlers()) handlers = operation.handlers();
        };
        const auto all = std::make_shared<state>();
        [&]<std::size_t... I>(std::index_sequence<I...>) {
            (events.add(concat("handler ", I, " of ", description_of<Op>.name),
                        [all](const event& what) {
                            if (!is_of_run(what.kind) &&
                                what.operation_name == description_of<Op>.name)
                                tell_handler(std::get<I>(all->handlers), what);
                        }),
             ...);
        }(std::make_index_sequence<std::tuple_size_v<decltype(all->handlers)>>{});
    }
}

}  // namespace bulk
