// A service on one thread, under a clock that moves only when nothing is left to do, and an
// operation whose steps do what the test says.
#pragma once

#include <bulk/bulk.hpp>

#include <support/seeded_executor.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace support {

struct number {
    int value = 0;
};
BULK_ROW(number, value);

/// What the operations of a test do, and what they did. What is not set succeeds.
struct script {
    using step = std::function<bulk::outcome(const number&, bulk::context&)>;

    std::function<bulk::result<>(const number&)> validate;
    step first, second;
    std::string calls;

    script();
    script(const script&) = delete;
    script& operator=(const script&) = delete;
    ~script();

    void note(const std::string& what) { calls += what + ' '; }
    void note(const number& row) { note(std::to_string(row.value)); }

    static bulk::outcome play(const step& step, const number& row, bulk::context& ctx) {
        return step ? step(row, ctx) : bulk::outcome::done();
    }
};
inline script* now_playing = nullptr;
inline script::script() { now_playing = this; }
inline script::~script() { now_playing = nullptr; }

/// Two steps, of which the first may be tried three times.
struct pipeline : bulk::operation<pipeline, number> {
    BULK_OPERATION("pipeline")
    bulk::result<> validate(const number& row, const bulk::no_metadata&) {
        return now_playing->validate ? now_playing->validate(row) : bulk::result<>{};
    }
    BULK_STEP(first, "First", .order = 1, .max_retries = 2)
    (const number& row, const bulk::no_metadata&, bulk::context& ctx) {
        return script::play(now_playing->first, row, ctx);
    }
    BULK_STEP(second, "Second", .order = 2)
    (const number& row, const bulk::no_metadata&, bulk::context& ctx) {
        return script::play(now_playing->second, row, ctx);
    }
};

inline bulk::upload text(std::string content, std::string name = "x.csv") {
    auto kept = std::make_shared<std::string>(std::move(content));
    return {.name = std::move(name), .bytes = bulk::byte_source{std::string_view{*kept}, kept}};
}

/// A file of the numbers from 1 on.
inline std::string numbers(int count) {
    std::string all = "value\n";
    for (int i = 1; i <= count; ++i) all += std::to_string(i) + '\n';
    return all;
}

template <typename Operations, bulk::storage Storage = bulk::memory::storage>
class stage {
public:
    explicit stage(const bulk::service_options& options = {}, Storage kept = Storage{})
        : storage{std::move(kept)} {
        start(options);
    }
    stage(const stage&) = delete;
    stage& operator=(const stage&) = delete;
    ~stage() { crash(); }

    /// A process begins.
    void start(const bulk::service_options& options = {}) {
        service.emplace(Operations{}, storage, options, bulk::read_options{}, &jobs,
                        [this](const bulk::log_entry& entry) { log += to_text(entry) + '\n'; });
    }

    /// The process dies: nothing but the storage is left.
    void crash() {
        service.reset();
        jobs.drop_all();
    }

    /// Does what there is to do until then; whether it came to that. A test that ignores the answer
    /// may be about something that never happened.
    template <typename Until>
    [[nodiscard]] bool drive(Until until) {
        for (int most = 1'000'000; !until(); --most)
            if (most == 0 || !jobs.step()) return false;
        return true;
    }

    /// Does all that is to be done before some time has passed.
    void drive_for(std::chrono::microseconds time) {
        const auto end = jobs.now() + time;
        jobs.submit_at(end, bulk::job{[] {}});  // the clock stops there
        (void)drive([&] { return jobs.now() >= end; });
    }

    bulk::operation_id create(std::string content, std::string_view name = "pipeline",
                              bulk::create_options<> about = {}) {
        return service->create(name, text(std::move(content)), std::move(about)).value();
    }

    bulk::operation_record get(bulk::operation_id id) { return storage.get(id).value(); }

    bool is_done(bulk::operation_id id) { return is_final(get(id).state); }

    /// The operation when it has ended, or as it is when nothing happens any more.
    bulk::operation_record finish(bulk::operation_id id) {
        (void)drive([&] { return is_done(id); });
        return get(id);
    }

    bulk::operation_record run(std::string content, std::string_view name = "pipeline",
                               bulk::create_options<> about = {}) {
        return finish(create(std::move(content), name, std::move(about)));
    }

    std::optional<bulk::row_record> record(bulk::operation_id id, std::uint64_t row, int step) {
        return storage.get(id, bulk::row_number{row}, static_cast<bulk::step_index>(step)).value();
    }

    /// Everything that was told of an operation, a line each.
    std::string told(bulk::operation_id id) {
        std::string lines;
        for (const auto found = storage.events(id, 0, 1000).value(); const auto& each : found)
            lines += std::string{bulk::name_of(each.kind)} + ": " + each.message + '\n';
        return lines;
    }

    /// Failed rows, a line each.
    std::string errors(bulk::operation_id id) {
        std::string lines;
        for (const auto found = service->errors(id).value(); const auto& each : found.items)
            lines += std::to_string(to_number(each.row)) + ' ' +
                     std::string{bulk::name_of(*each.failure)} + ": " + each.error_message + '\n';
        return lines;
    }

    seeded_executor jobs{1};
    Storage storage;
    std::string log;
    std::optional<bulk::service> service;
};

}  // namespace support
