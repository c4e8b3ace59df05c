#include <bulk/bulk.hpp>
#include <bulk/service/dry_run.hpp>
#include <bulk/service/error_groups.hpp>
#include <bulk/service/reading_limits.hpp>
#include <bulk/service/turnstile.hpp>

#include <support/packing.hpp>
#include <support/ut.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <future>
#include <latch>
#include <memory>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

using namespace boost::ut;
using namespace std::chrono_literals;
using namespace std::string_literals;

namespace {

struct order {
    std::string id;
    int amount = 0;
    std::optional<std::string> note;
    bulk::pii<int> pin;
};
BULK_ROW(order, (id, .row_id = true, .unique = true), amount, note, pin);

struct request {
    std::string by;
    int most = 0;
};
BULK_METADATA(request, by, most);

struct by_somebody {
    bulk::result<> validate(const request& r) {
        if (r.by == "nobody") return bulk::fail("nobody may order");
        return {};
    }
};
struct up_to_most {
    void validate(const request& r) {
        if (r.most < 0) throw std::runtime_error{"most is negative"};
    }
    bulk::result<> validate(const order& o, const request& r) {
        if (o.amount > r.most)
            return bulk::fail(std::to_string(o.amount) + " is more than " + std::to_string(r.most));
        return {};
    }
};

std::atomic<int> steps_run{0};

struct orders : bulk::operation<orders, order, request> {
    BULK_OPERATION("orders", .track_row_data = true)
    auto validators() { return std::tuple{by_somebody{}, up_to_most{}}; }
    bulk::result<> validate(const request& r) {
        if (r.most > 1000) return bulk::fail("most is over 1000");
        return {};
    }
    bulk::result<> validate(const order& o, const request&) {
        if (o.id.empty()) throw std::runtime_error{"there is no id"};
        return {};
    }
    void process(const order&, const request&, bulk::context&) { ++steps_run; }
};

struct strict_orders : bulk::operation<strict_orders, order, request> {
    BULK_OPERATION("strict-orders", .max_failed_rows = 1)
    void process(const order&, const request&, bulk::context&) {}
};

struct broken : bulk::operation<broken, order, request> {
    BULK_OPERATION("broken")
    broken() { throw std::runtime_error{"no such device"}; }
    void process(const order&, const request&, bulk::context&) {}
};

constexpr auto known = bulk::operations<orders, strict_orders>;
constexpr const char* good = R"({"by":"ann","most":100})";

template <typename Op = orders>
bulk::dry_run_report look(std::string_view content, std::string_view name = "o.csv",
                          std::string_view metadata = good,
                          const bulk::dry_run_options& options = {}) {
    auto report = bulk::dry_run<Op>(metadata, bulk::bytes_of_text(content), name, {},
                                    bulk::formats<>, options);
    expect(fatal(report.has_value())) << report.error().message;
    return std::move(*report);
}

/// A file with everything that can go wrong with a row.
std::string random_file(std::mt19937& random, bool as_json) {
    const auto pick = [&](std::vector<std::string> from) { return from[random() % from.size()]; };
    std::string text = as_json ? "" : "id,amount,extra,note,pin\n";
    const auto rows = random() % 60;
    for (unsigned i = 0; i < rows; ++i) {
        const auto amount = pick({"1", "50", "101", "99999", "x", "", "1.5"});
        const auto id = pick({"a", "b", "", "\\\"q\\\"", "é"});
        if (as_json)
            text += pick({"{\"id\":\"" + id + "\",\"amount\":\"" + amount + "\",\"pin\":1}",
                          "{\"id\":\"" + id + "\",\"amount\":" + (amount.empty() ? "0" : amount) +
                              ",\"pin\":2,\"extra\":[]}",
                          "[]", "{\"id\":"}) +
                    '\n';
        else
            text += pick({id, "\"" + id + "\"", "\"a,\nb\""}) + ',' + amount + ',' +
                    pick({"", "x", "x,y"}) + ',' + pick({"", "n", "\xff"}) + ',' +
                    pick({"1", "2", "secret"}) + '\n';
    }
    return text;
}

suite<"dry run"> dry = [] {
    "it finds what the real run finds, record by record, and runs nothing"_test = [] {
        std::mt19937 random{7};
        std::uint64_t seen = 0;
        for (int round = 0; round < 60; ++round) {
            const bool as_json = round % 2 == 1;
            const auto content = random_file(random, as_json);
            const auto name = as_json ? "o.ndjson"s : "o.csv"s;
            steps_run = 0;
            const auto report = look(content, name);
            expect(steps_run.load() == 0_i);

            bulk::service service{known, bulk::memory::storage{}, {.max_row_concurrency = 2}};
            const auto id = service.create(
                "orders", bulk::upload{name, bulk::bytes_of_text(content)}, {.metadata = good});
            const auto done = service.wait(id.value(), 10s).value();
            expect(report.file_error == done.error_message) << content;
            expect(report.rows == done.rows) << content;
            const auto errors = service
                                    .query(bulk::row_query{
                                        .operation = *id, .errors_only = true, .page_size = 1000})
                                    .value()
                                    .items;
            expect(fatal(report.errors.size() == errors.size())) << content;
            for (std::size_t i = 0; i < errors.size(); ++i) {
                auto real = errors[i];
                real.operation = {};
                real.started_at = real.completed_at = std::nullopt;
                expect(real == report.errors[i])
                    << real.error_message << " / " << report.errors[i].error_message;
            }
            expect(report.groups == bulk::error_groups_of(service.storage(), *id).value());
            expect(report.is_valid == (done.state == bulk::operation_state::completed));
            seen += errors.size();
        }
        expect(seen > 100_u);
    };

    "a good file is valid"_test = [] {
        const auto report = look("id,amount,pin\na,1,2\nb,2,3\n");
        expect(report.is_valid and report.errors.empty() and report.groups.empty());
        expect(report.rows == bulk::row_counters{.total = 2, .processed = 2, .successful = 2});
        expect(look("id,amount,pin\n").is_valid) << "no rows are success";
    };

    "every validator of the metadata is heard, and rows are still read"_test = [] {
        const auto report =
            look("id,amount,pin\na,x,1\n,999,1\n", "o.csv", R"({"by":"nobody","most":-1})");
        expect(report.metadata_errors == std::vector{"nobody may order"s, "most is negative"s});
        expect(!report.is_valid and report.rows.failed == 1_u and report.rows.total == 2_u)
            << "a validator of rows may rely on metadata that is right";
        const auto unreadable = look("id,amount,pin\na,x,1\n", "o.csv", "{}");
        expect(fatal(unreadable.metadata_errors.size() == 1_u));
        expect(unreadable.metadata_errors[0] ==
               "the metadata cannot be used: 'by': it is required; 'most': it is required"s)
            << unreadable.metadata_errors[0];
        expect(unreadable.rows.failed == 1_u);
    };

    "what is wrong with the whole file is said as the run would say it"_test = [] {
        expect(look("id,pin\na,1\n").file_error == "the file has no column 'amount'"s);
        const auto cut =
            look(R"([{"id":"a","amount":1,"pin":"1"},{"id":"b","amount":"x","pin":"1"},{"id":"c)",
                 "o.json");
        expect(cut.file_error.contains("the array is never closed") and !cut.is_valid);
        expect(cut.rows.total == 2_u and cut.errors.size() == 1_u);
        const auto packed = look(support::gzip("id,amount,pin\na,1,1\n") + "garbage", "o.csv.gz");
        expect(packed.file_error.contains("garbage after the end of the gzip data") and
               !packed.is_valid)
            << packed.file_error;
        const auto large = look("id,amount,pin\na,1,1\n", "o.csv", good, {.max_file_size = 15});
        expect(large.file_error ==
               "the file 'o.csv' is larger than 15 bytes, the most that is taken"s)
            << large.file_error;
        expect(look("id,amount,pin\na,1,1\n", "o.csv", good, {.max_file_size = 21}).is_valid);
    };

