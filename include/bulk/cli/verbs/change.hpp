// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/cli/invocation.hpp>
#include <bulk/cli/operation_verb.hpp>
#include <bulk/cli/record_text.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/operation_record.hpp>
#include <bulk/service/service.hpp>

#include <string_view>

namespace bulk::cli {

/// How an operation under way is changed from outside: cancelled, paused, resumed.
struct change {
    verb_text text{};
    result<> (bulk::service::*apply)(operation_id, std::string_view) = nullptr;
    std::string_view done{};
};

inline constexpr change cancel_change{
    .text = {.name = "cancel",
             .summary = "end an operation; rows in flight finish, the others stay unprocessed",
             .examples = "cancel last"},
    .apply = &bulk::service::cancel,
    .done = "is cancelled; rows in flight finish, within a second wherever it runs"};
inline constexpr change pause_change{.text = {.name = "pause",
                                              .summary = "begin no further row until `resume`",
                                              .examples = "pause last"},
                                     .apply = &bulk::service::pause,
                                     .done = "is paused until `resume`"};
inline constexpr change resume_change{
    .text = {.name = "resume",
             .summary = "let a paused operation go on, wherever a `run` or `worker` is",
             .examples = "resume last"},
    .apply = &bulk::service::resume,
    .done = "goes on as soon as a `run` or `worker` is there"};

class change_verb final : public operation_verb {
public:
    explicit change_verb(const change& what)
        : operation_verb{what.text, id_word::required}, what_{what} {}

private:
    int perform(const invocation& program, bulk::service& service, operation_record of) override {
        if (auto changed = (service.*what_.apply)(of.id, {}); !changed)
            return program.complain(changed.error());
        const auto now = service.get(of.id);
        if (!now) return program.complain(now.error());
        if (program.settings().json)
            program.print(json_of(*now));
        else
            program.out().stream << to_text(of.id) << ' ' << what_.done << '\n';
        return exit_code::success;
    }

    const change& what_;
};

}  // namespace bulk::cli
