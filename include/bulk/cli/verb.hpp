// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/cli/flags.hpp>
#include <bulk/cli/invocation.hpp>

#include <memory>
#include <string_view>
#include <vector>

namespace bulk::cli {

/// What `--help` says of a verb.
struct verb_text {
    std::string_view name{};
    std::string_view summary{};
    std::string_view examples{};  ///< command lines without the program's name, one a line
};

/// One thing that a program can do.
class verb {
public:
    explicit verb(const verb_text& text) : text_{text} {}
    verb(const verb&) = delete;
    verb& operator=(const verb&) = delete;
    virtual ~verb() = default;

    [[nodiscard]] const verb_text& text() const { return text_; }
    virtual void declare(flags& to) = 0;
    /// The program's exit code.
    virtual int perform(invocation& program) = 0;

private:
    verb_text text_;
};

/// Verbs that belong together. Those with a name stand behind it: `app feed plan`.
struct verb_group {
    std::string_view name{};
    std::string_view summary{};
    std::vector<std::unique_ptr<verb>> verbs{};
};

}  // namespace bulk::cli
