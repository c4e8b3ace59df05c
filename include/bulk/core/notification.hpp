// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/event.hpp>
#include <bulk/core/operation_record.hpp>
#include <bulk/core/recipient.hpp>

#include <functional>

namespace bulk {

/// Which trigger an event is.
[[nodiscard]] constexpr trigger trigger_of(const event& event) {
    switch (event.kind) {
        case event_kind::completed:
            return event.state == operation_state::completed ? trigger::on_completion
                                                             : trigger::on_completion_with_errors;
        case event_kind::failed:
            return trigger::on_failure;
        case event_kind::cancelled:
            return trigger::on_cancelled;
        case event_kind::status_changed:
            return trigger::on_status_change;
        default:
            return trigger::none;
    }
}

/// One message to one recipient.
struct notification {
    event what{};
    recipient to{};
    operation_record operation{};  ///< as it is now
};

/// Sends messages. May throw: that is logged, and the next recipient is told.
using notification_channel = std::function<void(const notification&)>;

}  // namespace bulk
