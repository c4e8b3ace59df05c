// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/core/error_type.hpp>
#include <bulk/core/event.hpp>
#include <bulk/core/operation_state.hpp>
#include <bulk/core/reflect.hpp>
#include <bulk/core/row_state.hpp>
#include <bulk/core/uuid.hpp>
#include <bulk/http/api/bodies/values.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// The types of BulkSharp's API by the names that generated clients have for them. What is optional can be
/// null there, and is left out then. Responses and their schemas are written from the same members, in this
/// order: see `style` and `schemas`.
namespace bulk::http::api::bulksharp::bodies {

using api::bodies::given;
using api::bodies::schema_text;

/// Of 32 bits there: what is more is the largest number that its clients can read.
[[nodiscard]] constexpr std::int32_t int_of(std::uint64_t value) {
    constexpr std::int32_t most = std::numeric_limits<std::int32_t>::max();
    return static_cast<std::int32_t>(std::min<std::uint64_t>(value, most));
}

/// A number that is `int` there, and is never brought down to that: the largest would be another row.
struct row_int {
    static constexpr std::string_view schema_word = "int";
    std::uint64_t number = 0;
    [[nodiscard]] std::string json() const { return std::to_string(number); }
};

/// Bytes in base 64.
struct base64_text {
    static constexpr std::string_view schema_word = "bytes";
    std::string text{};
    [[nodiscard]] std::string json() const { return '"' + text + '"'; }
};

struct operation_field {
    static constexpr schema_text schema{"OperationFieldDto",
                                        "a metadata field or a column of the file"};
    std::string name{};
    std::string type{};
    bool required = false;
};
BOOST_DESCRIBE_STRUCT(operation_field, (), (name, type, required))

struct operation_descriptor {
    static constexpr schema_text schema{"OperationDescriptorDto",
                                        "an operation type that files can be uploaded for"};
    std::string name{};
    std::string description{};
    bool is_step_based = false;
    std::optional<std::string> metadata_type{};
    std::optional<std::string> row_type{};
    std::optional<std::string> type_full_name{};
    std::optional<std::string> source_service{};  ///< never: its gateway alone says it
    std::vector<operation_field> metadata_fields{};
    std::vector<operation_field> file_columns{};
};
BOOST_DESCRIBE_STRUCT(operation_descriptor, (),
                      (name, description, is_step_based, metadata_type, row_type, type_full_name,
                       source_service, metadata_fields, file_columns))

struct bulk_operation {
    static constexpr schema_text schema{"BulkOperation", "an operation"};
    uuid id{};
    std::string operation_name{};
    uuid file_id{};
    std::string file_name{};
    std::string metadata_json{};
    std::string created_by{};
    std::string source{};
    std::optional<std::string> notification_options_json{};
    timestamp created_at{};
    std::optional<timestamp> started_at{};
    std::optional<timestamp> completed_at{};
    operation_state status{};
    std::int32_t total_rows = 0;
    std::int32_t processed_rows = 0;
    std::int32_t successful_rows = 0;
    std::int32_t failed_rows = 0;
    std::int32_t retry_count = 0;
    std::optional<std::string> error_message{};
    std::uint64_t file_size = 0;
    std::int32_t error_count = 0;
    std::optional<base64_text> row_version{};
};
BOOST_DESCRIBE_STRUCT(bulk_operation, (),
                      (id, operation_name, file_id, file_name, metadata_json, created_by, source,
                       notification_options_json, created_at, started_at, completed_at, status,
                       total_rows, processed_rows, successful_rows, failed_rows, retry_count,
                       error_message, file_size, error_count, row_version))

struct bulk_status {
    static constexpr schema_text schema{"BulkStatusDto", "the progress of an operation"};
    operation_state status{};
    std::int32_t processed_rows = 0;
    std::int32_t total_rows = 0;
    std::int32_t error_count = 0;
    std::optional<timestamp> completed_at{};
    double progress = 0;
};
BOOST_DESCRIBE_STRUCT(bulk_status, (),
                      (status, processed_rows, total_rows, error_count, completed_at, progress))

struct create_operation_response {
    static constexpr schema_text schema{"CreateOperationResponse", "the id of the new operation"};
    uuid operation_id{};
};
BOOST_DESCRIBE_STRUCT(create_operation_response, (), (operation_id))

struct validation_response {
    static constexpr schema_text schema{"ValidationResponse",
                                        "what is wrong with metadata and file"};
    bool valid = false;
    std::vector<std::string> metadata_errors{};
    std::vector<std::string> file_errors{};
};
BOOST_DESCRIBE_STRUCT(validation_response, (), (valid, metadata_errors, file_errors))

struct row_error {
    static constexpr schema_text schema{"RowErrorDto", "a failed row"};
    uuid id{};
    uuid bulk_operation_id{};
    row_int row_number{};
    std::optional<std::string> row_id{};
    std::optional<bulk::error_type> error_type{};
    std::optional<std::string> error_message{};
    std::optional<std::string> row_data{};
    timestamp created_at{};
};
BOOST_DESCRIBE_STRUCT(row_error, (),
                      (id, bulk_operation_id, row_number, row_id, error_type, error_message,
                       row_data, created_at))

struct row_step {
    static constexpr schema_text schema{"RowStepDto", "a row at a step"};
    std::string step_name{};
    row_state state{};
    std::optional<std::string> signal_key{};
    std::optional<timestamp> started_at{};
    std::optional<timestamp> completed_at{};
    std::optional<std::string> error_message{};
};
BOOST_DESCRIBE_STRUCT(row_step, (),
                      (step_name, state, signal_key, started_at, completed_at, error_message))

struct row_progress {
    static constexpr schema_text schema{"RowProgressDto", "a row and its steps"};
    row_int row_number{};
    std::optional<std::string> row_id{};
    std::string current_step{};
    row_state current_state{};
    std::int32_t completed_steps = 0;
    std::int32_t total_steps = 0;
    std::vector<row_step> steps{};
};
BOOST_DESCRIBE_STRUCT(row_progress, (),
                      (row_number, row_id, current_step, current_state, completed_steps,
                       total_steps, steps))

struct signal_response {
    static constexpr schema_text schema{"SignalResponse", "the step that was signalled"};
    row_int row_number{};
    std::string step{};
    bool completed = false;
    bool failed = false;
    std::optional<std::string> error{};
    bool cross_process = false;
};
BOOST_DESCRIBE_STRUCT(signal_response, (),
                      (row_number, step, completed, failed, error, cross_process))

struct retry_submission {
    static constexpr schema_text schema{"RetrySubmission",
                                        "the rows that are retried, and why others are not"};
    uuid operation_id{};
    std::int32_t rows_submitted = 0;
    std::int32_t rows_skipped = 0;
    std::optional<std::vector<std::string>> skipped_reasons{};
};
BOOST_DESCRIBE_STRUCT(retry_submission, (),
                      (operation_id, rows_submitted, rows_skipped, skipped_reasons))

struct retry_eligibility {
    static constexpr schema_text schema{"RetryEligibility", "whether the operation can be retried"};
    bool is_eligible = false;
    std::optional<std::string> reason{};
};
BOOST_DESCRIBE_STRUCT(retry_eligibility, (), (is_eligible, reason))

struct retry_history_entry {
    static constexpr schema_text schema{"BulkRowRetryHistory", "a failure that was retried"};
    uuid id{};
    uuid bulk_operation_id{};
    row_int row_number{};
    std::int32_t step_index = 0;
    std::int32_t attempt = 0;
    std::optional<bulk::error_type> error_type{};
    std::optional<std::string> error_message{};
    timestamp failed_at{};
    std::optional<std::string> row_data{};
};
BOOST_DESCRIBE_STRUCT(retry_history_entry, (),
                      (id, bulk_operation_id, row_number, step_index, attempt, error_type,
                       error_message, failed_at, row_data))

struct operation_event {
    static constexpr schema_text schema{"OperationEventDto",
                                        "something that happened to an operation"};
    std::uint64_t sequence = 0;
    uuid operation_id{};
    std::string operation_name{};
    std::string type{};  ///< text, so that clients go on when there is a new one
    bulk::severity severity{};
    std::string message{};
    bulk::timestamp timestamp{};
};
BOOST_DESCRIBE_STRUCT(operation_event, (),
                      (sequence, operation_id, operation_name, type, severity, message, timestamp))

struct refusal {
    static constexpr schema_text schema{"older_refusal", "why a request was refused"};
    std::string error{};
};
BOOST_DESCRIBE_STRUCT(refusal, (), (error))

/// Items of one page, and how many there are in all.
template <typename Item>
struct paged_result {
    std::vector<Item> items{};
    std::int32_t total_count = 0;
    std::int32_t page = 0;
    std::int32_t page_size = 0;
    bool has_next_page = false;

    BOOST_DESCRIBE_CLASS(paged_result, (), (items, total_count, page, page_size, has_next_page), (),
                         ())
};

/// Recipients as its dashboard reads them back; triggers are bits, the same as ours.
struct stored_recipient {
    std::string channel{};
    std::string target{};
    std::uint32_t triggers = 0;
};
BOOST_DESCRIBE_STRUCT(stored_recipient, (), (channel, target, triggers))
struct notification_options {
    std::vector<stored_recipient> recipients{};
};
BOOST_DESCRIBE_STRUCT(notification_options, (), (recipients))

}  // namespace bulk::http::api::bulksharp::bodies
