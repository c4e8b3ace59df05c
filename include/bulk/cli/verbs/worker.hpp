// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/cli/readable.hpp>
#include <bulk/cli/session.hpp>
#include <bulk/core/concat.hpp>
#include <bulk/core/event.hpp>
#include <bulk/core/operation_state.hpp>
#include <bulk/core/options.hpp>
#include <bulk/core/query.hpp>

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string_view>
#include <utility>
#include <vector>

namespace bulk::cli {

/// Runs what others take in, until it is told to stop.
class worker_verb final : public verb {
public:
    [[nodiscard]] std::string_view name() const override { return "worker"; }
    [[nodiscard]] std::string_view summary() const override {
        return "run what was submitted or left unfinished, until Ctrl-C";
    }
    [[nodiscard]] std::string_view examples() const override {
        return "worker --workers 2 --concurrency 8\n"
               "worker --drain";
    }
    void declare(flags& to) override {
        to.yes("--drain", drain_, "end when nothing is left to do");
    }

    int perform(session& program) override {
        auto service = program.open(scheduling::channels);
        if (!service) return program.complain(service.error());
        const auto heard = std::make_shared<event_queue>();
        (*service)->subscribe([heard](const event& each) { heard->push(each); });
        program.remark(drain_ ? "works until nothing is left to do; Ctrl-C ends it before"
                              : "waits for work; Ctrl-C ends it");
        while (!program.is_interrupted()) {
            for (const auto& each : heard->take()) show(program, each);
            program.write_log();
            if (!drain_) continue;
            const auto busy = is_busy(program, **service);
            if (!busy) return program.complain(busy.error());
            if (!*busy) break;
        }
        if (program.is_interrupted())
            program.remark("interrupted: rows in flight are finishing; once more to stop at once");
        const auto closed = (*service)->shutdown();
        for (const auto& each : heard->take()) show(program, each);
        if (!closed) return program.complain(closed.error());
        if (program.is_interrupted())
            program.remark(concat("nothing is lost; go on with: ", program.command_line()));
        return exit_code::success;
    }

private:
    /// From the threads of the service to the one that prints.
    class event_queue {
    public:
        void push(const event& each) {
            if (each.kind == event_kind::row_failed) return;  // `errors` shows them
            {
                const std::scoped_lock lock{mutex_};
                events_.push_back(each);
            }
            is_there_.notify_one();
        }
        /// What there is by now, or soon.
        [[nodiscard]] std::vector<event> take() {
            std::unique_lock lock{mutex_};
            is_there_.wait_for(lock, std::chrono::milliseconds{100},
                               [this] { return !events_.empty(); });
            return std::exchange(events_, {});
        }

    private:
        std::mutex mutex_;
        std::condition_variable is_there_;
        std::vector<event> events_;
    };

    /// Whether an operation is under way or could be: one that is paused waits for somebody, and one
    /// that this program does not have is for another.
    [[nodiscard]] static result<bool> is_busy(const session& program, any_service& service) {
        for (const auto state : {operation_state::pending, operation_state::validating,
                                 operation_state::running, operation_state::retrying}) {
            operation_query query{.state = state, .page_size = largest_page, .with_total = false};
            do {
                const auto found = service.query(query);
                if (!found) return std::unexpected{found.error()};
                for (const auto& each : found->items)
                    if (!each.paused && program.operations().find(each.name)) return true;
                query.after = found->next;
            } while (!query.after.empty());
        }
        return false;
    }

    static void show(const session& program, const event& each) {
        if (program.settings().json)
            program.print(json_line{}
                              .add("type", "event")
                              .add("sequence", each.sequence)
                              .add("kind", each.kind)
                              .add("severity", each.level)
                              .add("id", to_text(each.operation))
                              .add("operation", each.operation_name)
                              .add("state", each.state)
                              .add("message", each.message)
                              .add("time", each.time));
        else
            program.out().stream << moment_text(each.time) << "  " << to_text(each.operation)
                                 << "  " << each.operation_name << ": "
                                 << tinted(program.out(), tint_of(each.level),
                                           one_line(each.message))
                                 << '\n';
        program.out().stream.flush();
    }

    [[nodiscard]] static constexpr tint tint_of(severity level) {
        if (level == severity::error) return tint::bad;
        return level == severity::warning ? tint::warning : tint::plain;
    }

    bool drain_ = false;
};

}  // namespace bulk::cli
