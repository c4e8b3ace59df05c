#include <bulk/http/api/bulksharp/texts.hpp>

#include <support/ut.hpp>

#include <chrono>
#include <string>

using namespace boost::ut;
using namespace std::chrono_literals;
namespace api = bulk::http::api::bulksharp;

suite<"texts of BulkSharp"> texts = [] {
    "a duration has .NET's format g"_test = [] {
        expect(api::duration_text(0us) == "0:00:00");
        expect(api::duration_text(2045ms) == "0:00:02.045");
        expect(api::duration_text(1us) == "0:00:00.000001");
        expect(api::duration_text(500ms) == "0:00:00.5");
        expect(api::duration_text(1h + 2min + 3s) == "1:02:03");
        expect(api::duration_text(27h + 16min + 50s) == "1:3:16:50");
    };

    "a length counts UTF-16 code units"_test = [] {
        expect(api::utf16_length("") == 0);
        expect(api::utf16_length("abc") == 3);
        expect(api::utf16_length("zo\xc3\xab") == 3);
        expect(api::utf16_length("\xe2\x82\xac") == 1);
        expect(api::utf16_length("\xf0\x9f\x98\x80") == 2);
    };

    "events have its messages"_test = [] {
        bulk::operation_record record{
            .name = "orders", .created_by = "anna", .state = bulk::operation_state::completed};
        expect(api::event_message(bulk::created_event(record)) == "Operation created");
        expect(api::event_message(bulk::status_changed_event(record, bulk::operation_state::running,
                                                             {})) == "Running to Completed");
        record.validated = true;
        record.rows = {.total = 8, .processed = 8, .successful = 2, .failed = 6};
        record.run_started_at = bulk::timestamp{};
        record.completed_at = bulk::timestamp{} + 2045ms;
        expect(api::event_message(*bulk::final_event(record, {})) ==
               "2/8 rows succeeded in 0:00:02.045");
        record.state = bulk::operation_state::failed;
        record.error_message = "no such column";
        expect(api::event_message(*bulk::final_event(record, {})) == "no such column");
    };

    "a retry is refused in its words"_test = [] {
        const auto reason = [](bulk::retry_obstacle why) {
            return api::retry_reason({.reason = "ours", .obstacle = why},
                                     bulk::operation_state::failed);
        };
        const std::string state = "Operation is in Failed state, must be CompletedWithErrors";
        expect(reason(bulk::retry_obstacle::wrong_state) == state);
        expect(reason(bulk::retry_obstacle::not_validated) == state);
        expect(reason(bulk::retry_obstacle::not_retryable) ==
               "Operation is not retryable (IsRetryable = false)");
        expect(reason(bulk::retry_obstacle::rows_deleted) ==
               "TrackRowData must be enabled for retry");
        for (const auto same :
             {bulk::retry_obstacle::not_found, bulk::retry_obstacle::unknown_type,
              bulk::retry_obstacle::too_many_retries, bulk::retry_obstacle::no_failed_rows})
            expect(reason(same) == "ours");
    };
};

int main() {}
