// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/cli/invocation.hpp>
#include <bulk/cli/json_line.hpp>
#include <bulk/cli/readable.hpp>
#include <bulk/cli/verb.hpp>
#include <bulk/cli/workplace.hpp>
#include <bulk/core/clock.hpp>
#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/event.hpp>
#include <bulk/core/page.hpp>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace bulk::cli {

/// Runs what others take in, until it is told to stop.
class worker_verb final : public verb {
public:
    /// At least one; all of them are in one storage.
    explicit worker_verb(std::vector<open_workplace> places)
        : verb{{.name = "worker",
                .summary = "run what was submitted, started or left unfinished, until Ctrl-C",
                .examples = "worker --poll-interval 5s\n"
                            "worker --drain"}},
          places_{std::move(places)} {}

    void declare(flags& to) override {
        to.yes("--drain", drain_, "end when nothing is left to do");
    }

    int perform(invocation& program) override {
        began_ = system_clock{}.now();  // by which the service dates its events
        const auto rung = std::make_shared<bell>();
        std::vector<std::unique_ptr<workplace>> work;
        for (const auto& open : places_) {
            auto opened = open(program);
            if (!opened) return program.complain(opened.error());
            (*opened)->subscribe([rung](const event&) { rung->ring(); });
            work.push_back(std::move(*opened));
        }
        program.remark(drain_ ? "works until nothing is left to do; Ctrl-C ends it before"
                              : "waits for work; Ctrl-C ends it");
        bool has_work = true;
        while (has_work && !program.is_interrupted()) {
            rung->wait();
            if (auto shown = show_events(program, *work.front()); !shown)
                return program.complain(shown.error());
            program.write_log();
            if (!drain_) continue;
            const auto busy = is_busy(work);
            if (!busy) return program.complain(busy.error());
            has_work = *busy;
        }
        if (has_work)
            program.remark(
                "interrupted: what is in flight is finishing; once more to stop at once");
        std::optional<error> not_closed;
        for (const auto& each : work)
            if (auto closed = each->shutdown(); !closed) not_closed = std::move(closed).error();
        if (auto shown = show_events(program, *work.front()); !shown)
            return program.complain(shown.error());
        if (not_closed) return program.complain(*not_closed);
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
    [[nodiscard]] result<> show_events(const invocation& program, workplace& in) {
        while (true) {
            const auto found = in.events(last_);
            if (!found) return std::unexpected{found.error()};
            for (const auto& each : *found) {
                last_ = each.sequence;
                if (each.kind != event_kind::row_failed && each.time >= began_) show(program, each);
            }
            if (found->size() < largest_page) return {};
        }
    }

    [[nodiscard]] static result<bool> is_busy(const std::vector<std::unique_ptr<workplace>>& work) {
        for (const auto& each : work) {
            auto busy = each->is_busy();
            if (!busy || *busy) return busy;
        }
        return false;
    }

    static void show(const invocation& program, const event& each) {
        if (program.settings().json)
            program.print(json_of(each));
        else
            program.out().stream << moment_text(each.time) << "  " << to_text(each.operation)
                                 << "  " << each.operation_name << ": "
                                 << tinted(program.out(), tint_of(each.level),
                                           one_line(each.message))
                                 << '\n';
        program.out().stream.flush();
    }

    /// A run of a feed has no state of an operation.
    [[nodiscard]] static json_line json_of(const event& each) {
        const bool is_run = is_of_run(each.kind);
        json_line line = line_of("event")
                             .add("sequence", each.sequence)
                             .add("kind", each.kind)
                             .add("severity", each.level)
                             .add("id", to_text(each.operation))
                             .add(is_run ? "feed" : "operation", each.operation_name);
        if (!is_run) line.add("state", each.state);
        line.add("message", each.message).add("time", each.time);
        if (each.created)
            line.add("created_by", each.created->created_by).add("file", each.created->file_name);
        if (each.ended)
            line.add("rows", json_line{}
                                 .add("total", each.ended->total)
                                 .add("processed", each.ended->processed)
                                 .add("succeeded", each.ended->successful)
                                 .add("failed", each.ended->failed))
                .add("duration_ms",
                     std::chrono::floor<std::chrono::milliseconds>(each.ended->duration).count());
        return line;
    }

    [[nodiscard]] static constexpr tint tint_of(severity level) {
        if (level == severity::error) return tint::bad;
        return level == severity::warning ? tint::warning : tint::plain;
    }

    std::vector<open_workplace> places_;
    bool drain_ = false;
    timestamp began_{};
    std::optional<std::uint64_t> last_;
};

}  // namespace bulk::cli
