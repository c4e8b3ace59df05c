// A storage whose calls fail now and then, before they have done anything; or at whose calls something
// else happens, before them or after.
#pragma once

#include <bulk/core/error.hpp>
#include <bulk/storage/concepts.hpp>
#include <bulk/storage/stored_file.hpp>
#include <bulk/storage/typed_records.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace support {

template <bulk::storage Storage>
class faulty_storage {
public:
    /// `fails(name)` is asked before each call; `done(name)` is told when it was made.
    explicit faulty_storage(Storage storage, std::function<bool(const char*)> fails,
                            std::function<void(const char*)> done = {})
        : storage_{std::move(storage)}, fails_{std::move(fails)}, done_{std::move(done)} {}

    auto create(const bulk::operation_record& record, const std::vector<bulk::event>& events) {
        return call("create", [&] { return storage_.create(record, events); });
    }
    auto get(bulk::operation_id id) {
        return call("get", [&] { return storage_.get(id); });
    }
    auto query(const bulk::operation_query& query) {
        return call("query", [&] { return storage_.query(query); });
    }
    auto update(const bulk::operation_record& record, const std::vector<bulk::event>& events) {
        return call("update", [&] { return storage_.update(record, events); });
    }
    auto update(const bulk::lease& held, const bulk::operation_record& record,
                const std::vector<bulk::event>& events) {
        return call("update", [&] { return storage_.update(held, record, events); });
    }
    auto claim(const bulk::claim_request& request) {
        return call("claim", [&] { return storage_.claim(request); });
    }
    auto claim(bulk::operation_id id, const bulk::claim_request& request) {
        return call("claim", [&] { return storage_.claim(id, request); });
    }
    auto renew(const bulk::lease& held, bulk::timestamp now, std::chrono::milliseconds time) {
        return call("renew", [&] { return storage_.renew(held, now, time); });
    }
    auto release(const bulk::lease& held) {
        return call("release", [&] { return storage_.release(held); });
    }
    auto move_steps(const bulk::lease& held, const bulk::operation_record& record,
                    const bulk::step_moves& to) {
        return call("move_steps", [&] { return storage_.move_steps(held, record, to); });
    }
    auto remove(bulk::operation_id id) {
        return call("remove", [&] { return storage_.remove(id); });
    }
    bulk::flight_recorder& flights() { return storage_.flights(); }
    auto crashes(bulk::operation_id id) {
        return call("crashes", [&] { return storage_.crashes(id); });
    }
    auto record(const bulk::lease& held, const bulk::row_batch& batch) {
        return call("record", [&] { return storage_.record(held, batch); });
    }
    auto query(const bulk::row_query& query) {
        return call("query", [&] { return storage_.query(query); });
    }
    auto get(bulk::operation_id id, bulk::row_number row, bulk::step_index step) {
        return call("get", [&] { return storage_.get(id, row, step); });
    }
    auto progress(bulk::operation_id id, bulk::row_number first, std::uint64_t count) {
        return call("progress", [&] { return storage_.progress(id, first, count); });
    }
    auto row_numbers(const bulk::row_query& query) {
        return call("row_numbers", [&] { return storage_.row_numbers(query); });
    }
    auto send(const bulk::signal& sent, bulk::timestamp until) {
        return call("send", [&] { return storage_.send(sent, until); });
    }
    auto signals(bulk::operation_id id, std::uint64_t after, std::uint32_t limit) {
        return call("signals", [&] { return storage_.signals(id, after, limit); });
    }
    auto close_wait(const bulk::lease& held, bulk::row_number row, bulk::step_index step) {
        return call("close_wait", [&] { return storage_.close_wait(held, row, step); });
    }
    auto retry(const bulk::operation_record& record, const bulk::retry_filter& filter,
               const std::vector<bulk::step_index>& steps, const std::vector<bulk::event>& events) {
        return call("retry", [&] { return storage_.retry(record, filter, steps, events); });
    }
    auto retry_history(const bulk::retry_history_query& query) {
        return call("retry_history", [&] { return storage_.retry_history(query); });
    }
    auto events(std::optional<bulk::operation_id> id, std::optional<std::uint64_t> after,
                std::uint32_t limit) {
        return call("events", [&] { return storage_.events(id, after, limit); });
    }
    auto event_position(const std::string& reader) {
        return call("event_position", [&] { return storage_.event_position(reader); });
    }
    auto set_event_position(const std::string& reader, std::uint64_t position) {
        return call("set_event_position",
                    [&] { return storage_.set_event_position(reader, position); });
    }
    auto save_worker(const bulk::worker_record& record) {
        return call("save_worker", [&] { return storage_.save_worker(record); });
    }
    auto remove_worker(bulk::worker_id id) {
        return call("remove_worker", [&] { return storage_.remove_worker(id); });
    }
    auto workers() {
        return call("workers", [&] { return storage_.workers(); });
    }
    auto put_file(std::string name, const bulk::byte_pull& pull, std::uint64_t most,
                  bulk::timestamp now, bulk::file_origin from = {}) {
        return call("put_file", [&] {
            return storage_.put_file(std::move(name), pull, most, now, std::move(from));
        });
    }
    auto file(const std::string& id) {
        return call("file", [&] { return storage_.file(id); });
    }
    auto open_file(const std::string& id, std::uint64_t offset) {
        auto opened = call("open_file", [&] { return storage_.open_file(id, offset); });
        if (opened) *opened = faulty_pull(std::move(*opened));
        return opened;
    }
    auto remove_file(const std::string& id) {
        return call("remove_file", [&] { return storage_.remove_file(id); });
    }
    auto files(const std::string& after, std::uint32_t limit, std::string_view prefix = {}) {
        return call("files", [&] { return storage_.files(after, limit, prefix); });
    }

protected:
    template <typename Call>
    auto call(const char* name, Call&& call) -> std::invoke_result_t<Call> {
        if (fails_(name))
            return bulk::fail(bulk::errc::unavailable, std::string{"no answer to "} + name);
        auto answer = std::forward<Call>(call)();
        if (done_) done_(name);
        return answer;
    }

