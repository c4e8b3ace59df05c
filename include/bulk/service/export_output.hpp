// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/error.hpp>
#include <bulk/core/id.hpp>
#include <bulk/core/row_record.hpp>
#include <bulk/run/guard.hpp>
#include <bulk/service/export_options.hpp>
#include <bulk/service/row_standing.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace bulk {

/// One row on its way out.
template <typename Row>
struct exported_row {
    row_number number{};
    const row_standing& standing;
    std::span<const row_record> records{};
    const Row* row = nullptr;  ///< as the file has it; none: gone, or it cannot be read
    std::optional<std::string_view> raw{};  ///< its text in the file
};

/// Text on its way to the sink, handed over in parts of about 64 KiB.
class export_output {
public:
    explicit export_output(const export_sink& sink) : sink_{sink} {}

    /// Where to append.
    [[nodiscard]] std::string& text() { return text_; }

    [[nodiscard]] result<> hand_over(bool is_last = false) {
        constexpr std::size_t part = std::size_t{64} * 1024;
        if (text_.empty() || (!is_last && text_.size() < part)) return {};
        auto taken = guarded([&] { return sink_(text_); });
        text_.clear();
        return taken;
    }

private:
    const export_sink& sink_;
    std::string text_;
};

/// What stands around the objects of a JSON array, one a line, or of NDJSON.
class json_frame {
public:
    explicit json_frame(export_format format) : is_array_{format == export_format::json} {}

    /// Before an object.
    void begin(std::string& out) {
        if (is_array_) out += count_ == 0 ? "[\n" : ",\n";
        ++count_;
    }
    /// Behind it.
    void end(std::string& out) const {
        if (!is_array_) out += '\n';
    }
    /// Behind the last.
    void close(std::string& out) const {
        if (is_array_) out += count_ == 0 ? "[]\n" : "\n]\n";
    }

private:
    bool is_array_;
    std::uint64_t count_ = 0;
};

}  // namespace bulk
