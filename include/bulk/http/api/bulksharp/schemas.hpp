// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/error_type.hpp>
#include <bulk/core/event.hpp>
#include <bulk/core/operation_state.hpp>
#include <bulk/core/reflect.hpp>
#include <bulk/core/row_state.hpp>
#include <bulk/http/api/body_schema.hpp>
#include <bulk/http/api/bulksharp/bodies.hpp>
#include <bulk/http/api/bulksharp/style.hpp>
#include <bulk/http/api/schema.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace bulk::http::api::bulksharp {

/// The types of .NET.
struct bulksharp_dialect {
    using style = bulksharp::style;
    static constexpr std::string_view whole = "int", wide = "long", fraction = "double";
    static constexpr enum_schemas enumerations{enum_schema<operation_state>{"BulkOperationStatus"},
                                               enum_schema<row_state>{"RowRecordState"},
                                               enum_schema<error_type>{"BulkErrorType", "None"},
                                               enum_schema<severity>{"OperationEventSeverity"}};
};

template <described_struct Body>
[[nodiscard]] schema body_schema() {
    return schema_of<bulksharp_dialect, Body>();
}
template <described_struct Item>
[[nodiscard]] schema page_schema(std::string_view about) {
    static const std::string name = concat(Item::schema.name, "PagedResult");
    return schema_of<bulksharp_dialect, bodies::paged_result<Item>>(name, about);
}

/// All schemas of BulkSharp's routes: bodies of responses from their types, and those of requests, which are
/// read member by member.
[[nodiscard]] inline const std::vector<schema>& schemas() {
    static const std::vector<schema> all{
        body_schema<bodies::operation_descriptor>(),
        body_schema<bodies::operation_field>(),
        body_schema<bodies::bulk_operation>(),
        page_schema<bodies::bulk_operation>("a page of operations"),
        body_schema<bodies::bulk_status>(),
        body_schema<bodies::create_operation_response>(),
        body_schema<bodies::validation_response>(),
        body_schema<bodies::row_error>(),
        page_schema<bodies::row_error>("a page of failed rows"),
        body_schema<bodies::row_progress>(),
        body_schema<bodies::row_step>(),
        page_schema<bodies::row_progress>("a page of rows"),
        {"SignalFailureRequest", "why the step fails", "errorMessage:text"},
        body_schema<bodies::signal_response>(),
        {"RetryRowsRequest", "the rows to retry", "rowNumbers:[int]"},
        body_schema<bodies::retry_submission>(),
        body_schema<bodies::retry_eligibility>(),
        body_schema<bodies::retry_history_entry>(),
        page_schema<bodies::retry_history_entry>("a page of them"),
        body_schema<bodies::operation_event>(),
        body_schema<bodies::refusal>(),
    };
    return all;
}

}  // namespace bulk::http::api::bulksharp
