// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/limits.hpp>
#include <bulk/core/signal.hpp>
#include <bulk/storage/concepts.hpp>

#include <chrono>
#include <utility>

namespace bulk {

/// Takes in signals from outside: checked, cut to size, and stored before anybody is told that they
/// have come.
template <signal_store Storage>
class signal_desk {
public:
    signal_desk(Storage& storage, std::chrono::milliseconds early_ttl)
        : storage_{storage}, early_ttl_{early_ttl} {}

    [[nodiscard]] result<signal_receipt> accept(signal sent, timestamp now) {
        if (sent.key.empty())
            return fail(errc::invalid_argument, "the key of a signal cannot be empty");
        if (sent.key.size() > longest_signal_key)
            return fail(errc::invalid_argument,
                        concat("the key of a signal has ", sent.key.size(), " bytes; the limit is ",
                               longest_signal_key));
        if (sent.failure) sent.failure = cut_message(std::move(*sent.failure));
        sent.sent_at = now;
        return storage_.send(sent, now + early_ttl_);
    }

private:
    Storage& storage_;
    std::chrono::milliseconds early_ttl_;
};

}  // namespace bulk
