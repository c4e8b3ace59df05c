// Uploads of processes that died while they took a file in.
#include <bulk/service/unused_uploads.hpp>
#include <bulk/storage/memory/records.hpp>
#include "../conformance/events_and_files.hpp"

#include <support/disk_storage.hpp>
#include <support/faulty_storage.hpp>
#include <support/stage.hpp>
#include <support/temporary_directory.hpp>
#include <support/ut.hpp>

#include <chrono>
#include <string>

using namespace boost::ut;
using namespace std::chrono_literals;
using namespace std::string_literals;
using bulk::operation_state;
using conformance::at;
using conformance::pull_of;
using support::numbers, support::script;

namespace {

using operations = bulk::operation_list<support::pipeline>;
using stage = support::stage<operations, support::disk_storage>;

std::uint64_t remove_all(auto& storage, bulk::timestamp before) {
    bulk::any_storage any{storage};
    bulk::unused_uploads search{any, before};
    while (search.look_on().value());
    return search.removed();
}

suite<"unused uploads"> unused_uploads = [] {
    "what a process left that died before it had stored the operation is removed at a start"_test =
        [] {
            script play;
            const support::temporary_directory base;
            stage on{{}, support::disk_storage{base.path()}};
            const auto used = on.run(numbers(3));
            const auto left =
                on.storage.put_file("x.csv", pull_of(numbers(2)), 0, on.jobs.now()).value();
            on.crash();
            on.start();
            on.drive_for(1min);
            expect(on.storage.file(left.id).has_value()) << "its operation may be on its way";
            on.crash();
            on.drive_for(24h);
            on.start({.scheduler = bulk::scheduling::none});
            on.drive_for(1s);
            expect(on.storage.file(left.id).has_value()) << "this one only takes files in";
            on.crash();
            on.start({.unused_upload_age = 0h});
            on.drive_for(1s);
            expect(on.storage.file(left.id).has_value()) << "it was told to keep them";
            on.crash();
            on.start();
            on.drive_for(1s);
            expect(on.storage.file(left.id).error().code == bulk::errc::not_found);
            expect(on.storage.file(used.file_id).has_value());
            expect(base.names() == std::vector{used.file_id});
            expect(on.log.contains("unused uploads removed")) << on.log;
        };

    "among many, at one moment or at many"_test = [] {
        bulk::memory::records storage;
        std::uint64_t unused = 0;
        std::vector<std::string> used;
        for (int i = 1; i <= 5000; ++i) {
            const auto moment = at(i < 2500 ? i : 2500);
            const auto id = storage.put_file("x", pull_of("x"), 0, moment).value().id;
            if (i % 3 == 0) {
                ++unused;
                continue;
            }
            auto record = conformance::operation(i);
            record.created_at = moment;
            record.file_id = id;
            expect(storage.create(record, {}).has_value());
            used.push_back(id);
        }
        const auto young = storage.put_file("x", pull_of("x"), 0, at(2501)).value().id;
        expect(remove_all(storage, at(2501)) == unused);
        for (const auto& id : used) expect(storage.file(id).has_value());
        expect(storage.file(young).has_value()) << "of that moment or later";
        expect(remove_all(storage, at(2501)) == 0_u);
        expect(remove_all(storage, at(2502)) == 1_u);
    };

    "by a service, however many there are"_test = [] {
        bulk::memory::storage kept;
        for (int i = 0; i < 2500; ++i)
            (void)kept.put_file("x", pull_of("x"), 0, at(-100'000 + i)).value();
        support::stage<operations> on{{}, kept};
        on.drive_for(1s);
        expect(kept.files("", 1).value().empty());
        expect(on.log.contains("2500")) << on.log;
    };

    "without an answer of the store nothing is removed"_test = [] {
        for (const auto* call : {"files", "query", "remove_file"}) {
            bulk::memory::records kept;
            const auto id = kept.put_file("x", pull_of("x"), 0, at(-100'000)).value().id;
            bool is_failing = true;
            support::stage<operations, support::faulty_storage<bulk::memory::records>> on{
                {}, support::faulty_storage{kept, [&](std::string_view each) {
                                                return is_failing && each == call;
                                            }}};
            on.drive_for(1s);
            expect(kept.file(id).has_value());
            expect(on.log.contains("unused uploads stay until the next start") and
                   on.log.contains("no answer to "s + call))
                << on.log;
            is_failing = false;
            on.crash();
            on.start();
            on.drive_for(1s);
            expect(!kept.file(id).has_value());
        }
    };
};

/// Says what became of an operation whose file was touched.
suite<"uploads on disk"> uploads_on_disk = [] {
    "an operation runs from a file on disk, by one task and by several"_test = [] {
        for (const int concurrency : {1, 3}) {
            script play;
            const support::temporary_directory base;
            stage on{{.max_row_concurrency = concurrency}, support::disk_storage{base.path()}};
            const auto done = on.run(numbers(40'000));
            expect(done.state == operation_state::completed and done.rows.successful == 40'000_u);
        }
    };

    "a file that was changed fails its operation, and says how"_test = [] {
        for (const int concurrency : {1, 3}) {
            script play;
            const support::temporary_directory base;
            stage on{{.max_row_concurrency = concurrency}, support::disk_storage{base.path()}};
            const auto id = on.create(numbers(40'000));
            const auto path = base.path(on.get(id).file_id + "/content");
            auto other = numbers(40'000);
            other[200'000] = other[200'000] == '1' ? '2' : '1';
            std::ofstream{path, std::ios::binary} << other;
            const auto done = on.finish(id);
            expect(done.state == operation_state::failed);
            expect(done.error_message.starts_with("file 'x.csv' (id " + on.get(id).file_id +
                                                  ") was changed since it was stored: its "
                                                  "checksum is "))
                << done.error_message;
            expect(play.calls.empty()) << "before any row ran";
        }
    };

    "a file that was deleted fails its operation, and says so"_test = [] {
        script play;
        const support::temporary_directory base;
        stage on{{}, support::disk_storage{base.path()}};
        const auto id = on.create(numbers(10));
        std::filesystem::remove(base.path(on.get(id).file_id + "/content"));
        const auto done = on.finish(id);
        expect(done.state == operation_state::failed);
        expect(done.error_message.contains("was deleted since it was stored"))
            << done.error_message;
    };
};

}  // namespace

int main() {}
