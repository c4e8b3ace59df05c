// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/cli/find_operation.hpp>
#include <bulk/cli/invocation.hpp>
#include <bulk/cli/readable.hpp>
#include <bulk/cli/record_text.hpp>
#include <bulk/cli/table.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/error_group.hpp>
#include <bulk/core/operation_record.hpp>
#include <bulk/core/query.hpp>
#include <bulk/core/reflect.hpp>
#include <bulk/core/row_state.hpp>
#include <bulk/service/service.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace bulk::cli {

/// How many rows are where at one step.
struct step_counts {
    step_index step{};
    std::uint64_t completed = 0;
    std::uint64_t failed = 0;
    std::uint64_t timed_out = 0;
    std::uint64_t waiting = 0;

    /// None for states that are not shown.
    [[nodiscard]] std::uint64_t* counter_of(row_state state) {
        switch (state) {
            case row_state::completed:
                return &completed;
            case row_state::failed:
                return &failed;
            case row_state::timed_out:
                return &timed_out;
            case row_state::waiting_for_completion:
                return &waiting;
            case row_state::pending:
            case row_state::running:
                break;
        }
        return nullptr;
    }
};

[[nodiscard]] inline result<std::vector<step_counts>> count_steps(
    bulk::service& service, operation_id id, const operation_description* about) {
    std::vector<step_counts> all;
    const auto count = [&](step_index step, row_state state) -> result<std::uint64_t> {
        const auto found =
            service.query(row_query{.operation = id, .step = step, .state = state, .page_size = 1});
        if (!found) return std::unexpected{found.error()};
        return found->total;
    };
    const int steps = about == nullptr ? 0 : static_cast<int>(about->steps.size());
    for (int i = -1; i < steps; ++i) {
        step_counts at{.step = static_cast<step_index>(i)};
        for (const auto& [state, name] : enumerators_of<row_state>) {
            auto* const into = at.counter_of(state);
            if (into == nullptr) continue;
            const auto counted = count(at.step, state);
            if (!counted) return std::unexpected{counted.error()};
            *into = *counted;
        }
        all.push_back(at);
    }
    return all;
}

inline void write_groups(const screen& on, const std::vector<error_group>& groups,
                         const operation_description* about, std::size_t most) {
    table lines{{{"rows", align::right}, {"first", align::right}, {"step"}, {"kind"}, {"error"}},
                "  "};
    for (std::size_t i = 0; i < std::min(most, groups.size()); ++i) {
        const auto& each = groups[i];
        lines.add({{grouped(each.count), tint::bad},
                   grouped(to_number(each.first_row)),
                   step_text(about, each.step),
                   each.failure ? name_of(*each.failure) : std::string_view{"-"},
                   each.count == 1 ? each.sample : each.pattern});
    }
    lines.write(on);
    if (groups.size() > most)
        on.stream << "  and " << count_text(groups.size() - most, "other reason") << '\n';
}

/// All there is to say about one operation, for people or for machines.
class summary {
public:
    [[nodiscard]] static result<summary> of(const invocation& program, bulk::service& service,
                                            operation_record record) {
        summary made{program, std::move(record)};
        auto steps = count_steps(service, made.record_.id, made.about_);
        if (!steps) return std::unexpected{std::move(steps).error()};
        made.steps_ = std::move(*steps);
        if (made.record_.rows.failed > 0) {
            auto groups = service.error_groups(made.record_.id);
            if (!groups) return std::unexpected{std::move(groups).error()};
            made.groups_ = std::move(*groups);
        }
        return made;
    }

    void write() const {
        if (program_.settings().json)
            program_.print(json());
        else
            write_text();
    }

private:
    summary(const invocation& program, operation_record record)
        : program_{program},
          record_{std::move(record)},
          about_{description_for(program.operations(), record_.name)} {}

    [[nodiscard]] json_line json() const {
        std::vector<json_line> steps, groups;
        for (const auto& each : steps_)
            steps.push_back(json_line{}
                                .add("step", step_text(about_, each.step))
                                .add("completed", each.completed)
                                .add("failed", each.failed)
                                .add("timed_out", each.timed_out)
                                .add("waiting", each.waiting));
        for (const auto& each : groups_) groups.push_back(json_of(each, about_));
        return json_of(record_).add("steps", steps).add("errors", groups);
    }

    void write_text() const {
        const screen& on = program_.out();
        const auto took = duration_of(record_, program_.now());
        on.stream << tinted(on, tint::strong, one_line(record_.file_name)) << ": "
                  << tinted(on, tint_of(record_.state), state_text(record_))
                  << (took ? concat(is_final(record_.state) ? " in " : " for ", span_text(*took))
                           : "")
                  << '\n';
        if (!record_.error_message.empty())
            on.stream << "  " << one_line(record_.error_message) << '\n';
        on.stream << '\n';
        table facts{{{}, {}}, "  "};
        facts.add({"id", to_text(record_.id)});
        facts.add({"operation", record_.name});
        if (!record_.created_by.empty()) facts.add({"created by", record_.created_by});
        facts.add({"created", concat(moment_text(record_.created_at), " UTC")});
        if (record_.completed_at)
            facts.add({"ended", concat(moment_text(record_.completed_at), " UTC")});
        if (record_.retry_count > 0) facts.add({"retries", grouped(record_.retry_count)});
        facts.write(on);
        on.stream << '\n';
        write_rows(on);
        if (record_.rows.processed > 0 || !groups_.empty()) write_steps(on);
        if (!groups_.empty()) {
            on.stream << '\n';
            write_groups(on, groups_, about_, 10);
        }
    }

    void write_rows(const screen& on) const {
        table rows{{{}, {{}, align::right}, {{}, align::right}}, "  "};
        const auto share = [&](std::uint64_t count) {
            if (!record_.validated || record_.rows.total == 0) return std::string{};
            return concat(count * 100 / record_.rows.total, "%");
        };
        const auto& counted = record_.rows;
        if (record_.validated) rows.add({"rows", grouped(counted.total)});
        rows.add(
            {"succeeded", {grouped(counted.successful), tint::good}, share(counted.successful)});
        rows.add({"failed",
                  {grouped(counted.failed), counted.failed > 0 ? tint::bad : tint::plain},
                  share(counted.failed)});
        if (unprocessed(counted) > 0)
            rows.add({is_final(record_.state) ? "not processed" : "to do",
                      grouped(unprocessed(counted)), share(unprocessed(counted))});
        rows.write(on);
    }

    void write_steps(const screen& on) const {
        on.stream << '\n';
        table lines{{{"step"},
                     {"completed", align::right},
                     {"failed", align::right},
                     {"timed out", align::right},
                     {"waiting", align::right}},
                    "  "};
        for (const auto& each : steps_)
            lines.add({step_text(about_, each.step), grouped(each.completed), grouped(each.failed),
                       grouped(each.timed_out), grouped(each.waiting)});
        lines.write(on);
    }

    const invocation& program_;
    operation_record record_;
    const operation_description* about_;
    std::vector<step_counts> steps_;
    std::vector<error_group> groups_;
};

}  // namespace bulk::cli
