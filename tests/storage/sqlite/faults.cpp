// A disk that goes wrong under SQLite, at every call in turn: what was answered is kept, what failed
// has changed nothing, and it goes on when the disk does.
#include "../../conformance/events_and_files.hpp"
#include "../../conformance/operations.hpp"
#include "../../conformance/retry.hpp"
#include "../../conformance/signals.hpp"
#include "../../conformance/workers.hpp"

#include <support/faulty_vfs.hpp>
#include <support/raw_database.hpp>
#include <support/sqlite_backend.hpp>
#include <support/temporary_directory.hpp>
#include <support/ut.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace boost::ut;
using namespace conformance;
using bulk::errc, bulk::operation_state, bulk::result, bulk::row_state;
using storage = support::sqlite_backend;
using support::disk_fault, support::raw_database, support::temporary_directory;

namespace {

auto& disk = support::install_faulty_disk();

const bulk::sqlite_options synced{.durability = bulk::durability::full};

/// All that a storage knows, as far as it can be asked for.
struct everything {
    std::vector<bulk::operation_record> operations;
    std::vector<bulk::row_record> rows;
    std::vector<bulk::event> events;
    std::vector<bulk::given_signal> signals;
    std::vector<bulk::retry_entry> history;
    std::optional<std::uint64_t> position;
    std::vector<bulk::worker_record> workers;

    bool operator==(const everything&) const = default;
};

result<everything> read(storage& store) {
    everything all;
    std::optional<bulk::error> wrong;
    const auto take = [&](auto found, auto& into) {
        if (found)
            into = std::move(*found);
        else if (found.error().code != errc::not_found)  // its operation is not there yet
            wrong = found.error();
    };
    const auto id = operation(1).id;
    bulk::page<bulk::operation_record> operations;
    bulk::page<bulk::row_record> rows;
    bulk::page<bulk::retry_entry> history;
    take(store.query(bulk::operation_query{}), operations);
    take(store.query(bulk::row_query{.operation = id, .page_size = 1000}), rows);
    take(store.events(std::nullopt, 0, 100), all.events);
    take(store.signals(id, 0, 100), all.signals);
    take(store.retry_history({.operation = id}), history);
    take(store.event_position("mail"), all.position);
    take(store.workers(), all.workers);
    if (wrong) return std::unexpected{*wrong};
    all.operations = std::move(operations.items);
    all.rows = std::move(rows.items);
    all.history = std::move(history.items);
    return all;
}

/// Answers that do not matter here.
template <typename T>
result<> only_whether(const result<T>& done) {
    if (!done) return std::unexpected{done.error()};
    return {};
}

/// Fatal, and says why.
template <typename T>
void must(const result<T>& done) {
    expect(done.has_value()) << (done ? "" : done.error().message);
    expect(fatal(done.has_value()));
}

/// One that nobody needs any more.
bulk::operation_record ended() {
    auto record = operation(2);
    record.state = operation_state::cancelled;
    return record;
}

/// The record of the first operation, changed.
template <typename Change>
result<> update(storage& store, std::optional<bulk::lease> held, Change change) {
    auto record = store.get(operation(1).id);
    if (!record) return std::unexpected{record.error()};
    const auto before = record->state;
    change(*record);
    const std::vector events{status_changed_event(*record, before, at(80))};
    return only_whether(held ? store.update(*held, *record, events)
                             : store.update(*record, events));
}

/// One change, or one that has to be the same before and after.
using change = std::function<result<>(storage&)>;

const bulk::lease first_run{.operation = operation(1).id, .fence = 1},
    second_run{.operation = operation(1).id, .fence = 2};

/// Each is one transaction; `nullptr` is a process that ends and another that begins.
const std::vector<change>& workload() {
    static const std::vector<change> all{
        [](storage& store) {
            return only_whether(store.create(operation(1), {created_event(operation(1))}));
        },
        [](storage& store) { return only_whether(store.create(ended(), {})); },
        [](storage& store) { return only_whether(store.claim(request(0))); },
        [](storage& store) {
            return store.record(first_run,
                                {.completed = {{row(1), 30, step(-1), step(-1), at(0), at(1)}},
                                 .row_ids = {{row(3), "three"}}});
        },
        [](storage& store) {
            return store.record(first_run,
                                {.completed = {{row(10), 20, step(0), step(1), at(1), at(2)}},
                                 .records = {failed_row(1, 0), failed_row(2, 1), waiting(3, 0, "k"),
                                             waiting(4, 0, "l")},
                                 .counted = {.processed = 22, .successful = 20, .failed = 2}});
        },
        [](storage& store) { return only_whether(store.send(signal_for("k", 3), at(100))); },
        [](storage& store) { return only_whether(store.send(signal_for("early", 4), at(100))); },
        nullptr,
        [](storage& store) { return only_whether(store.close_wait(first_run, row(4), step(0))); },
        [](storage& store) {
            return only_whether(store.renew(first_run, at(5), std::chrono::seconds{10}));
        },
        [](storage& store) { return store.set_event_position("mail", 1); },
        [](storage& store) { return store.save_worker(worker(1, "a", 5)); },
        [](storage& store) -> result<> {
            auto begun = store.begin(first_run);
            if (!begun) return std::unexpected{begun.error()};
            for (const auto* sql :
                 {"CREATE TABLE IF NOT EXISTS ledger (row)", "INSERT INTO ledger VALUES (5)"})
                if (auto done = begun->connection().execute(sql); !done) return done;
            if (auto done = begun->record({.records = {record_of(5, 0, row_state::completed)},
                                           .counted = {.processed = 1, .successful = 1}});
                !done)
                return done;
            return begun->commit();
        },
        [](storage& store) {
            return update(store, first_run, [](bulk::operation_record& record) {
                record.state = operation_state::completed_with_errors;
                record.rows.total = 30;
            });
        },
        [](storage& store) -> result<> {
            auto record = store.get(operation(1).id);
            if (!record) return std::unexpected{record.error()};
            (void)move_to(*record, operation_state::retrying, at(70));
            return only_whether(store.retry(*record, {}, {}, {}));
        },
        [](storage& store) { return only_whether(store.claim(operation(1).id, request(90))); },
        [](storage& store) {
            return store.record(second_run,
                                {.completed = {{row(1), 2, step(0), step(1), at(3), at(4)}},
                                 .counted = {.processed = 2, .successful = 2}});
        },
        nullptr,
        [](storage& store) {
            return update(store, std::nullopt,
                          [](bulk::operation_record& record) { record.cancel_requested = true; });
        },
        [](storage& store) { return store.release(second_run); },
        [](storage& store) { return store.remove(ended().id); },
        nullptr,
    };
    return all;
}

/// The workload on a disk that goes wrong once in it.
class trial {
public:
    /// `expected` is what there is before it and after each change.
    explicit trial(const std::vector<everything>& expected) : expected_{expected} {}

