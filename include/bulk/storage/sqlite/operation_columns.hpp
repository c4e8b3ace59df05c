// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/names.hpp>
#include <bulk/core/operation_record.hpp>
#include <bulk/core/recipient.hpp>
#include <bulk/core/row_counters.hpp>
#include <bulk/storage/sqlite/columns.hpp>
#include <bulk/storage/varint.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
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

/// Columns whose values are not those of a field as it is.
struct recipient_bytes {
    std::vector<recipient>& all;
    [[nodiscard]] std::string bytes() const { return detail::bytes_of(all); }
    void take(std::string_view stored) { all = detail::recipients_of(stored); }
};
struct text_bytes {
    std::vector<std::string>& all;
    [[nodiscard]] std::string bytes() const { return detail::bytes_of(all); }
    void take(std::string_view stored) { all = detail::texts_of(stored); }
};
/// To be searched for, never read.
struct folded_text {
    const std::string& original;
    [[nodiscard]] std::string text() const { return folded(original); }
    void take(std::string_view) {}
};

/// The columns of `bulk_operations`, and which field each holds: every statement that reads or writes an
/// operation is made of this. The first is the key.
struct operation_columns {
    using record = operation_record;
    static constexpr std::tuple all{
        column{"id", &record::id},
        column{"version", &record::version},
        column{"total", within(&record::rows, &row_counters::total)},
        column{"processed", within(&record::rows, &row_counters::processed)},
        column{"successful", within(&record::rows, &row_counters::successful)},
        column{"failed", within(&record::rows, &row_counters::failed)},
        column{"state", &record::state},
        column{"paused", &record::paused},
        column{"cancel_requested", &record::cancel_requested},
        column{"validated", &record::validated},
        column{"retry_count", &record::retry_count},
        column{"created_at", &record::created_at},
        column{"started_at", &record::started_at},
        column{"run_started_at", &record::run_started_at},
        column{"completed_at", &record::completed_at},
        column{"file_size", &record::file_size},
        column{"name", &record::name},
        column{"folded_name", stored_as<folded_text>(&record::name)},
        column{"idempotency_key", &record::idempotency_key},
        column{"created_by", &record::created_by},
        column{"source", &record::source},
        column{"file_id", &record::file_id},
        column{"file_name", &record::file_name},
        column{"steps", stored_as<text_bytes>(&record::steps)},
        column{"error_message", &record::error_message},
        column{"recipients", stored_as<recipient_bytes>(&record::recipients)},
        column{"metadata", &record::metadata},
    };
    static constexpr auto written = names_of(all);

    /// Those that change with each batch of rows, or with the owner; their checksum is one of its own.
    static constexpr std::array<std::string_view, 11> progress{
        "number",    "version", "total",       "processed", "successful", "failed",
        "last_step", "fence",   "lease_until", "owner",     "holder"};

    /// In the order of `written`.
    [[nodiscard]] static auto fields(operation_record& of) { return fields_of(all, of); }
};

/// The columns of the other checksum: the number, and what is written but not in `progress`.
inline constexpr auto operation_content = [] {
    constexpr auto is_content = [](std::string_view name) {
        return std::ranges::find(operation_columns::progress, name) ==
               operation_columns::progress.end();
    };
    constexpr auto count = std::ranges::count_if(operation_columns::written, is_content);
    std::array<std::string_view, 1 + count> names{"number"};
    std::ranges::copy_if(operation_columns::written, names.begin() + 1, is_content);
    return names;
}();

}  // namespace bulk::sqlite
