// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/core/concat.hpp>
#include <bulk/core/names.hpp>
#include <bulk/core/operation_record.hpp>
#include <bulk/core/recipient.hpp>
#include <bulk/storage/sqlite/row_stream.hpp>
#include <bulk/storage/sqlite/seal.hpp>
#include <bulk/storage/varint.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bulk::sqlite {

namespace detail {

/// Channel, target and trigger of each, with their lengths.
inline std::string bytes_of(const std::vector<recipient>& all) {
    std::string bytes;
    for (const auto& each : all) {
        for (const std::string_view text : {each.channel, each.target}) {
            varint::put_number(bytes, text.size());
            bytes += text;
        }
        varint::put_number(bytes, static_cast<std::uint64_t>(each.when));
    }
    return bytes;
}

/// Texts with their lengths.
inline std::string bytes_of(const std::vector<std::string>& all) {
    std::string bytes;
    for (const auto& each : all) {
        varint::put_number(bytes, each.size());
        bytes += each;
    }
    return bytes;
}
inline std::vector<std::string> texts_of(std::string_view bytes) {
    std::vector<std::string> all;
    while (!bytes.empty()) {
        const auto size = varint::take_number(bytes);
        if (!size || *size > bytes.size()) break;
        all.emplace_back(bytes.substr(0, *size));
        bytes.remove_prefix(*size);
    }
    return all;
}

/// What cannot be read is left out: nobody is told something wrong.
inline std::vector<recipient> recipients_of(std::string_view bytes) {
    std::vector<recipient> all;
    const auto take_text = [&]() -> std::optional<std::string> {
        const auto size = varint::take_number(bytes);
        if (!size || *size > bytes.size()) return std::nullopt;
        std::string text{bytes.substr(0, *size)};
        bytes.remove_prefix(*size);
        return text;
    };
    while (!bytes.empty()) {
        auto channel = take_text(), target = take_text();
        const auto when = varint::take_number(bytes);
        if (!channel || !target || !when) break;
        all.push_back({.channel = std::move(*channel),
                       .target = std::move(*target),
                       .when = static_cast<trigger>(*when)});
    }
    return all;
}

}  // namespace detail

/// An operation as its table holds it.
struct stored_operation {
    /// In the order in which they are read, but for the last: whether all of it is as it was written.
    static constexpr std::string_view columns =
        "number, fence, lease_until, last_step, id, version, total, processed, successful, failed, "
        "state, paused, cancel_requested, validated, retry_count, created_at, started_at, "
        "run_started_at, completed_at, file_size, name, idempotency_key, created_by, source, "
        "file_id, file_name, error_message, metadata, holder, recipients, steps";

    std::int64_t number = 0;  ///< stands for it in the other tables
    std::uint64_t fence = 0;
    std::optional<timestamp> lease_until{};  ///< none: nobody has it
    std::string holder{};                    ///< the process that has it
    step_index last_step{};                  ///< that any of its rows has a record of
    operation_record record{};

    bool is_intact = false;

    [[nodiscard]] static std::string select(std::string_view rest) {
        return concat("SELECT ", columns, ", seal IS ", seals::operation, " AND progress_seal IS ",
                      seals::progress, " FROM bulk_operations ", rest);
    }

    [[nodiscard]] static stored_operation from(const row_stream& row) {
        stored_operation all;
        auto& record = all.record;
        row.read(all.number, all.fence, all.lease_until, all.last_step, record.id, record.version,
                 record.rows.total, record.rows.processed, record.rows.successful,
                 record.rows.failed, record.state, record.paused, record.cancel_requested,
                 record.validated, record.retry_count, record.created_at, record.started_at,
                 record.run_started_at, record.completed_at, record.file_size, record.name,
                 record.idempotency_key, record.created_by, record.source, record.file_id,
                 record.file_name, record.error_message, record.metadata, all.holder);
        record.recipients = detail::recipients_of(row.view(29));
        record.steps = detail::texts_of(row.view(30));
        row.read_at(31, all.is_intact);
        return all;
    }

    /// What `change` is called with: the columns ?1 to ?27 of an insert or update.
    template <typename Call>
    static auto with_values(const operation_record& record, Call call) {
        return call(
            record.id, record.version, record.rows.total, record.rows.processed,
            record.rows.successful, record.rows.failed, record.state, record.paused,
            record.cancel_requested, record.validated, record.retry_count, record.created_at,
            record.started_at, record.run_started_at, record.completed_at, record.file_size,
            record.name, folded(record.name), record.idempotency_key, record.created_by,
            record.source, record.file_id, record.file_name, record.error_message, record.metadata,
            blob{detail::bytes_of(record.recipients)}, blob{detail::bytes_of(record.steps)});
    }
};

}  // namespace bulk::sqlite
