// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/cli/feed_verb.hpp>
#include <bulk/cli/find_run.hpp>
#include <bulk/cli/invocation.hpp>
#include <bulk/cli/readable.hpp>
#include <bulk/cli/run_follow.hpp>
#include <bulk/cli/run_text.hpp>
#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/feed_run.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace bulk::cli {

/// What the verbs have in common that let a run go on which has stopped: for a worker, or here.
class revive_verb : public feed_verb {
public:
    using feed_verb::feed_verb;

    void declare(flags& to) override {
        declare_run(to, run_);
        declare_own(to);
        to.yes("--wait", wait_, "work on it here and show how far it is, until its end");
    }

protected:
    virtual void declare_own(flags&) {}
    /// What was done, in a sentence.
    virtual result<std::string> revive(bulk::feed_service& service, run_id id) = 0;

private:
    [[nodiscard]] bool works() const final { return wait_; }

    int perform(const invocation& program, bulk::feed_service& service) final {
        const auto run = find_run(service, run_);
        if (!run) return program.complain(run.error());
        const auto done = revive(service, run->id);
        // Refused is not misspelt: a run with failed partitions must be forced.
        if (!done) return program.complain(done.error().message, exit_code::failed);
        program.remark(*done);
        if (wait_) return work_to_end(program, service, run->id);
        const auto now = service.get(run->id);
        if (!now) return program.complain(now.error());
        if (program.settings().json)
            program.print(json_of(*now, service.state_of(*now)));
        else
            program.out().stream << to_text(run->id) << '\n';
        if (is_active(*now))
            program.remark(concat("work on it: ", program.program(), " worker --drain"));
        return exit_code::success;
    }

    std::string run_;
    bool wait_ = false;
};

class feed_retry_verb final : public revive_verb {
public:
    explicit feed_retry_verb(open_feeds open)
        : revive_verb{std::move(open),
                      {.name = "retry",
                       .summary = "try failed partitions again, from the page at which they failed",
                       .examples = "feed retry diamonds --wait\n"
                                   "feed retry last --partition 3"}} {}

private:
    void declare_own(flags& to) override {
        to.number("--partition", partition_, "only this one; `feed status` shows them");
    }
    result<std::string> revive(bulk::feed_service& service, run_id id) override {
        const auto retried = service.retry_partitions(id, partition_, {});
        if (!retried) return std::unexpected{retried.error()};
        return concat(count_text(*retried, "partition"), " to be tried again");
    }

    std::optional<std::uint32_t> partition_;
};

class feed_consolidate_verb final : public revive_verb {
public:
    explicit feed_consolidate_verb(open_feeds open)
        : revive_verb{std::move(open),
                      {.name = "consolidate",
                       .summary = "bring what a run has fetched into the canonical set",
                       .examples = "feed consolidate diamonds --force --wait"}} {}

private:
    void declare_own(flags& to) override {
        to.yes("--force", force_,
               "without partitions that failed; the watermark moves nevertheless");
    }
    result<std::string> revive(bulk::feed_service& service, run_id id) override {
        const auto run = service.consolidate(id, force_, {});
        if (!run) return std::unexpected{run.error()};
        if (run->completed_at) return "it is completed already";
        return concat(count_text(run->changed, "changed item"), " to be consolidated",
                      run->failed > 0
                          ? concat(", without ", count_text(run->failed, "failed partition"))
                          : "");
    }

    bool force_ = false;
};

class feed_resume_verb final : public revive_verb {
public:
    explicit feed_resume_verb(open_feeds open)
        : revive_verb{std::move(open),
                      {.name = "resume",
                       .summary = "try bad items again, and what a consolidator has left",
                       .examples = "feed resume diamonds --wait"}} {}

private:
    result<std::string> revive(bulk::feed_service& service, run_id id) override {
        const auto reset = service.resume_consolidation(id, {});
        if (!reset) return std::unexpected{reset.error()};
        return concat(count_text(*reset, "bad item"), " to be tried again");
    }
};

}  // namespace bulk::cli
