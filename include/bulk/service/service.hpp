// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/event.hpp>
#include <bulk/core/log.hpp>
#include <bulk/core/notification.hpp>
#include <bulk/core/operation_record.hpp>
#include <bulk/core/options.hpp>
#include <bulk/core/query.hpp>
#include <bulk/core/uuid.hpp>
#include <bulk/engine/executor.hpp>
#include <bulk/engine/inline_executor.hpp>
#include <bulk/engine/thread_executor.hpp>
#include <bulk/operation/registry.hpp>
#include <bulk/rows/byte_source.hpp>
#include <bulk/rows/format.hpp>
#include <bulk/rows/json/metadata.hpp>
#include <bulk/run/guard.hpp>
#include <bulk/service/dispatcher.hpp>
#include <bulk/service/metrics.hpp>
#include <bulk/service/notifier.hpp>
#include <bulk/service/subscriptions.hpp>
#include <bulk/storage/concepts.hpp>

#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace bulk {

/// What goes in: bytes, and the name that says which format they are in.
struct upload {
    std::string name{};
    byte_source bytes;
};

/// A file by its path.
[[nodiscard]] inline result<upload> file(const std::string& path) {
    auto bytes = bytes_of_file(path);
    if (!bytes) return std::unexpected{std::move(bytes).error()};
    return upload{.name = path.substr(path.find_last_of('/') + 1), .bytes = std::move(*bytes)};
}

/// What is said about a new operation. `Metadata` is the operation's, or its JSON.
template <typename Metadata = std::string>
struct create_options {
    Metadata metadata{};
    std::string created_by{};
    std::string idempotency_key{};  ///< asked for twice, the first operation is the answer
    std::vector<recipient> recipients{};
};

