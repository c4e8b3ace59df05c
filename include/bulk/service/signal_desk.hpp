// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/limits.hpp>
#include <bulk/core/signal.hpp>
#include <bulk/storage/any_storage.hpp>

#include <chrono>
#include <utility>

namespace bulk {

/// Takes in signals from outside: checked, cut to size, and stored before anybody is told that they
/// have come.
class signal_desk {
public:
    signal_desk(any_storage& storage, std::chrono::milliseconds early_ttl)
        : storage_{storage}, early_ttl_{early_ttl} {}

    [[nodiscard]] result<signal_receipt> accept(const signal& sent, timestamp now) {
        return send(sent, now, now + early_ttl_);
    }

    /// Only for a row that waits now: a signal that no row waits for is not kept.
    [[nodiscard]] result<signal_receipt> accept_awaited(const signal& sent, timestamp now) {
        // One transaction decides; a signal that has expired long ago is never given to anybody.
        auto receipt = send(sent, now, timestamp{});
        if (receipt && receipt->is_kept)
            return fail(errc::not_found, concat("no step waits for signal key '", sent.key, '\''));
        return receipt;
    }

private:
    [[nodiscard]] result<signal_receipt> send(signal sent, timestamp now, timestamp keep_until) {
        if (sent.key.empty())
            return fail(errc::invalid_argument, "the key of a signal cannot be empty");
        if (sent.key.size() > longest_signal_key)
            return fail(errc::invalid_argument,
                        concat("the key of a signal has ", sent.key.size(), " bytes; the limit is ",
                               longest_signal_key));
        if (sent.failure) sent.failure = cut_message(std::move(*sent.failure));
        sent.sent_at = now;
        return storage_.send(sent, keep_until);
    }

    any_storage& storage_;
    std::chrono::milliseconds early_ttl_;
};

}  // namespace bulk
