// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/cli/invocation.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/event.hpp>
#include <bulk/service/subscriptions.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace bulk::cli {

/// What a worker works on from its opening to its shutdown: the operations of a program, or its feeds.
class workplace {
public:
    workplace() = default;
    workplace(const workplace&) = delete;
    workplace& operator=(const workplace&) = delete;
    virtual ~workplace() = default;

    virtual void subscribe(event_handler handler) = 0;
    /// Of everything in the storage.
    virtual result<std::vector<event>> events(std::optional<std::uint64_t> after) = 0;
    /// Whether something is under way that this program can bring to its end.
    virtual result<bool> is_busy() = 0;
    virtual result<> shutdown() = 0;
};

using open_workplace = std::function<result<std::unique_ptr<workplace>>(const invocation&)>;

}  // namespace bulk::cli
