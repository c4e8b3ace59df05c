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
    static int bind(const statement& to, int at, const std::vector<recipient>& all) {
        return to.bind(at, blob{detail::bytes_of(all)});
    }
    static void read(std::string_view stored, std::vector<recipient>& all) {
        all = detail::recipients_of(stored);
    }
};
struct text_bytes {
    static int bind(const statement& to, int at, const std::vector<std::string>& all) {
        return to.bind(at, blob{detail::bytes_of(all)});
    }
    static void read(std::string_view stored, std::vector<std::string>& all) {
        all = detail::texts_of(stored);
    }
};
/// To be searched for, never read.
struct folded_text {
    static int bind(const statement& to, int at, const std::string& original) {
        return to.bind(at, folded(original));
    }
    static void read(std::string_view, const std::string&) {}
};

/// The columns of `bulk_operations`, and which field each holds: every statement that reads or writes an
/// operation is made of this. The first is the key.
struct operation_columns {
    using record = operation_record;
    static constexpr std::array all{
        column_of<&record::id>("id"),
        column_of<&record::version>("version"),
        column_of<&record::rows, &row_counters::total>("total"),
        column_of<&record::rows, &row_counters::processed>("processed"),
        column_of<&record::rows, &row_counters::successful>("successful"),
        column_of<&record::rows, &row_counters::failed>("failed"),
        column_of<&record::state>("state"),
        column_of<&record::paused>("paused"),
        column_of<&record::cancel_requested>("cancel_requested"),
        column_of<&record::validated>("validated"),
        column_of<&record::retry_count>("retry_count"),
        column_of<&record::created_at>("created_at"),
        column_of<&record::started_at>("started_at"),
        column_of<&record::run_started_at>("run_started_at"),
        column_of<&record::completed_at>("completed_at"),
        column_of<&record::file_size>("file_size"),
        column_of<&record::name>("name"),
        column_as<folded_text, &record::name>("folded_name"),
        column_of<&record::idempotency_key>("idempotency_key"),
        column_of<&record::created_by>("created_by"),
        column_of<&record::source>("source"),
        column_of<&record::file_id>("file_id"),
        column_of<&record::file_name>("file_name"),
        column_as<text_bytes, &record::steps>("steps"),
        column_of<&record::error_message>("error_message"),
        column_as<recipient_bytes, &record::recipients>("recipients"),
        column_of<&record::metadata>("metadata"),
    };
    static constexpr auto written = names_of(all);

    /// Those that change with each batch of rows, or with the owner; their checksum is one of its own.
    static constexpr std::array<std::string_view, 11> progress{
        "number",    "version", "total",       "processed", "successful", "failed",
        "last_step", "fence",   "lease_until", "owner",     "holder"};
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
