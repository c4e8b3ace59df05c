// What a program can bring along: handlers, a scheduler, a format; and options that change records.
#include <bulk/bulk.hpp>
#include <bulk/engine/thread_executor.hpp>

#include <support/property_format.hpp>
#include <support/stage.hpp>
#include <support/ut.hpp>

#include <array>
#include <atomic>
#include <chrono>
#include <deque>
#include <functional>
#include <semaphore>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

using namespace boost::ut;
using namespace std::chrono_literals;
using namespace std::string_literals;
using bulk::operation_state, bulk::row_number;

namespace {

struct device {
    std::string imei;
    std::optional<int> plan;
};
BULK_ROW(device, (imei, .column = "IMEI", .row_id = true, .unique = true), plan);

struct secret {
    std::string name;
    bulk::pii<std::string> pin;
};
BULK_ROW(secret, name, pin);

std::string heard, heard_all;

struct audit {
    void on_created(const bulk::event&) { heard += "created "; }
    void on_row_failed(const bulk::event& what) {
        heard += "row" + std::to_string(to_number(*what.row)) + ' ';
        if (what.row == row_number{3}) throw std::runtime_error{"cannot write"};
    }
    void on_completed(const bulk::event&) { heard += "completed "; }
};

struct devices : bulk::operation<devices, device> {
    BULK_OPERATION("devices", .track_row_data = true)
    auto handlers() {
        return std::tuple{audit{}, [](const bulk::event& what) {
                              heard_all += std::string{bulk::name_of(what.kind)} + ' ';
                          }};
    }
    bulk::result<> process(const device& d, const bulk::no_metadata&, bulk::context&) {
        if (d.plan == 0) return bulk::fail("no plan 0");
        return {};
    }
};

struct secrets : bulk::operation<secrets, secret> {
    BULK_OPERATION("secrets")
    bulk::result<> process(const secret& s, const bulk::no_metadata&, bulk::context&) {
        if (s.pin.reveal() == "1") return bulk::fail("too short");
        return {};
    }
};

using entry = support::property;
using properties = support::property_format;
/// A program's own idea of CSV.
struct named_csv : properties {
    static constexpr std::string_view name = "csv";
};

struct entries : bulk::operation<entries, entry> {
    BULK_OPERATION("entries")
    bulk::outcome process(const entry& e, const bulk::no_metadata&, bulk::context& ctx) {
        if (e.value == 2 && ctx.attempt() == 1) return bulk::outcome::poll(1s, 1min);
        support::now_playing->note(e.key + "=" + std::to_string(e.value));
        return bulk::outcome::done();
    }
};

std::function<void()> before_row;

struct gated : bulk::operation<gated, entry> {
    BULK_OPERATION("gated")
    bulk::result<> process(const entry&, const bulk::no_metadata&, bulk::context&) {
        before_row();
        return {};
    }
};

/// An event loop of the program's own: no base class, only the functions.
struct loop {
    std::deque<bulk::job> ready;
    bulk::timer_queue later;
    bulk::manual_clock clock;
    int submitted = 0;

    void submit(bulk::job job) {
        ++submitted;
        ready.push_back(std::move(job));
    }
    void submit_at(bulk::timestamp when, bulk::job job) { later.add(when, std::move(job)); }
    [[nodiscard]] bulk::timestamp now() const { return clock.now(); }
    [[nodiscard]] std::size_t concurrency() const { return 1; }

