// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/cli/flags.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/feed_run.hpp>
#include <bulk/feed/run_starter.hpp>

#include <string>

namespace bulk::cli {

/// Which run of which feed somebody wants, or wants to know about.
class start_flags {
public:
    void declare(flags& to) {
        to.word("NAME", feed_, "of the feed");
        to.yes("--full", full_, "everything; what the source has no more is marked as deleted");
        to.yes("--incremental", incremental_,
               "what has changed since the watermark; the default where there is one");
        to.number("--max-records", options_.max_records, "stop there; the watermark is kept then");
    }
    /// For one that is started, not only planned.
    void declare_labels(flags& to) {
        to.text("--trace", options_.trace, "ties together what is done for it (the run's id)");
        to.text("--started-by", options_.started_by, "who asked for it", "NAME");
    }

    [[nodiscard]] const std::string& feed() const { return feed_; }
    [[nodiscard]] result<start_options> options() const {
        if (full_ && incremental_)
            return fail(errc::invalid_argument,
                        "a run is either --full or --incremental; without both, there is an "
                        "incremental one where there is a watermark");
        auto wanted = options_;
        if (full_) wanted.type = run_type::full;
        if (incremental_) wanted.type = run_type::incremental;
        return wanted;
    }

private:
    std::string feed_;
    bool full_ = false;
    bool incremental_ = false;
    start_options options_;
};

}  // namespace bulk::cli
