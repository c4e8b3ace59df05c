// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/cli/flags.hpp>
#include <bulk/cli/invocation.hpp>
#include <bulk/cli/program_parts.hpp>
#include <bulk/cli/verb.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/options.hpp>
#include <bulk/feed/service.hpp>

#include <functional>
#include <memory>
#include <string>
#include <utility>

namespace bulk::cli {

/// Which run; see `find_run`.
inline void declare_run(flags& to, std::string& run) {
    to.word("RUN", run, "its id, or a feed for the newest of it; `last` is the newest of all");
}
inline void declare_optional_run(flags& to, std::string& run) {
    to.optional_word("RUN", run,
                     "its id, or a feed for the newest of it; without it, the newest of all");
}

/// One thing that a program can do with its feeds.
class feed_verb : public verb {
public:
    feed_verb(open_feeds open, const verb_text& text) : verb{text}, open_{std::move(open)} {}

    int perform(invocation& program) final {
        auto service = open_(program, works() ? scheduling::channels : scheduling::none);
        if (!service) return program.complain(service.error());
        return perform(program, **service);
    }

protected:
    /// Whether this process works on runs meanwhile; else it leaves them to others.
    [[nodiscard]] virtual bool works() const { return false; }
    /// The program's exit code.
    virtual int perform(const invocation& program, bulk::feed_service& service) = 0;

private:
    open_feeds open_;
};

}  // namespace bulk::cli
