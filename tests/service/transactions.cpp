// Steps that write in the transaction that records them.
#include <bulk/storage/memory/records.hpp>

#include <support/stage.hpp>
#include <support/ut.hpp>

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

using namespace boost::ut;
using namespace std::chrono_literals;
using bulk::operation_state, bulk::row_state;
using support::number, support::numbers;

namespace {

using ledger = std::vector<std::string>;

/// The memory backend with a ledger in it, and with transactions over both. Its commit may fail.
class ledger_storage : public bulk::memory::records {
public:
    using connection = ledger;

    class transaction {
    public:
        transaction(ledger_storage& on, const bulk::lease& held)
            : on_{&on}, held_{held}, lines_{*on.lines} {}

        [[nodiscard]] ledger& connection() { return lines_; }
        [[nodiscard]] bulk::result<> record(const bulk::row_batch& batch) {
            batches_.push_back(batch);
            return {};
        }
        [[nodiscard]] std::optional<bulk::error> overdue() const {
            if (*on_->late_ones == 0) return std::nullopt;
            --*on_->late_ones;
            return bulk::error{bulk::errc::timed_out, "it was open for too long"};
        }
        [[nodiscard]] bulk::result<> commit() {
            if (*on_->failures > 0) {
                --*on_->failures;
                return bulk::fail(bulk::errc::unavailable, "the disk is full");
            }
            for (const auto& each : batches_)
                if (auto stored = on_->record(held_, each); !stored) return stored;
            *on_->lines = lines_;
            return {};
        }

    private:
        ledger_storage* on_;
        bulk::lease held_;
        ledger lines_;
        std::vector<bulk::row_batch> batches_;
    };

    [[nodiscard]] bulk::result<transaction> begin(const bulk::lease& held) {
        if (*refusals > 0) {
            --*refusals;
            return bulk::fail(bulk::errc::unavailable, "the disk is gone");
        }
        return transaction{*this, held};
    }