    "only so many errors are kept, and all are counted"_test = [] {
        std::string content = "id,amount,pin\n";
        for (int i = 1; i <= 50; ++i) content += "a," + std::to_string(i + 100) + ",1\n";
        const auto report = look(content, "o.csv", good, {.max_errors = 3});
        expect(report.errors.size() == 3_u and report.rows.failed == 50_u);
        expect(fatal(report.groups.size() == 1_u));
        expect(report.groups[0].count == 50_u and
               report.groups[0].pattern == "# is more than #"s and
               report.groups[0].sample == "101 is more than 100"s);
    };

    "what would fail the operation is said, too"_test = [] {
        const auto report = look<strict_orders>("id,amount,pin\na,x,1\na,x,1\n");
        expect(report.operation_error ==
               "2 rows have failed, more than the 1 of max_failed_rows: the rest is not "
               "processed"s)
            << report.operation_error;
        const auto thrown = look<broken>("id,amount,pin\na,1,1\n");
        expect(!thrown.is_valid and
               thrown.operation_error == "the operation cannot be set up: no such device"s);
    };

    "bytes that cannot be had are an error of their own"_test = [] {
        const auto report = bulk::dry_run<orders>(
            good, bulk::byte_source{[](std::span<char>) -> bulk::result<std::size_t> {
                return bulk::fail(bulk::errc::unavailable, "the line is dead");
            }},
            "o.csv", {}, bulk::formats<>);
        expect(!report and report.error().code == bulk::errc::unavailable);
    };

