// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/error.hpp>
#include <bulk/core/id.hpp>
#include <bulk/core/row_record.hpp>
#include <bulk/service/export_options.hpp>
#include <bulk/service/row_standing.hpp>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

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

/// What turns rows into the text of an export: one virtual call for each row.
template <typename Row>
class export_writer {
public:
    export_writer() = default;
    export_writer(const export_writer&) = delete;
    export_writer& operator=(const export_writer&) = delete;
    virtual ~export_writer() = default;

    virtual void begin(std::string& out) = 0;
    /// Returns false if the row cannot be written in this format.
    [[nodiscard]] virtual bool put(std::string& out, const exported_row<Row>& each) = 0;
    virtual void end(std::string& out) = 0;
};

template <typename Row, typename Writer>
class typed_export_writer final : public export_writer<Row> {
public:
    explicit typed_export_writer(Writer writer) : writer_{std::move(writer)} {}

    void begin(std::string& out) override { writer_.begin(out); }
    [[nodiscard]] bool put(std::string& out, const exported_row<Row>& each) override {
        return writer_.put(out, each);
    }
    void end(std::string& out) override { writer_.end(out); }

private:
    Writer writer_;
};

/// Text on its way to the sink, handed over in parts of about 64 KiB.
class export_output {
public:
    explicit export_output(const export_sink& sink) : sink_{sink} {}

    /// Where to append.
    [[nodiscard]] std::string& text();

    [[nodiscard]] result<> hand_over(bool is_last = false);

private:
    const export_sink& sink_;
    std::string text_;
};

}  // namespace bulk

#ifndef BULK_COMPILED
#include <bulk/service/export_implementation.hpp>
#endif