    Storage storage_;

private:
    /// A file whose reading fails in the middle, too, as "pull". It may outlive this.
    bulk::byte_pull faulty_pull(bulk::byte_pull pull) {
        return [pull = std::move(pull), fails = fails_,
                done = done_](std::span<char> into) -> bulk::result<std::size_t> {
            if (fails("pull")) return bulk::fail(bulk::errc::unavailable, "no answer to pull");
            auto got = pull(into);
            if (done) done("pull");
            return got;
        };
    }

    std::function<bool(const char*)> fails_;
    std::function<void(const char*)> done_;
};

/// The same with the transactions that steps share.
template <bulk::transactional_store Storage>
class faulty_transactional_storage : public faulty_storage<Storage> {
public:
    using faulty_storage<Storage>::faulty_storage;
    using connection = typename Storage::connection;

    class transaction {
    public:
        transaction(faulty_transactional_storage on, typename Storage::transaction open)
            : on_{std::move(on)}, open_{std::move(open)} {}

        [[nodiscard]] typename Storage::connection& connection() { return open_.connection(); }
        [[nodiscard]] bulk::result<> record(const bulk::row_batch& batch) {
            return on_.call("transaction record", [&] { return open_.record(batch); });
        }
        [[nodiscard]] bulk::result<> commit() {
            return on_.call("commit", [&] { return open_.commit(); });
        }

    private:
        faulty_transactional_storage on_;
        typename Storage::transaction open_;
    };

    [[nodiscard]] bulk::result<transaction> begin(const bulk::lease& held) {
        return this->call("begin", [&]() -> bulk::result<transaction> {
            auto open = this->storage_.begin(held);
            if (!open) return std::unexpected{open.error()};
            return transaction{*this, std::move(*open)};
        });
    }
};

}  // namespace support
