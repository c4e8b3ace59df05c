// Rows fail; why is told in groups, the rows go out as a file, and when the cause is gone they are
// tried again.
#include <bulk/bulk.hpp>

#include <iostream>
#include <set>

struct transfer {
    std::string account;
    int amount = 0;
};
BULK_ROW(transfer, (account, .row_id = true), amount);

std::set<std::string> locked{"DE-2", "DE-3"};

struct transfers : bulk::operation<transfers, transfer> {
    BULK_OPERATION("transfers", .retryable = true)

    bulk::result<> validate(const transfer& t, const bulk::no_metadata&) {
        if (t.amount <= 0) return bulk::fail("an amount is more than 0");
        return {};
    }

    bulk::result<> process(const transfer& t, const bulk::no_metadata&, bulk::context&) {
        if (locked.contains(t.account)) return bulk::fail("account '" + t.account + "' is locked");
        return {};
    }
};

constexpr std::string_view file =
    "account,amount,remark\n"
    "DE-1,10,\"rent, June\"\n"
    "DE-2,20,\"rent, July\"\n"
    "DE-3,30,\n"
    "DE-4,-5,\n";

void print(const bulk::operation_record& operation) {
    std::cout << name_of(operation.state) << ": " << operation.rows.successful << " of "
              << operation.rows.total << " rows\n";
}

int main() {
    bulk::service service{bulk::operations<transfers>, bulk::memory::storage{}};
    const auto id =
        service.create("transfers", bulk::upload{"june.csv", bulk::bytes_of_text(file)}).value();
    print(service.wait(id).value());
    for (const auto found = service.error_groups(id).value(); const auto& group : found)
        std::cout << group.count << " x " << group.pattern << '\n';

    std::string failed;
    const auto written = service.export_rows(
        id, {.kind = bulk::export_kind::data, .rows = bulk::export_rows::failed},
        [&](std::string_view part) -> bulk::result<> {
            failed += part;
            return {};
        });
    std::cout << '\n' << written->file_name << ":\n" << failed << '\n';

    locked.clear();
    const auto retried = service.retry(id).value();
    std::cout << retried.submitted << " rows are tried again\n";
    print(service.wait(id).value());
    for (const auto found = service.retry_history({.operation = id}).value();
         const auto& entry : found.items)
        std::cout << "row " << to_number(entry.row) << " had failed: " << entry.error_message
                  << '\n';
    std::cout << "again? " << service.can_retry(id)->reason << '\n';
}
