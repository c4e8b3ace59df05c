// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/operation/description.hpp>
#include <bulk/rows/json/metadata.hpp>
#include <bulk/run/typed_row_work.hpp>
#include <bulk/service/any_operation.hpp>
#include <bulk/service/declared_handlers.hpp>
#include <bulk/service/dry_run.hpp>
#include <bulk/service/export.hpp>
#include <bulk/service/template_text.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <typeinfo>
#include <utility>

namespace bulk {

/// An operation behind `any_operation`. `Formats` are the file formats that it reads.
template <typename Op, typename Formats>
class typed_operation final : public any_operation {
public:
    [[nodiscard]] const operation_description& description() const override {
        return description_of<Op>;
    }
    [[nodiscard]] const std::type_info& metadata_type() const override {
        return typeid(typename Op::metadata_type);
    }
    [[nodiscard]] result<std::string> same_metadata(std::string_view json,
                                                    bool reveal_pii) const override {
        const auto read = json::read_metadata<typename Op::metadata_type>(json);
        if (!read) return std::unexpected{read.error()};
        return json::metadata_text(*read, {.reveal_pii = reveal_pii});
    }
    [[nodiscard]] std::string template_text(export_format format,
                                            const read_options& reading) const override {
        return bulk::template_text<Op>(format, reading);
    }
    [[nodiscard]] result<dry_run_report> dry_run(std::string_view metadata, byte_source bytes,
                                                 std::string_view name, const read_options& reading,
                                                 const dry_run_options& options) const override {
        return bulk::dry_run<Op>(metadata, std::move(bytes), name, reading, Formats{}, options);
    }
    [[nodiscard]] result<export_summary> export_rows(any_storage& storage,
                                                     const operation_record& record,
                                                     const export_options& options,
                                                     const read_options& reading,
                                                     const export_sink& sink) const override {
        return export_operation<Op>(storage, record, options, reading, Formats{}, sink);
    }
    void subscribe_handlers(subscriptions& events) const override {
        subscribe_declared<Op>(events);
    }
    [[nodiscard]] std::unique_ptr<row_work> make_work(run_host& host, executor& jobs,
                                                      const operation_record& about,
                                                      bool data_in_errors) const override {
        return std::make_unique<typed_row_work<Op, Formats>>(host, jobs, about, data_in_errors);
    }
};

}  // namespace bulk
