// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/core/error_type.hpp>
#include <bulk/core/id.hpp>
#include <bulk/core/row_record.hpp>
#include <bulk/core/row_state.hpp>
#include <bulk/storage/memory/packed_texts.hpp>
#include <bulk/storage/waits.hpp>

#include <array>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace bulk::memory {

/// A record apart as it is kept: a fifth of a `row_record`, since a million rows may wait. Its row
/// and step it knows only as the shelf that it stands on named them; its row id is the row's.
class kept_record {
public:
    kept_record(std::uint32_t key, const row_record& record, wait_end end)
        : key_{key},
          state_{record.state},
          failure_{record.failure ? static_cast<std::uint8_t>(*record.failure) : no_failure},
          time_is_{record.completed_at ? time::completed
                   : record.wait_until ? time::until
                                       : time::none},
          has_only_message_{record.signal_key.empty() && record.journal.empty() &&
                            record.row_data.empty() && !(record.wait_until && record.completed_at)},
          end_{end},
          attempt_{record.attempt},
          retry_attempt_{record.retry_attempt},
          started_{record.started_at ? count_of(*record.started_at) : never} {
        std::array<char, sizeof time_> both{};
        if (record.completed_at) time_ = count_of(*record.completed_at);
        if (record.wait_until && record.completed_at) {  // nobody does that, and nothing is lost
            const auto until = count_of(*record.wait_until);
            std::memcpy(both.data(), &until, sizeof until);
        } else if (record.wait_until) {
            time_ = count_of(*record.wait_until);
        }
        const bool has_both = record.wait_until && record.completed_at;
        texts_ =
            texts{{record.signal_key, record.error_message, record.journal, record.row_data,
                   has_both ? std::string_view{both.data(), both.size()} : std::string_view{}}};
    }

    [[nodiscard]] std::uint32_t key() const { return key_; }
    void set_key(std::uint32_t key) { key_ = key; }
    [[nodiscard]] row_state state() const { return state_; }
    [[nodiscard]] std::uint32_t attempt() const { return attempt_; }
    [[nodiscard]] std::uint32_t retry_attempt() const { return retry_attempt_; }
    [[nodiscard]] std::optional<error_type> failure() const {
        if (failure_ == no_failure) return std::nullopt;
        return static_cast<error_type>(failure_);
    }
    [[nodiscard]] std::string_view signal_key() const { return texts_[0]; }
    [[nodiscard]] std::string_view error_message() const { return texts_[1]; }
    [[nodiscard]] std::string_view journal() const { return texts_[2]; }
    [[nodiscard]] std::string_view row_data() const { return texts_[3]; }

    [[nodiscard]] std::optional<timestamp> started_at() const {
        if (started_ == never) return std::nullopt;
        return time_of(started_);
    }
    [[nodiscard]] std::optional<timestamp> completed_at() const {
        if (time_is_ != time::completed) return std::nullopt;
        return time_of(time_);
    }
    [[nodiscard]] std::optional<timestamp> wait_until() const {
        if (time_is_ == time::until) return time_of(time_);
        const auto both = texts_[4];
        if (both.empty()) return std::nullopt;
        std::int64_t until = 0;
        std::memcpy(&until, both.data(), sizeof until);
        return time_of(until);
    }

    /// Why no signal finds its wait any more.
    [[nodiscard]] wait_end end() const { return end_; }
    void set_end(wait_end end) { end_ = end; }

    /// Whether it waits for a signal.
    [[nodiscard]] bool is_waiting() const {
        return state_ == row_state::waiting_for_completion && !signal_key().empty();
    }

    /// Waits for another try from now on, as `bulk::reset_for_retry` says; returns the record as it
    /// was before, of its texts only the error message and the row's data.
    [[nodiscard]] kept_record reset_for_retry() {
        texts left;
        if (!has_only_message_) {  // otherwise no text is even looked at
            constexpr std::string_view none;
            left = texts{{none, none, none, row_data(), none}};
            texts_ = texts{{none, error_message(), none, row_data(), none}};
        }
        kept_record before = std::move(*this);
        state_ = row_state::pending;
        failure_ = no_failure;
        time_is_ = time::none;
        end_ = wait_end::none;
        attempt_ = 0;
        ++retry_attempt_;
        started_ = never;
        time_ = 0;
        texts_ = std::move(left);
        return before;
    }

    [[nodiscard]] row_record to_record(operation_id operation, row_number row, step_index step,
                                       std::string_view row_id) const {
        return {.operation = operation,
                .row = row,
                .step = step,
                .state = state_,
                .attempt = attempt_,
                .retry_attempt = retry_attempt_,
                .row_id = std::string{row_id},
                .failure = failure(),
                .error_message = std::string{error_message()},
                .signal_key = std::string{signal_key()},
                .journal = std::string{journal()},
                .row_data = std::string{row_data()},
                .started_at = started_at(),
                .completed_at = completed_at(),
                .wait_until = wait_until()};
    }

private:
    using texts = packed_texts<5>;
    enum class time : std::uint8_t { none, completed, until };
    static constexpr std::uint8_t no_failure = 0xff;
    static constexpr std::int64_t never = std::numeric_limits<std::int64_t>::min();

    static std::int64_t count_of(timestamp at) { return at.time_since_epoch().count(); }
    static timestamp time_of(std::int64_t count) {
        return timestamp{std::chrono::microseconds{count}};
    }

    std::uint32_t key_;
    row_state state_;
    std::uint8_t failure_;
    time time_is_;  ///< a record has ended or goes on waiting, hardly ever both
    bool has_only_message_ : 1;
    wait_end end_ : 7;
    std::uint32_t attempt_;
    std::uint32_t retry_attempt_;
    std::int64_t started_;
    std::int64_t time_ = 0;
    texts texts_;
};
static_assert(sizeof(kept_record) <= 40);

}  // namespace bulk::memory
