// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/id.hpp>
#include <bulk/core/row_record.hpp>
#include <bulk/core/row_state.hpp>
#include <bulk/operation/description.hpp>
#include <bulk/operation/step_table.hpp>
#include <bulk/rows/format.hpp>
#include <bulk/rows/json/metadata.hpp>
#include <bulk/rows/read_status.hpp>
#include <bulk/run/coroutine_frame.hpp>
#include <bulk/run/file_supply.hpp>
#include <bulk/run/guard.hpp>
#include <bulk/run/instance.hpp>
#include <bulk/run/owned_row.hpp>
#include <bulk/run/record_supply.hpp>
#include <bulk/run/row_copies.hpp>
#include <bulk/run/row_outcomes.hpp>
#include <bulk/run/row_place.hpp>
#include <bulk/run/row_validation.hpp>
#include <bulk/run/row_walk.hpp>
#include <bulk/run/row_work.hpp>
#include <bulk/run/run_host.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bulk {

/// The rows of an operation: read, validated and walked through its steps. Used by all tasks of a run at once.
template <typename Op, typename Formats>
class typed_row_work final : public row_work, public row_copies<typename Op::row_type> {
public:
    using row_type = typename Op::row_type;

    typed_row_work(run_host& host, executor& jobs, const operation_record& about,
                   bool data_in_errors)
        : host_{host}, jobs_{jobs}, outcomes_{about, data_in_errors} {}

    [[nodiscard]] result<> set_up(std::string_view text) override {
        auto metadata = json::read_metadata<typename Op::metadata_type>(text);
        if (!metadata) return std::unexpected{std::move(metadata).error()};
        const auto made = guarded([&] {
            instance_ = std::make_unique<operation_instance<Op>>(std::move(*metadata));
            validation_.emplace(*instance_, outcomes_);
            walk_.emplace(*instance_, jobs_, host_, *this, outcomes_);
        });
        if (!made) return fail(concat("the operation cannot be set up: ", made.error().message));
        return {};
    }
    [[nodiscard]] result<> validate_metadata() override { return instance_->validate_metadata(); }

    [[nodiscard]] result<std::unique_ptr<unit_source>> open_file(
        const std::function<result<byte_source>()>& open, std::string_view name,
        const read_options& reading, bool by_one) override {
        auto opened = open_supply<row_type, visitor>(open, name, reading, by_one, Formats{});
        if (!opened) return std::unexpected{std::move(opened).error()};
        return std::unique_ptr<unit_source>{std::move(*opened)};
    }
    [[nodiscard]] std::unique_ptr<unit_source> open_records(any_storage& storage, operation_id id,
                                                            std::uint64_t rows) override {
        return std::make_unique<record_supply<row_type, visitor>>(storage, id, rows);
    }

    [[nodiscard]] result<unit_end> read(unit_source& rows, const row_unit& unit, row_task& at,
                                        const pass_state& pass) override {
        visitor visit{.work = *this, .at = at, .pass = pass};
        return static_cast<supply&>(rows).read(unit, visit);
    }

    void wake(row_task& at, woken_row woken) override {
        const parked_row& parked = woken.row;
        if (parked.frame != nullptr) {
            const auto frame = *parked.frame;  // keeps the row
            return walk_->go_on(at, static_cast<coroutine_frame<row_type>&>(*frame).row(),
                                std::move(woken));
        }
        if (const auto own = rows().own(parked.raw.view(), parked.row, parked.raw.line()))
            return walk_->go_on(at, own->value(), std::move(woken));
        auto record = outcomes_.record_of(parked.row, parked.step, row_state::running,
                                          parked.attempt, parked.retry_attempt);
        record.started_at = parked.started_at;
        outcomes_.fail(at, std::move(record), error_type::processing,
                       "the row could not be read again", at.watch.now(), nullptr);
    }

    [[nodiscard]] bool reads_all() const override { return row_validation<Op>::reads_all; }
    [[nodiscard]] std::vector<repeated_value> take_repeated() override {
        return validation_->take_repeated();
    }
    void refuse_repeated(row_task& at, row_record record, const repeated_value& repeated) override {
        validation_->refuse_repeated(at, std::move(record), repeated);
    }

    [[nodiscard]] std::unique_ptr<owned_row<row_type>> own(const row_place& place) override {
        const auto text = place.describe();
        return rows().own(text.view(), place.number(), text.line());
    }

private:
    static constexpr auto& description = description_of<Op>;
    static constexpr step_index last_step{static_cast<int>(step_table<Op>::size) - 1};

    /// Hands the rows of a unit to the pass.
    struct visitor {
        typed_row_work& work;
        row_task& at;
        const pass_state& pass;

