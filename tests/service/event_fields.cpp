// What events carry beside their message: told to handlers, stored, and told again after a crash.
#include <bulk/bulk.hpp>

#include <bulk/storage/memory/records.hpp>

#include <support/sqlite_backend.hpp>
#include <support/stage.hpp>
#include <support/temporary_directory.hpp>
#include <support/ut.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

using namespace boost::ut;
using namespace std::chrono_literals;
using namespace std::string_literals;
using bulk::event_kind, bulk::event_outcome, bulk::operation_state;
using support::number, support::numbers;

namespace {

std::set<int> bad;
bool has_waited = false;
std::vector<bulk::event> told;

/// Keeps what it is told; one function for each kind, as users write them.
struct recorder {
    void on_created(const bulk::event& each) { told.push_back(each); }
    void on_status_changed(const bulk::event& each) { told.push_back(each); }
    void on_completed(const bulk::event& each) { told.push_back(each); }
    void on_failed(const bulk::event& each) { told.push_back(each); }
    void on_cancelled(const bulk::event& each) { told.push_back(each); }
    void on_row_failed(const bulk::event& each) { told.push_back(each); }
};

struct order {
    std::optional<std::string> region;
    std::optional<bulk::pii<std::string>> owner;
};
BULK_METADATA(order, region, owner);

struct imports : bulk::operation<imports, number, order> {
    BULK_OPERATION("imports", .retryable = true, .max_failed_rows = 4)
    auto handlers() { return std::tuple{recorder{}}; }
    bulk::result<> validate(const number& row, const order&) {
        if (row.value == 13) return bulk::fail("thirteen: not allowed");
        return {};
    }
    bulk::outcome process(const number& row, const order&, bulk::context&) {
        if (row.value == 1 && !std::exchange(has_waited, true))
            return bulk::outcome::poll(2s, 1min);
        if (row.value == 99) return bulk::outcome::wait_for_signal("go", 1h);
        if (bad.contains(row.value)) return bulk::outcome::fail("refused: closed");
        return bulk::outcome::done();
    }
};

using known = std::remove_const_t<decltype(bulk::operations<imports>)>;

template <bulk::storage Storage>
using stage = support::stage<known, Storage>;

const bulk::event* find(event_kind kind) {
    const auto at = std::ranges::find(told, kind, &bulk::event::kind);
    return at == told.end() ? nullptr : &*at;
}

void reset() {
    bad.clear();
    has_waited = false;
    told.clear();
}

/// Never learns that somebody was told something: as if every process died just before it could be
/// stored.
template <bulk::storage Storage>
struct forgetful : Storage {
    explicit forgetful(Storage kept) : Storage{std::move(kept)} {}
    bulk::result<> set_event_position(const std::string& reader, std::uint64_t position) {
        if (position > 0) return bulk::fail(bulk::errc::unavailable, "the process has died");
        return Storage::set_event_position(reader, position);
    }
};

/// `make` opens the storage of that name, as a process that starts does.
template <typename Make>
void check_fields(Make make) {
    using storage = decltype(make(""));

    "created: by whom, from which file, with metadata that hides personal values"_test = [&] {
        reset();
        stage<storage> at{{}, make("created")};
        const auto id =
            at.create(numbers(2), "imports",
                      {.metadata = R"({"Region":"north","owner":"Eve Smith","more":"Eve Smith"})",
                       .created_by = "anna"});
        (void)at.finish(id);
        at.drive_for(1s);
        const auto* created = find(event_kind::created);
        expect(fatal(created != nullptr and created->created.has_value()));
        expect(*created->created ==
               bulk::event_creation{.created_by = "anna",
                                    .file_name = "x.csv",
                                    .metadata = R"({"region":"north","owner":"***"})"})
            << created->created->metadata;
        expect(!created->ended and created->error_message().empty());
        expect(at.get(id).metadata.contains("Eve Smith")) << "steps need it";
    };

    "each change of state: what it was before"_test = [&] {
        reset();
        stage<storage> at{{}, make("changes")};
        const auto id = at.create(numbers(2), "imports");
        (void)at.finish(id);
        at.drive_for(1s);
        std::string changes;
        for (const auto& each : told)
            if (each.kind == event_kind::status_changed)
                changes += std::string{name_of(each.previous.value())} + '>' +
                           std::string{name_of(each.state)} + ' ';
        expect(changes == "pending>validating validating>running running>completed ") << changes;
    };

    "completed: counts and duration; failed rows: row, type and text; the same after a retry"_test =
        [&] {
            reset();
            bad = {2, 3};
            stage<storage> at{{}, make("completed")};
            const auto id = at.create("value\n1\n2\n3\n13\n5\n", "imports");
            auto done = at.finish(id);
            at.drive_for(1s);
            const auto* completed = find(event_kind::completed);
            expect(fatal(completed != nullptr and completed->ended.has_value()));
            const auto time = *done.completed_at - *done.run_started_at;
            expect(time >= 2s) << "a row has waited";
            expect(*completed->ended ==
                   event_outcome{
                       .total = 5, .processed = 5, .successful = 2, .failed = 3, .duration = time});
            std::vector<std::tuple<std::uint64_t, bulk::error_type, std::string>> rows;
            for (const auto& each : told)
                if (each.kind == event_kind::row_failed)
                    rows.emplace_back(to_number(each.row.value()), each.failure.value(),
                                      each.error_message());
            std::ranges::sort(rows);
            expect(bool{rows == decltype(rows){
                                    {2, bulk::error_type::processing, "refused: closed"},
                                    {3, bulk::error_type::processing, "refused: closed"},
                                    {4, bulk::error_type::validation, "thirteen: not allowed"}}});

            reset();
            bad = {3};
            at.drive_for(1h);
            expect(at.service->retry(id).value().submitted == 2_u);
            done = at.finish(id);
            at.drive_for(1s);
            const auto* again = find(event_kind::completed);
            expect(fatal(again != nullptr and again->ended.has_value()));
            expect(*again->ended ==
                   event_outcome{.total = 5,
                                 .processed = 5,
                                 .successful = 3,
                                 .failed = 2,
                                 .duration = *done.completed_at - *done.run_started_at});
            expect(again->ended->duration < 1h) << "of the last run alone";
        };

    "failed: why, and how far it was"_test = [&] {
        reset();
        stage<storage> at{{}, make("failed")};
        (void)at.run("other\n1\n", "imports");
        at.drive_for(1s);
        const auto* early = find(event_kind::failed);
        expect(fatal(early != nullptr and early->ended.has_value()));
        expect(early->error_message().contains("value") and
               early->error_message() == early->message)
            << early->message;
        expect(!early->ended->total and early->ended->processed == 0_u);

        reset();
        for (int i = 2; i <= 50; ++i) bad.insert(i);
        const auto done = at.run(numbers(50), "imports");
        at.drive_for(1s);
        const auto* late = find(event_kind::failed);
        expect(fatal(late != nullptr and late->ended.has_value()));
        expect(late->error_message() == done.error_message and !done.error_message.empty());
        expect(late->ended->total == std::optional{std::uint64_t{50}});
        expect(late->ended->processed == done.rows.processed and
               late->ended->failed == done.rows.failed and late->ended->failed > 4_u);
        expect(late->ended->duration == *done.completed_at - *done.run_started_at);
    };

    "cancelled: how far it was"_test = [&] {
        reset();
        bad = {2};
        stage<storage> at{{}, make("cancelled")};
        const auto id = at.create("value\n2\n3\n99\n", "imports");
        expect(at.drive([&] { return at.get(id).rows.processed == 2; }));
        at.drive_for(1min);
        expect(at.service->cancel(id).has_value());
        const auto done = at.finish(id);
        at.drive_for(1s);
        const auto* cancelled = find(event_kind::cancelled);
        expect(fatal(cancelled != nullptr and cancelled->ended.has_value()));
        expect(*cancelled->ended ==
               event_outcome{.total = 3,
                             .processed = 2,
                             .successful = 1,
                             .failed = 1,
                             .duration = *done.completed_at - *done.run_started_at});
        expect(cancelled->ended->unprocessed() == 1_u and cancelled->ended->duration >= 1min);

        reset();
        const auto waiting = at.create(numbers(3), "imports");
        expect(at.service->cancel(waiting).has_value());
        (void)at.finish(waiting);
        at.drive_for(1s);
        const auto* before = find(event_kind::cancelled);
        expect(fatal(before != nullptr and before->ended.has_value()));
        expect(*before->ended == event_outcome{}) << "it had not begun";
    };

    "told again after a crash, every event is what it was"_test = [&] {
        reset();
        bad = {2};
        {
            stage<forgetful<storage>> at{{}, forgetful<storage>{make("crash")}};
            (void)at.run(numbers(3), "imports",
                         {.metadata = R"({"region":"south","owner":"Eve"})", .created_by = "anna"});
            (void)at.run("other\n1\n", "imports");
            const auto last = at.create(numbers(3), "imports");
            expect(at.service->cancel(last).has_value());
            (void)at.finish(last);
            at.drive_for(1min);
        }
        const auto before = std::exchange(told, {});
        stage<storage> at{{}, make("crash")};
        at.drive_for(1min);
        expect(bool{told == before});
        expect(bool{told == at.storage.events(std::nullopt, 0, 1000).value()});
        for (const auto kind :
             {event_kind::created, event_kind::status_changed, event_kind::completed,
              event_kind::failed, event_kind::cancelled, event_kind::row_failed})
            expect(find(kind) != nullptr) << name_of(kind);
        expect(find(event_kind::created)->created->metadata ==
               R"({"region":"south","owner":"***"})");
        expect(find(event_kind::completed)->ended->failed == 1_u);
    };
}

suite<"event fields in memory"> in_memory = [] {
    std::map<std::string, bulk::memory::records> kept;
    check_fields([&](const std::string& name) { return kept[name]; });
};

suite<"event fields in sqlite"> in_sqlite = [] {
    const support::temporary_directory directory;
    check_fields([&](const std::string& name) {
        return support::sqlite_backend::open(directory.path(name + ".db")).value();
    });
};

}  // namespace

int main() {}
