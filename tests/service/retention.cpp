// Operations that go, with everything of them.
#include <bulk/service/retention.hpp>
#include <bulk/storage/memory/records.hpp>
#include <support/stage.hpp>
#include <support/ut.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

using namespace boost::ut;
using namespace std::chrono_literals;
using bulk::errc, bulk::operation_state;
using support::number, support::numbers;

namespace {

struct work : bulk::operation<work, number> {
    BULK_OPERATION("work")
    bulk::result<> process(const number& row, const bulk::no_metadata&, bulk::context&) {
        if (row.value == 13) return bulk::fail("unlucky");
        return {};
    }
};
struct waiting : bulk::operation<waiting, number> {
    BULK_OPERATION("waiting")
    bulk::outcome process(const number&, const bulk::no_metadata&, bulk::context&) {
        return bulk::outcome::wait_for_signal("k");
    }
};

using stage = support::stage<bulk::operation_list<work, waiting>>;

/// Removing records needs two free blocks for a moment; each upload that is removed frees one.
class full_disk : public bulk::memory::records {
public:
    int blocks_free = 100;

    bulk::operation_id add_ended_operation() {
        bulk::operation_record record{.id = bulk::operation_id{{0, ++last_}},
                                      .name = "work",
                                      .state = operation_state::completed,
                                      .completed_at = bulk::timestamp{}};
        record.file_id = store_upload();
        expect(create(record, {}).has_value());
        return record.id;
    }

    [[nodiscard]] bool is_full() const { return blocks_free < 2; }

    [[nodiscard]] bulk::result<> remove(bulk::operation_id id) {
        if (is_full()) return bulk::fail(errc::unavailable, "database or disk is full");
        return bulk::memory::records::remove(id);
    }

    [[nodiscard]] bulk::result<> remove_file(const std::string& id) {
        auto removed = bulk::memory::records::remove_file(id);
        blocks_free += removed ? 1 : 0;
        return removed;
    }

private:
    std::string store_upload() {
        const auto no_bytes = [](std::span<char>) -> bulk::result<std::size_t> { return 0; };
        return put_file("empty.csv", no_bytes, 0, bulk::timestamp{}).value().id;
    }

    std::uint64_t last_ = 0;
};

suite<"retention"> retention = [] {
    "an operation goes with its records, its events and its file"_test = [] {
        stage on;
        const auto gone = on.run(numbers(3), "work"), stays = on.run(numbers(2), "work");
        expect(on.service->remove(gone.id).has_value());
        expect(on.storage.get(gone.id).error().code == errc::not_found);
        expect(!on.record(gone.id, 1, 0).has_value());
        expect(on.told(gone.id).empty());
        expect(on.storage.file(gone.file_id).error().code == errc::not_found);
        expect(on.service->remove(gone.id).error().code == errc::not_found);
        expect(on.record(stays.id, 1, 0).has_value() && !on.told(stays.id).empty());
        expect(on.storage.file(stays.file_id).has_value());
    };

    "one that goes on stays"_test = [] {
        stage on;
        const auto id = on.create(numbers(1), "waiting");
        on.drive_for(1s);
        const auto refused = on.service->remove(id);
        expect(refused.error().code == errc::illegal_transition);
        expect(refused.error().message.contains("cancel it")) << refused.error().message;
        expect(on.storage.file(on.get(id).file_id).has_value());
    };

    "those that ended long ago are pruned, by their end and their state"_test = [] {
        stage on;
        const auto bad = on.run("value\n13\n", "work"), good = on.run(numbers(1), "work");
        const auto open = on.create(numbers(1), "waiting");
        on.drive_for(24h);
        const auto young = on.run(numbers(1), "work");
        expect(on.service->prune({.older_than = 48h}).value().removed == 0_u);
        expect(on.service->prune({.older_than = 12h, .states = {operation_state::completed}})
                   .value()
                   .removed == 1_u);
        expect(!on.storage.get(good.id).has_value() && on.storage.get(bad.id).has_value());
        expect(on.service->prune({.older_than = 12h}).value().removed == 1_u);
        expect(!on.storage.get(bad.id).has_value());
        expect(on.storage.get(young.id).has_value() && on.storage.get(open).has_value());
        expect(on.service->cancel(open).has_value());
        on.drive_for(1s);
        expect(on.get(open).state == operation_state::cancelled);
        expect(on.service->prune({.older_than = 12h}).value().removed == 0_u)
            << "created long ago, but it has ended just now";
        expect(on.service->prune({}).value().removed == 2_u);
    };

    "what cannot be exported before stays, and it is said why"_test = [] {
        stage on;
        const auto first = on.run(numbers(1), "work"), second = on.run(numbers(2), "work");
        const auto third = on.run(numbers(3), "work");
        std::string exported;
        const auto report =
            on.service
                ->prune({.before = [&](const bulk::operation_record& each) -> bulk::result<> {
                    if (each.id == first.id) return bulk::fail("the disk is full");
                    if (each.id == second.id) throw std::runtime_error{"no"};
                    const auto done = on.service->export_rows(
                        each.id, {}, [&](std::string_view part) -> bulk::result<> {
                            exported += part;
                            return {};
                        });
                    if (!done) return std::unexpected{done.error()};
                    return {};
                }})
                .value();
        expect(report.removed == 1_u && report.kept.size() == 2_ul);
        for (const auto& [id, why] : report.kept)
            expect(why == (id == first.id ? "the disk is full" : "no")) << why;
        expect(!on.storage.get(third.id).has_value());
        expect(exported.contains("3,")) << exported;
    };

    "what makes no sense is refused"_test = [] {
        stage on;
        expect(on.service->prune({.older_than = -1s}).error().code == errc::invalid_argument);
        const auto running = on.service->prune({.states = {operation_state::running}});
        expect(running.error().message.contains("has not ended")) << running.error().message;
    };

    "on a full disk, the space of later uploads serves the records of earlier operations"_test =
        [] {
            full_disk storage;
            bulk::any_storage any{std::ref(storage)};
            for (const int uploads : {3, 1}) {
                std::vector<bulk::operation_id> ids;
                for (int i = 0; i < uploads; ++i) ids.push_back(storage.add_ended_operation());
                storage.blocks_free = 0;
                const auto report = bulk::retention{any}.prune({}, bulk::timestamp{1h}).value();
                if (uploads == 3) {
                    expect(report.removed == 3_u && report.kept.empty());
                } else {
                    expect(report.removed == 0_u && report.kept.size() == 1_ul);
                    expect(report.kept.at(0).second == "database or disk is full");
                }
                for (const auto id : ids) expect(storage.get(id).has_value() == (uploads == 1));
            }
        };

    "many are found page by page"_test = [] {
        stage on;
        for (int i = 0; i < 3; ++i) (void)on.run(numbers(1), "work");
        bulk::operation_record record = on.run(numbers(1), "work");
        for (int i = 0; i < 2500; ++i) {
            record.id.value.low += 1;
            record.file_id.clear();
            (void)on.storage.create(record, {});
        }
        expect(on.service->prune({}).value().removed == 2504_u);
        expect(on.service->query(bulk::operation_query{}).value().items.empty());
    };
};

}  // namespace

int main() {}
