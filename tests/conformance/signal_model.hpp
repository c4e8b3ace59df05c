// Signals as they are told in signals.hpp, in the plainest way: every question looks at everything.
#pragma once

#include <bulk/core/error.hpp>
#include <bulk/core/row_record.hpp>
#include <bulk/core/signal.hpp>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace conformance {

class signal_model {
public:
    void record(const bulk::row_record& record) {
        const place at{record.row, record.step};
        wait& now = all_[at];
        const bool is_same = is_waiting(now.record) && is_waiting(record) &&
                             now.record.signal_key == record.signal_key &&
                             now.record.journal == record.journal &&
                             now.record.retry_attempt == record.retry_attempt;
        if (!is_same) now = {};
        now.record = record;
        if (!is_same) std::erase_if(given_, [&](const auto& each) { return each.first == at; });
        if (!is_waiting(record)) return;
        forget(*record.started_at);
        if (is_given(at) || now.is_closed) return;
        auto found = std::ranges::find_if(early_, [&](const early& each) {
            return each.sent.key == record.signal_key && each.sent.row == record.row;
        });
        if (found == early_.end())
            found = std::ranges::find_if(early_, [&](const early& each) {
                return each.sent.key == record.signal_key && !each.sent.row;
            });
        if (found == early_.end()) return;
        given_.emplace_back(at, found->sent.failure.has_value());
        early_.erase(found);
    }

    bulk::result<bulk::signal_receipt> send(const bulk::signal& sent, bulk::timestamp until) {
        forget(sent.sent_at);
        const auto refuse = [] { return bulk::fail(bulk::errc::illegal_transition, "no"); };
        const auto is_open = [&](place at, const wait& each) {
            return is_waiting(each.record) && each.record.signal_key == sent.key &&
                   !each.is_closed && !is_given(at) &&
                   (!each.record.wait_until || *each.record.wait_until > sent.sent_at);
        };
        std::optional<place> best;
        const wait* last = nullptr;  // of the row
        bool has_gone_on = false;    // the row was signalled, and waits no more
        for (const auto& [at, each] : all_) {
            if (sent.row && at.first != *sent.row) continue;
            if (sent.row) last = &each;
            if (sent.row && each.record.signal_key == sent.key) {
                if (is_waiting(each.record)) has_gone_on = false;
                if (each.record.state == bulk::row_state::completed) has_gone_on = true;
            }
            const auto age = [&](place of) {
                return std::tuple{all_.at(of).record.started_at, of};
            };
            if (is_open(at, each) && (!best || sent.row || age(at) < age(*best))) best = at;
            if (sent.row && is_given(at) && each.record.signal_key == sent.key) return refuse();
        }
        if (best) {
            given_.emplace_back(*best, sent.failure.has_value());
            return bulk::signal_receipt{.row = best->first, .step = best->second};
        }
        using bulk::row_state;
        if (last != nullptr &&
            (last->record.state == row_state::failed || last->record.state == row_state::timed_out))
            return refuse();
        if (has_gone_on) return refuse();
        for (const auto& each : early_)
            if (sent.row && each.sent.row == sent.row && each.sent.key == sent.key) return refuse();
        early_.push_back({sent, until});
        return bulk::signal_receipt{.is_kept = true};
    }

    /// Whether there is a signal.
    bool close(bulk::row_number row, bulk::step_index step) {
        const auto found = all_.find({row, step});
        if (found == all_.end() || !is_waiting(found->second.record)) return false;
        found->second.is_closed = true;
        return is_given(found->first);
    }

    [[nodiscard]] std::string given() const {
        std::string text;
        for (const auto& [at, has_failed] : given_) {
            if (!text.empty()) text += ' ';
            text += std::to_string(to_number(at.first));
            text += static_cast<char>('a' + to_number(at.second));
            if (has_failed) text += '!';
        }
        return text;
    }

    [[nodiscard]] std::string rows_waiting_for(const std::string& key) const {
        std::string text;
        for (const auto& [at, each] : all_)
            if (is_waiting(each.record) && each.record.signal_key == key)
                if (const auto row = std::to_string(to_number(at.first)); !text.ends_with(row))
                    text += row;
        return text;
    }

private:
    using place = std::pair<bulk::row_number, bulk::step_index>;
    struct wait {
        bulk::row_record record{};
        bool is_closed = false;
    };
    struct early {
        bulk::signal sent;
        bulk::timestamp until;
    };

    static bool is_waiting(const bulk::row_record& record) {
        return record.state == bulk::row_state::waiting_for_completion &&
               !record.signal_key.empty();
    }
    [[nodiscard]] bool is_given(place at) const {
        return std::ranges::any_of(given_, [&](const auto& each) { return each.first == at; });
    }
    void forget(bulk::timestamp now) {
        std::erase_if(early_, [&](const early& each) { return each.until <= now; });
    }

    std::map<place, wait> all_;
    std::vector<std::pair<place, bool>> given_;  ///< in the order in which they were given
    std::vector<early> early_;
};

}  // namespace conformance