    bool turn() {
        while (auto due = later.take_due(now())) ready.push_back(std::move(due));
        if (ready.empty()) {
            const auto next = later.next_deadline();
            if (next) clock.advance(*next - now());
            return next.has_value();
        }
        auto job = std::move(ready.front());
        ready.pop_front();
        job();
        return true;
    }
};
static_assert(bulk::scheduler<loop> and bulk::scheduler<bulk::thread_executor>);

using known = std::remove_const_t<decltype(bulk::operations<devices, secrets, entries>)>;
using stage = support::stage<known>;

suite<"extensions"> extensions = [] {
    "an operation names its handlers; each hears what it asks for, whatever others throw"_test =
        [] {
            heard.clear();
            heard_all.clear();
            stage at;
            const auto id = at.create("IMEI,plan\na,1\nb,0\nc,0\n", "devices");
            (void)at.finish(id);
            (void)at.run("name,pin\nx,1\n", "secrets");  // of another operation: not their business
            at.drive_for(1s);
            expect(heard == "created row2 row3 completed ") << heard;
            expect(heard_all ==
                   "created status_changed status_changed row_failed row_failed "
                   "status_changed completed ")
                << heard_all;
            expect(at.log.contains("cannot write"));
        };

    "what they missed while nobody was there, they are told by the next process"_test = [] {
        // The process dies after each of its jobs in turn, until one has told everything. Between two
        // jobs no event is told whose position is not stored, so that here each is told exactly once.
        int died_untold = 0;  // when all was done, and the handler had not been told
        for (int jobs = 0;; ++jobs) {
            heard.clear();
            heard_all.clear();
            stage at;
            const auto id = at.create("IMEI,plan\na,1\nb,0\n", "devices");
            for (int i = 0; i < jobs; ++i) (void)at.jobs.step();
            const bool was_told = heard.ends_with("completed ");
            died_untold += at.is_done(id) && !was_told ? 1 : 0;
            at.crash();
            at.start();
            at.drive_for(2min);
            expect(at.is_done(id)) << jobs;
            expect(heard == "created row2 completed ") << jobs << heard;
            expect(heard_all ==
                   "created status_changed status_changed row_failed status_changed completed ")
                << jobs << heard_all;
            at.crash();
            at.start();
            at.drive_for(2min);
            expect(heard == "created row2 completed ") << "and not once more" << jobs << heard;
            if (was_told || jobs > 1'000) break;
        }
        expect(died_untold > 0_i);
    };

    "a handler that blocks delays no row"_test = [] {
        std::counting_semaphore<> entered{0}, released{0};  // waits end, so that a failure does
        std::atomic<bool> is_held = false;
        bulk::memory::storage storage;
        bulk::service service{bulk::operations<gated>, storage,
                              bulk::service_options{.max_row_concurrency = 1, .worker_count = 1}};
        (void)service.subscribe([&](const bulk::event& what) {
            if (what.kind != bulk::event_kind::created) return;
            is_held = true;
            entered.release();
            (void)released.try_acquire_for(20s);
            is_held = false;
        });
        bool is_first = true, was_entered = false;
        before_row = [&] {
            if (std::exchange(is_first, false)) was_entered = entered.try_acquire_for(20s);
        };
        const auto id =
            service.create("gated", support::text("key,value\na,1\nb,2\nc,3\n")).value();
        const auto done = service.wait(id, 40s).value();
        expect(was_entered and is_held) << "rows run and end while the handler is held";
        released.release();
        expect(done.state == operation_state::completed);
        expect(done.rows == bulk::row_counters{3, 3, 3, 0}) << done.rows.processed;
    };

    "a business key that must be unique is refused the second time, in the file's order"_test = [] {
        for (const int concurrency : {1, 4}) {
            stage at{{.max_row_concurrency = concurrency}};
            std::string file = "IMEI,plan\n";
            for (int i = 1; i <= 500; ++i) file += std::to_string(i % 400) + ",1\n";
            const auto done = at.run(file, "devices");
            expect(done.rows == bulk::row_counters{500, 500, 400, 100}) << done.rows.failed;
            const auto record = at.record(done.id, 450, -1);
            expect(record->error_message ==
                   "column 'IMEI' must be unique, and row 50 has the same value");
            expect(record->failure == bulk::error_type::validation and record->row_id == "50");
            expect(record->row_data == R"({"IMEI":"50","plan":1})") << "what was kept stays";
            expect(!at.record(done.id, 450, 0).has_value()) << "it never ran";
            expect(at.record(done.id, 50, 0)->state == bulk::row_state::completed);
        }
    };

    "the same after a crash in the middle of the validation"_test = [] {
        stage at{{.flush_batch_size = 10, .lease_time = 10s}};
        std::string file = "IMEI,plan\n";
        for (int i = 1; i <= 3000; ++i) file += std::to_string(i % 2900) + ",1\n";
        const auto id = at.create(file, "devices");
        expect(at.drive([&] { return at.record(id, 1000, -1).has_value(); }));
        expect(at.get(id).state == operation_state::validating);
        at.crash();
        at.jobs.advance(1min);
        at.start({.lease_time = 10s});
        expect(at.finish(id).rows == bulk::row_counters{3000, 3000, 2900, 100});
    };

    "errors carry their row if asked to, and personal fields never"_test = [] {
        stage at{{.include_row_data_in_errors = true}};
        auto done = at.run("name,pin\nx,1\ny,2\n", "secrets");
        expect(at.record(done.id, 1, 0)->row_data == R"({"name":"x","pin":"***"})");
        expect(at.record(done.id, 2, 0)->row_data.empty());
        done = at.run("name,pin\nx\n", "secrets");
        expect(at.record(done.id, 1, -1)->row_data.empty()) << "unread, it could show anything";
        support::script script;
        done = at.run("key,value\na,one\n", "entries");
        expect(at.record(done.id, 1, -1)->row_data == R"("a,one")")
            << at.record(done.id, 1, -1)->row_data;
    };

    "a format that cannot be cut runs, and its rows can wait"_test = [] {
        for (const int concurrency : {1, 4}) {
            support::script script;
            support::seeded_executor jobs{1};
            bulk::memory::storage storage;
            bulk::service service{{bulk::operations<entries>, bulk::formats<properties>},
                                  storage,
                                  {.max_row_concurrency = concurrency},
                                  bulk::read_options{},
                                  &jobs};
            const auto id =
                service.create("entries", support::text("a=1\nb\nc=2\nd=3\n", "x.properties"));
            while (!is_final(storage.get(*id)->state) and jobs.step()) {
            }
            const auto done = storage.get(*id).value();
            expect(done.rows == bulk::row_counters{4, 4, 2, 2}) << done.rows.failed;
            expect(script.calls == "a=1 d=3 ") << script.calls;
        }
    };

    "rows of a format with the name of a built-in one are converted, not copied"_test = [] {
        support::script script;
        bulk::service service{{bulk::operations<entries>, bulk::formats<named_csv>},
                              bulk::memory::storage{},
                              {.scheduler = bulk::scheduling::immediate}};
        const auto id = service.create("entries", support::text("a=1\nc=3\n", "x.properties"));
        std::string out;
        const auto written =
            service.export_rows(*id, {.kind = bulk::export_kind::data}, [&](std::string_view part) {
                out += part;
                return bulk::result<>{};
            });
        expect(written.has_value() && written->rows == std::uint64_t{2});
        expect(out == "key,value\na,1\nc,3\n") << out;
    };

    "a scheduler of the program's own needs no base class"_test = [] {
        support::script script;
        loop jobs;
        bulk::memory::storage storage;
        bulk::service service{bulk::operations<entries>, storage, bulk::service_options{},
                              bulk::read_options{}, &jobs};
        const auto id = service.create("entries", support::text("key,value\na,1\n"));
        while (!is_final(storage.get(*id)->state) and jobs.turn()) {
        }
        expect(storage.get(*id)->state == operation_state::completed);
        expect(jobs.submitted > 3_i);
    };
};

}  // namespace

int main() {}
