// Who works, as anybody on the same storage sees it.
#include <bulk/feed.hpp>
#include <bulk/storage/memory/records.hpp>

#include <support/faulty_storage.hpp>
#include <support/feed_stage.hpp>
#include <support/stage.hpp>
#include <support/ut.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <unistd.h>

using namespace boost::ut;
using namespace std::chrono_literals;
using namespace std::string_literals;
using bulk::worker_kind, bulk::worker_record;
using support::number, support::numbers, support::script;

namespace {

using operations = bulk::operation_list<support::pipeline>;
using faulty = support::faulty_storage<bulk::memory::records>;
using stage = support::stage<operations, faulty>;

struct articles : support::article_feed<articles> {
    BULK_FEED("articles", .page_size = 10, .min_per_worker = 20)
};

const bulk::service_options mill{.service_name = "mill", .lease_time = 30s};

/// A storage that does not answer calls of these names.
struct troubled {
    bulk::memory::records real{};
    std::set<std::string> down{};
    std::function<void(const std::string&)> done{};

    [[nodiscard]] faulty storage() {
        return faulty{real, [this](const char* name) { return down.contains(name); },
                      [this](const char* name) {
                          if (done) done(name);
                      }};
    }
    [[nodiscard]] std::vector<worker_record> workers() { return real.workers().value(); }
};

suite<"who works"> who_works = [] {
    "a service that runs operations is seen from its start on, with what it does"_test = [] {
        script play;
        play.first = [](const number&, bulk::context& ctx) {
            return ctx.attempt() == 1 ? bulk::outcome::retry("later", 20s) : bulk::outcome::done();
        };
        troubled on_disk;
        stage on{mill, on_disk.storage()};
        const auto begun = on.jobs.now();
        on.drive_for(1ms);
        expect(fatal(on_disk.workers().size() == 1_ul));
        auto seen = on_disk.workers()[0];
        expect(seen.kind == worker_kind::operations and seen.name == "mill");
        expect(seen.pid == ::getpid() and !seen.host.empty());
        expect(seen.started_at == begun and seen.seen_at == begun);
        expect(seen.running_operations == 0_u and seen.running_pages == 0_u);
        const auto id = on.create(numbers(2));
        on.drive_for(11s);
        expect(fatal(on_disk.workers().size() == 1_ul));
        auto later = on_disk.workers()[0];
        expect(later.seen_at == begun + 10s) << "every sixth of the lease";
        expect(later.started_at == begun and later.running_operations == 1_u);
        (void)on.finish(id);
        on.drive_for(6s);
        expect(on_disk.workers()[0].running_operations == 0_u);
        expect(bool{on.service->workers().value() == on_disk.workers()});
    };

    "one that is shut down is gone, and does not come back"_test = [] {
        script play;
        troubled on_disk;
        stage on{mill, on_disk.storage()};
        on.drive_for(1ms);
        expect(on_disk.workers().size() == 1_ul);
        for (int i = 0; i < 2; ++i) expect(on.service->shutdown().has_value());
        expect(on_disk.workers().empty());
        on.drive_for(1min);
        expect(on_disk.workers().empty());
    };

    "what is being said when it is shut down is taken back"_test = [] {
        script play;
        troubled on_disk;
        stage on{mill, on_disk.storage()};
        bool is_ended = false;
        on_disk.done = [&](const std::string& name) {
            if (name != "save_worker" or std::exchange(is_ended, true)) return;
            expect(on_disk.workers().size() == 1_ul);
            expect(on.service->shutdown().has_value());
            expect(on_disk.workers().size() == 1_ul) << "nobody waits for it";
        };
        on.drive_for(1ms);
        expect(is_ended and on_disk.workers().empty());
    };

    "one that was killed is silent after its lease, and forgotten after a day"_test = [] {
        script play;
        troubled on_disk;
        stage on{mill, on_disk.storage()};
        on.drive_for(1ms);
        const auto died = on_disk.workers().at(0);
        on_disk.down = {"remove_worker"};
        on.crash();
        on_disk.down = {};
        expect(!is_silent(died, died.seen_at + 30s) and is_silent(died, died.seen_at + 30s + 1us));
        on.start({.service_name = "other", .lease_time = 3h});
        on.drive_for(23h);
        expect(fatal(on_disk.workers().size() == 2_ul)) << "the next one is another";
        expect(on_disk.workers()[0] == died);
        expect(!is_silent(on_disk.workers()[1], on.jobs.now()));
        on.drive_for(2h);
        expect(fatal(on_disk.workers().size() == 1_ul));
        expect(on_disk.workers()[0].name == "other");
    };

    "a storage that does not take it costs nothing, and is told the next time"_test = [] {
        script play;
        troubled on_disk;
        on_disk.down = {"save_worker", "remove_worker"};
        stage on{mill, on_disk.storage()};
        const auto begun = on.jobs.now();
        const auto done = on.run(numbers(3));
        expect(done.state == bulk::operation_state::completed);
        on.drive_for(6s);
        expect(on_disk.workers().empty() and !on.log.contains("worker")) << on.log;
        on_disk.down = {"remove_worker"};
        on.drive_for(5s);
        expect(fatal(on_disk.workers().size() == 1_ul));
        expect(on_disk.workers()[0].started_at == begun);
        expect(on.service->shutdown().has_value()) << "nor does one that does not forget it";
    };

    "who runs nothing says nothing"_test = [] {
        script play;
        troubled on_disk;
        stage on{{.scheduler = bulk::scheduling::none}, on_disk.storage()};
        on.drive_for(1min);
        bulk::service immediate{
            operations{}, on_disk.real, {.scheduler = bulk::scheduling::immediate}};
        expect(immediate.create("pipeline", support::text(numbers(2))).has_value());
        bulk::service wrong{operations{}, on_disk.real, {.worker_count = 0}};
        expect(on_disk.workers().empty());
    };

    "however short a lease is, it is said ten times a second at most"_test = [] {
        script play;
        troubled on_disk;
        int times = 0;
        on_disk.done = [&](const std::string& name) { times += name == "save_worker"; };
        stage on{{.lease_time = 1ms}, on_disk.storage()};
        on.drive_for(999ms);
        expect(times == 10_i);
        expect(on_disk.workers()[0].silent_after == 600ms);
    };

    "on threads it is seen, and gone when the service is"_test = [] {
        script play;
        troubled on_disk;
        std::atomic<int> said = 0;
        on_disk.done = [&](const std::string& name) {
            if (name != "save_worker") return;
            ++said;
            said.notify_all();
        };
        {
            bulk::service service{operations{}, on_disk.storage(), {.lease_time = 600ms}};
            for (int seen = said; seen < 2; seen = said) said.wait(seen);
            expect(on_disk.workers().size() == 1_ul);
        }
        expect(on_disk.workers().empty());
    };
};

suite<"who works on feeds"> who_works_on_feeds = [] {
    "a service of feeds is seen with the pages that it has in work, until it ends"_test = [] {
        support::feed_stage<articles> on;
        on.fill(100);
        const auto seen = [&] { return on.storage.workers().value(); };
        const auto run = on.start();
        unsigned most = 0;
        while (bulk::is_active(*on.service->get(run.id))) {
            on.jobs.advance(5s);  // and so it is time to say something
            expect(fatal(on.jobs.step()));
            if (!seen().empty()) most = std::max(most, seen()[0].running_pages);
        }
        expect(most > 0_u);
        expect(fatal(seen().size() == 1_ul));
        expect(seen()[0].kind == worker_kind::feeds and seen()[0].name == "test");
        expect(seen()[0].running_operations == 0_u and seen()[0].silent_after == 30s);
        expect(bool{on.service->workers().value() == seen()});
        expect(on.service->shutdown().has_value());
        expect(seen().empty());
        for (int i = 0; i < 100; ++i) (void)on.jobs.step();
        expect(seen().empty());
    };
};

}  // namespace

int main() {}