/// The service itself, shared with the runs and jobs that it has begun.
template <typename Operations, storage Storage, typename Formats>
class service_core
    : public std::enable_shared_from_this<service_core<Operations, Storage, Formats>> {
public:
    service_core(Storage storage, service_options options, const read_options& reading,
                 executor* jobs, log_handler log)
        : log_{quiet(std::move(log))},
          options_{std::move(options)},
          reading_{reading},
          valid_{validate(options_)},
          storage_{std::move(storage)},
          own_jobs_{jobs == nullptr && options_.scheduler != scheduling::immediate
                        ? std::make_unique<thread_executor>(thread_count())
                        : nullptr},
          inline_jobs_{jobs == nullptr && own_jobs_ == nullptr ? std::make_unique<inline_executor>()
                                                               : nullptr},
          jobs_{jobs != nullptr ? *jobs
                : own_jobs_     ? static_cast<executor&>(*own_jobs_)
                                : *inline_jobs_},
          subscriptions_{storage_, jobs_,
                         [this](const event& told, const std::string& why) {
                             if (log_)
                                 log_({log_level::error,
                                       "event handler failed",
                                       {{"event", std::to_string(told.sequence)}, {"why", why}}});
                         },
                         [this] { return this->shared_from_this(); }},
          notifier_{storage_, subscriptions_, log_},
          dispatcher_{storage_,
                      jobs_,
                      options_,
                      reading_,
                      [this] { subscriptions_.notify(); },
                      [this] { changed(); },
                      [this] { return this->shared_from_this(); },
                      log_} {
        if (options_.service_name.empty()) options_.service_name = program_name();
    }
    service_core(const service_core&) = delete;
    service_core& operator=(const service_core&) = delete;

    void start() {
        if (!valid_) return;
        look_for_work();
        schedule_poll();
        run_inline([this] { return dispatcher_.is_idle(); });
    }

    /// Takes a file in and begins with it as soon as a worker is free. Refuses at once what can be
    /// refused: an unknown operation, metadata that cannot be read, a file that is too large; then
    /// nothing is kept.
    template <typename Metadata = std::string>
    [[nodiscard]] result<operation_id> create(std::string_view name, result<upload> file,
                                              create_options<Metadata> about = {}) {
        if (!valid_) return std::unexpected{valid_.error()};
        if (is_closed()) return fail(errc::unavailable, "the service is shut down");
        if (!file) return std::unexpected{std::move(file).error()};
        operation_record record{.created_by = std::move(about.created_by),
                                .source = options_.service_name,
                                .idempotency_key = std::move(about.idempotency_key),
                                .recipients = std::move(about.recipients),
                                .file_name = file->name};
        result<> readable;
        auto known = Operations::visit(name, [&]<typename Op>(std::type_identity<Op>) {
            record.name = description_of<Op>.name;
            auto text = metadata_for<Op>(about.metadata);
            if (text)
                record.metadata = std::move(*text);
            else
                readable = std::unexpected{std::move(text).error()};
        });
        if (!known) return std::unexpected{std::move(known).error()};
        if (!readable) return std::unexpected{std::move(readable).error()};
        if (auto room = wait_for_room(); !room) return std::unexpected{std::move(room).error()};
        record.created_at = jobs_.now();
        record.id = {make_uuid(record.created_at, jobs_.random(), jobs_.random())};
        auto stored = storage_.put_file(
            record.file_name, [&](std::span<char> into) { return file->bytes.read_some(into); },
            static_cast<std::uint64_t>(options_.max_file_size), record.created_at);
        if (!stored) return std::unexpected{std::move(stored).error()};
        record.file_id = stored->id;
        record.file_size = stored->size;
        auto created = storage_.create(record, {created_event(record)});
        if (!created || created->id != record.id) (void)storage_.remove_file(stored->id);
        if (!created) return std::unexpected{std::move(created).error()};
        {
            const std::scoped_lock lock{mutex_};
            ++waiting_operations_;
        }
        changed();
        look_for_work();
        run_inline([&] {
            const auto now = storage_.get(created->id);
            return !now || is_final(now->state) || now->paused;
        });
        return created->id;
    }

    [[nodiscard]] result<operation_record> get(operation_id id) { return storage_.get(id); }
    [[nodiscard]] result<page<operation_record>> query(const operation_query& query) {
        return storage_.query(query);
    }
    [[nodiscard]] result<page<row_record>> query(const row_query& query) {
        return storage_.query(query);
    }
    /// Failed rows, one record each.
    [[nodiscard]] result<page<row_record>> errors(operation_id id) {
        return storage_.query(row_query{.operation = id, .errors_only = true});
    }
    [[nodiscard]] result<std::vector<event>> events(std::optional<operation_id> id,
                                                    std::optional<std::uint64_t> after = {},
                                                    std::uint32_t limit = 100) {
        return storage_.events(id, after, limit);
    }

    /// Waits until an operation is at rest, whoever runs it; fails when it is not in time.
    [[nodiscard]] result<operation_record> wait(operation_id id,
                                                std::chrono::milliseconds time = std::chrono::hours{
                                                    24}) {
        const auto deadline = std::chrono::steady_clock::now() + time;
        while (true) {
            std::uint64_t seen = 0;
            {
                const std::scoped_lock lock{mutex_};
                seen = changes_;
            }
            auto record = storage_.get(id);
            if (!record || is_final(record->state)) return record;
            const auto now = std::chrono::steady_clock::now();
            if (now >= deadline)
                return fail(errc::unavailable, concat("operation ", to_text(id), " is still ",
                                                      name_of(record->state)));
            std::unique_lock lock{mutex_};  // another process tells us nothing: look now and then
            changed_.wait_until(lock, std::min(deadline, now + std::chrono::milliseconds{200}),
                                [&] { return changes_ != seen; });
        }
    }

    /// Ends an operation: rows in flight finish and are recorded, the others stay unprocessed.
    [[nodiscard]] result<> cancel(operation_id id) {
        return change(id, stop_reason::cancelled, [&](operation_record& record) -> result<> {
            if (is_final(record.state))
                return fail(errc::illegal_transition, concat("operation ", to_text(id), " is ",
                                                             name_of(record.state), " already"));
            record.cancel_requested = true;
            return {};
        });
    }

    /// Begins nothing new until `resume`; keeps everything.
    [[nodiscard]] result<> pause(operation_id id) {
        return change(id, stop_reason::paused, [&](operation_record& record) -> result<> {
            if (is_final(record.state))
                return fail(errc::illegal_transition, concat("operation ", to_text(id), " is ",
                                                             name_of(record.state), " already"));
            record.paused = true;
            return {};
        });
    }

    [[nodiscard]] result<> resume(operation_id id) {
        auto changed = change(id, stop_reason::none, [&](operation_record& record) -> result<> {
            record.paused = false;
            return {};
        });
        if (!changed) return changed;
        look_for_work();
        run_inline([&] {
            const auto now = storage_.get(id);
            return !now || is_final(now->state) || now->paused;
        });
        return changed;
    }

    /// Calls the handler for everything that happens from now on, until `unsubscribe`.
    [[nodiscard]] std::uint64_t subscribe(event_handler handler) {
        return subscriptions_.add(std::move(handler));
    }
    void unsubscribe(std::uint64_t number) { subscriptions_.remove(number); }

    /// A way to tell people what becomes of their operations, from now on.
    [[nodiscard]] result<> add_channel(std::string name, notification_channel channel) {
        return notifier_.add(std::move(name), std::move(channel));
    }

    /// Takes nothing new, lets rows in flight finish, records them and gives the operations back:
    /// the next start goes on with them. Fails when rows do not finish in time.
    [[nodiscard]] result<> shutdown() {
        {
            const std::scoped_lock lock{mutex_};
            is_closed_ = true;
        }
        changed_.notify_all();
        dispatcher_.stop();
        run_inline([this] { return dispatcher_.is_idle(); });
        if (own_jobs_ == nullptr) return {};  // whoever runs the jobs runs them to their end
        if (std::exchange(is_shut_down_, true)) return {};
        if (dispatcher_.wait_until_idle(options_.shutdown_timeout)) {
            own_jobs_->stop();
            return {};
        }
        const std::string busy = dispatcher_.abandon();
        own_jobs_->abandon();
        return fail(errc::unavailable,
                    concat("the service is shut down, but not all rows came to an end: ", busy));
    }

    /// The service goes: with an executor of somebody else, what is left to do is theirs.
    void let_go() {
        (void)shutdown();
        if (own_jobs_ != nullptr) return;
        dispatcher_.let_go();
        if (inline_jobs_ != nullptr) inline_jobs_->drop_all();
    }

    [[nodiscard]] Storage& storage() { return storage_; }

    [[nodiscard]] service_metrics metrics() const {
        return {.operations = dispatcher_.metrics(),
                .running_operations = dispatcher_.running(),
                .queue_depth = own_jobs_ ? own_jobs_->queue_depth() : 0};
    }

private:
    [[nodiscard]] static std::string program_name() {
#if defined(__GLIBC__)
        return program_invocation_short_name;
#else
        return "default";
#endif
    }

    /// A log handler that throws must not take anything with it.
    [[nodiscard]] static log_handler quiet(log_handler log) {
        if (!log) return log;
        return
            [log = std::move(log)](const log_entry& entry) { (void)guarded([&] { log(entry); }); };
    }

    [[nodiscard]] std::size_t thread_count() const {
        return static_cast<std::size_t>(std::max(options_.worker_count, 1)) *
               static_cast<std::size_t>(std::max(options_.max_row_concurrency, 1));
    }

    [[nodiscard]] bool is_closed() const {
        const std::scoped_lock lock{mutex_};
        return is_closed_;
    }

    /// The metadata as JSON, if the operation can read it.
    template <typename Op, typename Metadata>
    [[nodiscard]] static result<std::string> metadata_for(const Metadata& metadata) {
        std::string text;
        if constexpr (std::same_as<Metadata, std::string>) {
            text = is_blank(metadata) ? "{}" : metadata;
        } else if constexpr (std::same_as<Metadata, typename Op::metadata_type>) {
            text = json::metadata_text(metadata);
        } else {
            return fail(errc::invalid_argument,
                        concat("the metadata is of another type than operation '",
                               description_of<Op>.name, "' takes"));
        }
        if (auto read = json::read_metadata<typename Op::metadata_type>(text); !read)
            return std::unexpected{std::move(read).error()};
        return text;
    }

    /// Changes what is asked of an operation, and tells its run if that is ours. Whoever was faster
    /// made us reload.
    template <typename Change>
    [[nodiscard]] result<> change(operation_id id, stop_reason reason, Change apply) {
        while (true) {
            auto record = storage_.get(id);
            if (!record) return std::unexpected{std::move(record).error()};
            if (auto applied = apply(*record); !applied) return applied;
            auto stored = storage_.update(*record, {});
            if (stored) break;
            if (stored.error().code != errc::conflict)
                return std::unexpected{std::move(stored).error()};
        }
        if (reason != stop_reason::none) dispatcher_.ask_to_stop(id, reason);
        if (reason == stop_reason::cancelled)  // nobody has it: somebody must end it
            look_for_work();
        return {};
    }

    void changed() {
        {
            const std::scoped_lock lock{mutex_};
            ++changes_;
        }
        changed_.notify_all();
        subscriptions_.notify();
    }

    /// With `scheduling::immediate` the calling thread does the work, until `done()`.
    template <typename Done>
    void run_inline(Done done) {
        if (inline_jobs_ == nullptr) return;
        const std::scoped_lock lock{inline_mutex_};
        (void)inline_jobs_->run_until([&] { return done(); });
    }

    /// Waits while as many operations as the queue holds have not begun yet. None is ever dropped.
    [[nodiscard]] result<> wait_for_room() {
        const auto capacity = static_cast<std::uint64_t>(options_.queue_capacity);
        std::unique_lock lock{mutex_};
        while (waiting_operations_ >= capacity) {
            if (is_closed_) return fail(errc::unavailable, "the service is shut down");
            const auto seen = changes_;
            lock.unlock();
            const auto pending =
                storage_.query(operation_query{.state = operation_state::pending, .page_size = 1});
            lock.lock();
            if (pending) waiting_operations_ = pending->total;
            if (waiting_operations_ < capacity) break;
            changed_.wait_for(lock, std::chrono::milliseconds{100},
                              [&] { return changes_ != seen || is_closed_; });
        }
        return {};
    }

    void look_for_work() {
        if (options_.scheduler == scheduling::none) return;
        jobs_.submit(job{[weak = this->weak_from_this()] {
            if (const auto self = weak.lock()) self->dispatcher_.look_for_work();
        }});
    }

    void schedule_poll() {
        if (!options_.pending_poll_interval || options_.scheduler != scheduling::channels) return;
        jobs_.submit_at(jobs_.now() + *options_.pending_poll_interval,
                        job{[weak = this->weak_from_this()] {
                            const auto self = weak.lock();
                            if (self == nullptr || self->is_closed()) return;
                            self->dispatcher_.look_for_work();
                            self->schedule_poll();
                        }});
    }

    const log_handler log_;
    service_options options_;
    read_options reading_;
    result<> valid_;
    Storage storage_;
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::uint64_t changes_ = 0;
    bool is_closed_ = false;
    bool is_shut_down_ = false;
    std::uint64_t waiting_operations_ = 0;  ///< at most; the store knows better
    std::unique_ptr<thread_executor> own_jobs_;
    std::unique_ptr<inline_executor> inline_jobs_;
    std::recursive_mutex inline_mutex_;  ///< a step may create an operation itself
    executor& jobs_;
    subscriptions<Storage> subscriptions_;
    notifier<Storage> notifier_;
    dispatcher<Operations, Storage, std::remove_const_t<Formats>> dispatcher_;
};