    std::shared_ptr<ledger> lines = std::make_shared<ledger>();
    std::shared_ptr<int> failures = std::make_shared<int>(0);
    std::shared_ptr<int> refusals = std::make_shared<int>(0);
    std::shared_ptr<int> late_ones = std::make_shared<int>(0);
};
static_assert(bulk::transactional_store<ledger_storage>);

/// What the step "Pay" does after it has written.
std::function<bulk::outcome(const number&, bulk::context&)> then;

struct payments : bulk::operation<payments, number> {
    BULK_OPERATION("payments", .retryable = true)
    BULK_STEP(check, "Check")(const number&, const bulk::no_metadata&, bulk::context&) {}
    BULK_STEP(pay, "Pay", .max_retries = 1)
    (const number& row, const bulk::no_metadata&, bulk::context& ctx)->bulk::outcome {
        const auto lines = ctx.transaction<ledger>();
        if (!lines) return bulk::outcome::fail(lines.error().message);
        (*lines)->push_back("row " + std::to_string(row.value));
        return then ? then(row, ctx) : bulk::outcome::done();
    }
};

/// Does without the transaction when there is none.
struct careless_payments : bulk::operation<careless_payments, number> {
    BULK_OPERATION("careless payments")
    BULK_STEP(pay, "Pay")
    (const number& row, const bulk::no_metadata&, bulk::context& ctx)->bulk::outcome {
        if (row.value == 2 && then) return then(row, ctx);
        if (const auto lines = ctx.transaction<ledger>()) (*lines)->push_back("row");
        return bulk::outcome::done();
    }
};

/// Its last step is a transaction, and so the row ends with it.
struct coroutine_payments : bulk::operation<coroutine_payments, number> {
    BULK_OPERATION("coroutine payments")
    BULK_STEP(pay, "Pay")
    (const number&, const bulk::no_metadata&, bulk::context& ctx)->bulk::task<bulk::result<>> {
        const auto lines = ctx.transaction<ledger>();
        if (!lines) co_return std::unexpected{lines.error()};
        co_return bulk::result<>{};
    }
};

/// Requests the connection of another backend.
struct foreign_payments : bulk::operation<foreign_payments, number> {
    BULK_OPERATION("foreign payments")
    BULK_STEP(pay, "Pay")
    (const number&, const bulk::no_metadata&, bulk::context& ctx)->bulk::result<> {
        const auto other = ctx.transaction<std::map<int, int>>();
        if (!other) return std::unexpected{other.error()};
        return {};
    }
};

using all = bulk::operation_list<payments, careless_payments, coroutine_payments, foreign_payments>;
using play = support::stage<all, ledger_storage>;

suite<"transactions"> transactions = [] {
    "what a step writes is stored with its record"_test = [] {
        then = {};
        play on;
        const auto done = on.run(numbers(3), "payments");
        expect(done.state == operation_state::completed);
        expect(done.rows.successful == 3_u && done.rows.processed == 3_u);
        expect(*on.storage.lines == ledger{"row 1", "row 2", "row 3"});
        for (std::uint64_t row = 1; row <= 3; ++row)
            for (const int step : {-1, 0, 1})
                expect(on.record(done.id, row, step)->state == row_state::completed);
    };

    "the record is there as soon as it is written, and so is the row's count"_test = [] {
        play on{{.flush_batch_size = 1000}};
        const bulk::operation_id* running = nullptr;
        std::uint64_t counted = 0, seen = 0;
        then = [&](const number& row, bulk::context&) {
            if (row.value == 3 && running != nullptr) {
                counted = on.get(*running).rows.successful;
                seen = on.record(*running, 2, 1).has_value() ? on.storage.lines->size() : 0;
            }
            return bulk::outcome::done();
        };
        const auto id = on.create(numbers(3), "payments");
        running = &id;
        on.finish(id);
        expect(counted == 2_u && seen == 2_u);
        then = {};
    };

    "a transaction that was open for too long is tried again, then the step fails"_test = [] {
        then = {};
        for (const int late : {1, 2}) {
            play on;
            *on.storage.late_ones = late;
            const auto done = on.run(numbers(1), "payments");
            const bool is_good = late == 1;
            expect(done.rows.successful == (is_good ? 1 : 0));
            expect(on.storage.lines->size() == (is_good ? 1 : 0)) << "what it wrote is undone";
            const auto record = on.record(done.id, 1, 1);
            expect(fatal(record.has_value()));
            expect(record->attempt == 2_u);
            expect(record->error_message == (is_good ? "" : "it was open for too long"));
        }
    };

    "what fails or throws has written nothing"_test = [] {
        play on;
        int tries = 0;
        then = [&](const number& row, bulk::context&) -> bulk::outcome {
            if (row.value == 1) return bulk::outcome::fail("no");
            if (row.value == 2 && ++tries == 1) throw std::runtime_error{"first time"};
            return bulk::outcome::done();
        };
        const auto done = on.run(numbers(3), "payments");
        expect(done.rows.failed == 1_u && done.rows.successful == 2_u);
        expect(*on.storage.lines == ledger{"row 3", "row 2"});
        expect(on.record(done.id, 2, 1)->attempt == 2_u);
        then = {};
    };

    "a wait begins with what was written before it"_test = [] {
        play on;
        then = [](const number&, bulk::context&) { return bulk::outcome::wait_for_signal("paid"); };
        const auto id = on.create(numbers(1), "payments");
        on.drive_for(1min);
        expect(*on.storage.lines == ledger{"row 1"});
        expect(on.record(id, 1, 1)->state == row_state::waiting_for_completion);
        expect(on.service->signal(id, "paid").has_value());
        expect(on.finish(id).rows.successful == 1_u);
        expect(on.storage.lines->size() == 1_u);
        then = {};
    };

    "a wait that is refused has written nothing"_test = [] {
        play on;
        then = [](const number&, bulk::context&) { return bulk::outcome::wait_for_signal(""); };
        expect(on.run(numbers(2), "payments").rows.failed == 2_u);
        expect(on.storage.lines->empty());
        then = {};
    };

    "a commit that fails leaves nothing, and the step is run again when it can be"_test = [] {
        play on;
        *on.storage.failures = 3;
        const auto done = on.run(numbers(4), "payments");
        expect(done.state == operation_state::completed);
        expect(done.rows.successful == 4_u);
        expect(on.storage.lines->size() == 4_u);
        expect(on.log.contains("the disk is full"));
        for (std::uint64_t row = 1; row <= 4; ++row)
            expect(on.record(done.id, row, 0).has_value() &&
                   on.record(done.id, row, 1).has_value());
    };

    "a transaction that the storage does not give fails no row"_test = [] {
        play on;
        *on.storage.refusals = 7;
        const auto done = on.run(numbers(4), "payments");
        expect(done.state == operation_state::completed) << on.errors(done.id);
        expect(done.rows.successful == 4_u);
        expect(on.storage.lines->size() == 4_u);
        expect(on.log.contains("the disk is gone"));
        for (std::uint64_t row = 1; row <= 4; ++row)
            expect(on.record(done.id, row, 1)->attempt == 1_u);
    };

    "a step that does without the transaction it did not get is done"_test = [] {
        play on;
        *on.storage.refusals = 1;
        const auto done = on.run(numbers(3), "careless payments");
        expect(done.state == operation_state::completed) << on.errors(done.id);
        expect(on.storage.lines->size() == 2_u);
        // What fails later has nothing to do with it.
        *on.storage.refusals = 1;
        then = [](const number& row, bulk::context&) {
            return row.value == 2 ? bulk::outcome::fail("no") : bulk::outcome::done();
        };
        expect(on.run(numbers(3), "careless payments").rows.failed == 1_u);
        then = {};
    };

    "nothing is written twice over a crash"_test = [] {
        play on{{.flush_batch_size = 1000}};
        int calls = 0;
        then = [&](const number&, bulk::context&) {
            ++calls;
            return bulk::outcome::done();
        };
        const auto id = on.create(numbers(50), "payments");
        expect(on.drive([&] { return calls >= 20; }));
        on.crash();
        on.start();
        on.drive_for(1min);
        expect(on.finish(id).rows.successful == 50_u);
        expect(on.storage.lines->size() == 50_u);
        then = {};
    };

    "where there are none, it is said so"_test = [] {
        support::stage<all> plain;
        const auto done = plain.run(numbers(1), "payments");
        expect(plain.errors(done.id).contains("has no transaction that a step could write in"))
            << plain.errors(done.id);
        play on;
        const auto other = on.run(numbers(1), "coroutine payments");
        expect(on.errors(other.id).contains("only a step that is no coroutine has one"))
            << on.errors(other.id);
        const auto foreign = on.run(numbers(1), "foreign payments");
        expect(on.errors(foreign.id).contains("has no connection of that type"))
            << on.errors(foreign.id);
        bulk::context alone{{}};
        expect(!alone.transaction<ledger>().has_value());
    };
};

}  // namespace

int main() {}