        [[nodiscard]] bool is_selective() const { return pass.is_resumed; }
        [[nodiscard]] bool wants(row_number row) const {
            const auto known = at.standing(row);
            if (!known) return true;
            if (pass.is_validating)
                return row_validation<Op>::reads_all && known->state == row_state::completed;
            return may_go_on(*known);
        }
        [[nodiscard]] std::uint64_t unwanted(row_number first, std::uint64_t most) const {
            std::uint64_t rows = 0;
            while (rows < most && !wants(row_number{to_number(first) + rows})) ++rows;
            return rows;
        }

        template <typename Reader>
        bool operator()(const row_type& row, read_status status, Reader& reader) {
            if (pass.is_validating)
                work.validate(at, pass, row, status, reader);
            else
                work.process(at, pass, row, status, reader);
            if (at.writer.rows() >= at.lent) return work.host_.hand_over(at);
            return !pass.is_stopping.load(std::memory_order_relaxed);
        }
    };
    using supply = row_supply<row_type, visitor>;

    [[nodiscard]] supply& rows() { return static_cast<supply&>(host_.rows()); }

    template <typename Reader>
    void validate(row_task& at, const pass_state& pass, const row_type& row, read_status status,
                  Reader& reader) {
        if (pass.is_resumed && at.standing(reader.row())) {
            if (status == read_status::row) validation_->pass_again(row, reader.row());
            return at.writer.pass();
        }
        if (!pass.crashed.empty()) [[unlikely]]
            if (auto why = pass.crashed.refusal(reader.row(), std::nullopt, description))
                return validation_->refuse(at, reader.row(), std::move(*why));
        validation_->validate(at, row, status, reader);
    }

    template <typename Reader>
    void process(row_task& at, const pass_state& pass, const row_type& row, read_status status,
                 Reader& reader) {
        const row_number number = reader.row();
        if (validation_->is_refused(number)) return at.writer.pass();
        const auto known = pass.is_resumed ? at.standing(number) : std::nullopt;
        if (known && !may_go_on(*known)) return at.writer.pass();
        if (!pass.crashed.empty()) [[unlikely]]
            if (auto why = pass.crashed.refusal(number, known, description))
                return fail_crashed(at, known, row, number, std::move(*why));
        if (status != read_status::row) return fail_unread(at, known, reader);
        const row_place place{reader, row};
        if (!known) return walk_->walk(at, row, place, {});
        if (const auto before = at.interrupted.find(number); before != at.interrupted.end())
            return walk_->go_back(at, row, place, before->second);
        const bool is_done = known->state == row_state::completed;
        walk_->walk(at, row, place,
                    {.step = to_number(known->step) + (is_done ? 1 : 0),
                     .retry_attempt = is_done ? 0 : known->retry_attempt});
    }

    /// A row that could be read once and cannot any more: the file or the program has changed.
    template <typename Reader>
    void fail_unread(row_task& at, const std::optional<row_progress>& known, Reader& reader) {
        const timestamp now = at.watch.now();
        outcomes_.fail_unread(at, record_of_next(known, reader.row(), now),
                              to_text(reader.problem()), {}, now);
    }

    /// A row that has taken the process with it too often.
    void fail_crashed(row_task& at, const std::optional<row_progress>& known, const row_type& row,
                      row_number number, std::string why) {
        const timestamp now = at.watch.now();
        const auto before = at.interrupted.find(number);
        outcomes_.fail(
            at,
            before != at.interrupted.end() ? before->second : record_of_next(known, number, now),
            description.is_pipeline ? error_type::step_failure : error_type::processing,
            std::move(why), now, &row);
    }

    /// Of the step that a row would be at now.
    [[nodiscard]] row_record record_of_next(const std::optional<row_progress>& known,
                                            row_number number, timestamp now) const {
        const bool is_done = known && known->state == row_state::completed;
        const int step = known ? to_number(known->step) + (is_done ? 1 : 0) : 0;
        auto record = outcomes_.record_of(number, static_cast<step_index>(step), row_state::running,
                                          1, known ? known->retry_attempt : 0);
        record.started_at = now;
        return record;
    }

    [[nodiscard]] static bool may_go_on(const row_progress& known) {
        if (is_failed(known.state)) return false;
        return known.state != row_state::completed || known.step != last_step;
    }

    run_host& host_;
    executor& jobs_;
    row_outcomes<Op> outcomes_;
    std::unique_ptr<operation_instance<Op>> instance_;
    std::optional<row_validation<Op>> validation_;
    std::optional<row_walk<Op>> walk_;
};

}  // namespace bulk