/// Takes in files, runs the operations of a program on them, and answers for every row. Its functions
/// are those of `service_core`; when it goes, it shuts down.
template <typename Operations, storage Storage, typename Formats = decltype(formats<>)>
class service {
public:
    using core = service_core<Operations, Storage, std::remove_const_t<Formats>>;

    service(Operations, Storage storage, service_options options = {},
            const read_options& reading = {}, log_handler log = {})
        : service{{}, std::move(storage), std::move(options), reading, nullptr, std::move(log)} {}

    /// With an executor of the caller's, which outlives the service: for tests, and for programs that
    /// have threads of their own.
    service(Operations, Storage storage, service_options options, const read_options& reading,
            executor* jobs, log_handler log = {})
        : core_{std::make_shared<core>(std::move(storage), std::move(options), reading, jobs,
                                       std::move(log))} {
        core_->start();
    }
    service(service&&) noexcept = default;
    service& operator=(service&&) noexcept = default;
    ~service() {
        if (core_ != nullptr) core_->let_go();
    }

    [[nodiscard]] core* operator->() { return core_.get(); }

    template <typename Metadata = std::string>
    [[nodiscard]] result<operation_id> create(std::string_view name, result<upload> file,
                                              create_options<Metadata> about = {}) {
        return core_->create(name, std::move(file), std::move(about));
    }
    [[nodiscard]] result<operation_record> get(operation_id id) { return core_->get(id); }
    [[nodiscard]] result<page<operation_record>> query(const operation_query& query) {
        return core_->query(query);
    }
    [[nodiscard]] result<page<row_record>> query(const row_query& query) {
        return core_->query(query);
    }
    [[nodiscard]] result<page<row_record>> errors(operation_id id) { return core_->errors(id); }
    [[nodiscard]] result<std::vector<event>> events(std::optional<operation_id> id,
                                                    std::optional<std::uint64_t> after = {},
                                                    std::uint32_t limit = 100) {
        return core_->events(id, after, limit);
    }
    [[nodiscard]] result<operation_record> wait(operation_id id,
                                                std::chrono::milliseconds time = std::chrono::hours{
                                                    24}) {
        return core_->wait(id, time);
    }
    [[nodiscard]] result<> cancel(operation_id id) { return core_->cancel(id); }
    [[nodiscard]] result<> pause(operation_id id) { return core_->pause(id); }
    [[nodiscard]] result<> resume(operation_id id) { return core_->resume(id); }
    [[nodiscard]] std::uint64_t subscribe(event_handler handler) {
        return core_->subscribe(std::move(handler));
    }
    void unsubscribe(std::uint64_t number) { core_->unsubscribe(number); }
    [[nodiscard]] result<> add_channel(std::string name, notification_channel channel) {
        return core_->add_channel(std::move(name), std::move(channel));
    }
    [[nodiscard]] result<> shutdown() { return core_->shutdown(); }
    [[nodiscard]] Storage& storage() { return core_->storage(); }
    /// What was counted since the service began.
    [[nodiscard]] service_metrics metrics() const { return core_->metrics(); }

private:
    std::shared_ptr<core> core_;
};

template <typename Operations, typename Storage, typename... Rest>
service(Operations, Storage, Rest...) -> service<Operations, Storage>;

}  // namespace bulk