    "the service says so of a file that it does not keep"_test = [] {
        bulk::memory::storage storage;
        bulk::service service{known, storage};
        const auto file = [] {
            return bulk::upload{"o.csv", bulk::bytes_of_text("id,amount,note,pin\na,1,,1\na,2,,2\n"
                                                             "b,101,,3\n")};
        };
        const auto report = service.validate("orders", file(), std::string{good});
        expect(fatal(report.has_value()));
        expect(!report->is_valid and report->rows == bulk::row_counters{3, 3, 1, 2});
        expect(report->errors.size() == 2_ul and report->groups.size() == 2_ul);
        expect(report->errors[0].error_message ==
               "column 'id' must be unique, and row 1 has the same value");
        expect(service.validate("orders", file(), request{"nobody", 5})->metadata_errors.size() ==
               1_ul);
        expect(service.validate("order", file()).error().code == bulk::errc::not_found);
        expect(service.query(bulk::operation_query{}).value().total == 0_u);
        expect(service.events(std::nullopt, 0).value().empty());
        expect(storage.file("memory-1").error().code == bulk::errc::not_found);
    };

    "a file that unpacks to too much is refused by the dry run and by the run, in the same words"_test =
        [] {
            std::string rows = "id,amount,note,pin\n";
            for (int i = 0; i < 5'000; ++i) rows += std::to_string(i) + ",1,,1\n";
            const auto packed = std::make_shared<std::string>(support::gzip(rows));
            const auto file = [&] {
                return bulk::upload{"o.csv.gz",
                                    bulk::byte_source{std::string_view{*packed}, packed}};
            };
            bulk::memory::storage storage;
            bulk::service service{known, storage, {.max_unpacked_size = 20'000}};
            const auto report = service.validate("orders", file(), std::string{good});
            expect(fatal(report.has_value()));
            expect(!report->is_valid and
                   report->file_error.contains("unpacks to more than 20000 bytes"))
                << report->file_error;
            const auto id =
                service.create("orders", file(), bulk::create_options<>{.metadata = good});
            expect(fatal(id.has_value()));
            const auto done = service.wait(*id, 1min);
            expect(fatal(done.has_value()));
            expect(done->state == bulk::operation_state::failed and
                   done->error_message.contains(report->file_error))
                << done->error_message;
            bulk::service roomy{known, storage, {.max_unpacked_size = 0}};
            expect(roomy.validate("orders", file(), std::string{good})->is_valid);
        };

    "so many dry runs at a time, and others are told to try again"_test = [] {
        bulk::service service{
            known, bulk::memory::storage{}, {.max_dry_runs = 2, .dry_run_wait = 0ms}};
        std::latch begun{2};
        std::promise<void> end;
        const auto until = end.get_future().share();
        const auto slow = [&] {
            return bulk::upload{
                "o.csv",
                bulk::byte_source{
                    [&, is_read = false](std::span<char>) mutable -> bulk::result<std::size_t> {
                        if (!std::exchange(is_read, true)) begun.count_down();
                        until.wait();
                        return std::size_t{0};
                    }}};
        };
        const auto quick = [] {
            return bulk::upload{"o.csv", bulk::bytes_of_text("id,amount,note,pin\na,1,,1\n")};
        };
        {
            std::vector<std::jthread> both;
            for (int i = 0; i < 2; ++i)
                both.emplace_back(
                    [&] { (void)service.validate("orders", slow(), std::string{good}); });
            begun.wait();
            const auto third = service.validate("orders", quick(), std::string{good});
            expect(fatal(!third.has_value()));
            expect(third.error() == bulk::error{bulk::errc::timed_out,
                                                "too many dry runs at once (2 are allowed); try "
                                                "again soon"})
                << third.error().message;
            end.set_value();
        }
        expect(service.validate("orders", quick(), std::string{good})->is_valid);
    };

    "whoever has the patience gets a turn"_test = [] {
        bulk::turnstile door{1};
        std::atomic<int> inside = 0, most = 0, done = 0;
        {
            std::vector<std::jthread> all;
            for (int i = 0; i < 5; ++i)
                all.emplace_back([&] {
                    const auto turn = door.enter(1min);
                    if (!turn) return;
                    most = std::max(most.load(), ++inside);
                    std::this_thread::yield();
                    --inside;
                    ++done;
                });
        }
        expect(done.load() == 5_i and most.load() == 1_i);
    };

    "four wait for each turn, and the next is refused at once"_test = [] {
        bulk::turnstile door{1};
        std::atomic<int> refused = 0, done = 0;
        {
            auto held = door.enter(0ms);
            std::vector<std::jthread> all;
            for (int i = 0; i < 5; ++i)
                all.emplace_back([&] { ++(door.enter(1min) ? done : refused); });
            const auto end = std::chrono::steady_clock::now() + 30s;
            while (refused.load() == 0 && std::chrono::steady_clock::now() < end)
                std::this_thread::yield();
            expect(refused.load() == 1_i and done.load() == 0_i);
            held.reset();
        }
        expect(refused.load() == 1_i and done.load() == 4_i);
    };

    "a service reads files within both limits of unpacked bytes"_test = [] {
        const auto reading =
            bulk::limited_reading({}, {.max_unpacked_size = 5'000, .max_unpack_ratio = 70});
        expect(reading.unpacking.bytes == 5'000_u and reading.unpacking.ratio == 70_u);
    };
};

}  // namespace

int main() {}
