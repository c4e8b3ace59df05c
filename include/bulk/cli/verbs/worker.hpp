// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/cli/find_operation.hpp>
#include <bulk/cli/readable.hpp>
#include <bulk/cli/session.hpp>
#include <bulk/core/clock.hpp>
#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/event.hpp>
#include <bulk/core/operation_state.hpp>
#include <bulk/core/options.hpp>
#include <bulk/core/query.hpp>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>

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
        began_ = system_clock{}.now();  // by which the service dates its events
        auto service = program.open(scheduling::channels);
        if (!service) return program.complain(service.error());
        const auto rung = std::make_shared<bell>();
        (*service)->subscribe([rung](const event&) { rung->ring(); });
        program.remark(drain_ ? "works until nothing is left to do; Ctrl-C ends it before"
                              : "waits for work; Ctrl-C ends it");
        bool has_work = true;
        while (has_work && !program.is_interrupted()) {
            rung->wait();
            if (auto shown = show_events(program, **service); !shown)
                return program.complain(shown.error());
            program.write_log();
            if (!drain_) continue;
            const auto busy = is_busy(program, **service);
            if (!busy) return program.complain(busy.error());
            has_work = *busy;
        }
        if (has_work)
            program.remark("interrupted: rows in flight are finishing; once more to stop at once");
        const auto closed = (*service)->shutdown();
        if (auto shown = show_events(program, **service); !shown)
            return program.complain(shown.error());
        if (!closed) return program.complain(closed.error());
        if (has_work)
            program.remark(concat("nothing is lost; go on with: ", program.command_line()));
        return exit_code::success;
    }

private:
    /// Something happened, or some time has passed: other processes ring no bell.
    class bell {
    public:
        void ring() {
            {
                const std::scoped_lock lock{mutex_};
                has_rung_ = true;
            }
            rang_.notify_one();
        }
        void wait() {
            std::unique_lock lock{mutex_};
            rang_.wait_for(lock, std::chrono::milliseconds{200}, [this] { return has_rung_; });
            has_rung_ = false;
        }

    private:
        std::mutex mutex_;
        std::condition_variable rang_;
        bool has_rung_ = false;
    };

    /// What happened since the worker began, wherever; failed rows are for `errors`.
    [[nodiscard]] result<> show_events(const session& program, any_service& service) {
        while (true) {
            const auto found = service.events(last_);
            if (!found) return std::unexpected{found.error()};
            for (const auto& each : *found) {
                last_ = each.sequence;
                if (each.kind != event_kind::row_failed && each.time >= began_) show(program, each);
            }
            if (found->size() < largest_page) return {};
        }
    }

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
                    if (!each.paused && !is_for_another(program, each)) return true;
                query.after = found->next;
            } while (!query.after.empty());
        }
        return false;
    }

    /// Whether another program must go on with it.
    [[nodiscard]] static bool is_for_another(const session& program, const operation_record& each) {
        if (!program.operations().find(each.name)) return true;
        return has_other_steps(program.operations(), each) &&
               (program.settings().service.on_changed_steps == changed_steps::refuse ||
                !each.error_message.empty());
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
    timestamp began_{};
    std::optional<std::uint64_t> last_;
};

}  // namespace bulk::cli