    void run() {
        open();
        for (const auto& each : workload()) {
            if (each != nullptr) {
                ++at_;
                make(each);
            } else {
                store_.reset();
                open();
            }
            look();
        }
        store_.reset();
        disk.heal();
        raw_database kept{path_};
        expect(kept.run("PRAGMA integrity_check") == "ok");
        expect(kept.run("SELECT count(*) FROM ledger") == "1");
        store_.emplace(storage::open(path_).value());
        expect(is(read(*store_).value(), at_)) << "after it was closed";
    }

    /// What there is after each change, if nothing goes wrong.
    static std::vector<everything> rehearse() {
        const temporary_directory directory;
        const auto path = directory.path("bulk.db");
        std::optional<storage> store{storage::open(path).value()};
        std::vector found{read(*store).value()};
        for (const auto& each : workload()) {
            if (each == nullptr) continue;
            must(each(*store));
            found.push_back(read(*store).value());
        }
        return found;
    }

private:
    [[nodiscard]] bool is(const everything& found, std::size_t at) const {
        return found == expected_[at];
    }

    void open() {
        auto opened = storage::open(path_, synced);
        if (!opened) {
            check_message(opened.error());
            (void)storage::open(path_, synced);
            disk.heal();
            check_copy();
            opened = storage::open(path_, synced);
        }
        must(opened);
        store_.emplace(std::move(*opened));
    }

    void make(const change& each) {
        const auto done = each(*store_);
        if (done) return;
        check_message(done.error());
        const bool is_done = each(*store_).has_value();  // it may go wrong once only
        disk.heal();
        check_copy();
        if (is_done) return;
        auto found = read(*store_);
        must(found);
        expect(fatal(is(*found, at_ - 1) or is(*found, at_))) << "part of change" << at_;
        if (!is(*found, at_ - 1)) return;
        const auto again = each(*store_);
        must(again);
    }

    /// Who reads sees what there is, or that the disk does not work; never anything else.
    void look() {
        auto found = read(*store_);
        if (!found) {
            check_message(found.error());
            disk.heal();
            found = read(*store_);
        }
        must(found);
        expect(is(*found, at_)) << "after change" << at_;
    }

    void check_message(const bulk::error& wrong) const {
        expect(disk.failures() > 0_ul) << wrong.message;
        expect(wrong.message.contains("database '" + path_ + "', ")) << wrong.message;
        constexpr std::array<std::string_view, 3> causes{"disk is full", "disk I/O error",
                                                         "unable to open database file"};
        expect(std::ranges::any_of(causes, [&](std::string_view each) {
            return wrong.message.contains(each);
        })) << wrong.message;
    }

    /// A process that finds the files as they are now.
    void check_copy() const {
        const temporary_directory other;
        const auto path = other.path("bulk.db");
        for (const auto* suffix : {"", "-wal"})
            if (std::filesystem::exists(path_ + suffix))
                std::filesystem::copy_file(path_ + suffix, path + suffix);
        auto store = storage::open(path);
        must(store);
        const auto found = read(*store).value();
        expect(is(found, at_) or (at_ > 0 and is(found, at_ - 1))) << "copied in change" << at_;
    }

    const std::vector<everything>& expected_;
    temporary_directory directory_;
    std::string path_ = directory_.path("bulk.db");
    std::optional<storage> store_;
    std::size_t at_ = 0;
};

suite<"a faulty disk"> faults = [] {
    "whatever fails at whatever call: nothing is lost, and it goes on"_test = [] {
        const auto expected = trial::rehearse();
        for (const auto how : {disk_fault::full, disk_fault::short_write, disk_fault::broken,
                               disk_fault::not_synced})
            for (const bool is_lasting : {false, true}) {
                std::uint64_t at = 1;
                for (bool was_reached = true; was_reached; ++at) {
                    disk.fail_at(at, how, is_lasting);
                    trial{expected}.run();
                    was_reached = disk.failures() > 0;
                }
                expect(at > 20_ul) << "there are more calls than that";
            }
    };
};

}  // namespace

int main() {}
