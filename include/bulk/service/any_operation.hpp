// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/error.hpp>
#include <bulk/core/operation_record.hpp>
#include <bulk/engine/executor.hpp>
#include <bulk/operation/description.hpp>
#include <bulk/rows/byte_source.hpp>
#include <bulk/rows/format.hpp>
#include <bulk/run/row_work.hpp>
#include <bulk/run/run_host.hpp>
#include <bulk/service/dry_run_report.hpp>
#include <bulk/service/export_options.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <typeinfo>

namespace bulk {

class any_storage;
class subscriptions;

/// An operation of a program without its row type, metadata and steps: the service is compiled once for
/// all operations, and these functions for each of them.
class any_operation {
public:
    any_operation() = default;
    any_operation(const any_operation&) = delete;
    any_operation& operator=(const any_operation&) = delete;

    [[nodiscard]] virtual const operation_description& description() const = 0;
    [[nodiscard]] virtual const std::type_info& metadata_type() const = 0;

    /// Metadata as the operation itself would write it: equal metadata has equal text. Fails when the
    /// operation cannot read it.
    [[nodiscard]] virtual result<std::string> same_metadata(std::string_view json,
                                                            bool reveal_pii) const = 0;

    /// An empty file, to be filled in.
    [[nodiscard]] virtual std::string template_text(export_format format,
                                                    const read_options& reading) const = 0;

    /// Reads and validates a file, and stores nothing.
    [[nodiscard]] virtual result<dry_run_report> dry_run(std::string_view metadata,
                                                         byte_source bytes, std::string_view name,
                                                         const read_options& reading,
                                                         const dry_run_options& options) const = 0;

    [[nodiscard]] virtual result<export_summary> export_rows(any_storage& storage,
                                                             const operation_record& record,
                                                             const export_options& options,
                                                             const read_options& reading,
                                                             const export_sink& sink) const = 0;

    /// Subscribes the handlers that the operation declares.
    virtual void subscribe_handlers(subscriptions& events) const = 0;

    /// What a run does with rows: see `make_row_work`.
    [[nodiscard]] virtual std::unique_ptr<row_work> make_work(run_host& host, executor& jobs,
                                                              const operation_record& about,
                                                              bool data_in_errors) const = 0;

protected:
    ~any_operation() = default;  // each is a constant of the program
};

}  // namespace bulk
