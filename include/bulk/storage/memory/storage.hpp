// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/event.hpp>
#include <bulk/storage/concepts.hpp>
#include <bulk/storage/memory/operation_table.hpp>
#include <bulk/storage/memory/row_table.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace bulk::memory {

/// Everything in this process, gone with it: for tests, for embedding, and the reference for every
/// other backend. A handle: copies share what they hold, as two processes share a database. One
/// lock; each call holds it for as long as it takes to find or put its records.
class storage {
public:
    [[nodiscard]] result<operation_record> create(const operation_record& record,
                                                  const std::vector<event>& events) {
        const std::scoped_lock lock{all_->mutex};
        if (!record.idempotency_key.empty())
            if (const auto* first = all_->operations.find_key(record.name, record.idempotency_key))
                return *first;
        auto stored = all_->operations.insert(record);
        if (stored) append(events);
        return stored;
    }

    [[nodiscard]] result<operation_record> get(operation_id id) {
        const std::scoped_lock lock{all_->mutex};
        return all_->operations.get(id);
    }

    [[nodiscard]] result<page<operation_record>> query(const operation_query& query) {
        const std::scoped_lock lock{all_->mutex};
        return all_->operations.query(query);
    }

    [[nodiscard]] result<operation_record> update(const operation_record& record,
                                                  const std::vector<event>& events) {
        const std::scoped_lock lock{all_->mutex};
        auto stored = all_->operations.update(record);
        if (stored) append(events);
        return stored;
    }

    [[nodiscard]] result<operation_record> update(const lease& held, const operation_record& record,
                                                  const std::vector<event>& events) {
        const std::scoped_lock lock{all_->mutex};
        auto stored = all_->operations.update(held, record);
        if (stored) append(events);
        return stored;
    }

    [[nodiscard]] result<std::optional<claimed_operation>> claim(const claim_request& request) {
        const std::scoped_lock lock{all_->mutex};
        return all_->operations.claim(request);
    }

    [[nodiscard]] result<std::optional<claimed_operation>> claim(operation_id id,
                                                                 const claim_request& request) {
        const std::scoped_lock lock{all_->mutex};
        return all_->operations.claim(id, request);
    }

    [[nodiscard]] result<operation_record> renew(const lease& held, timestamp now,
                                                 std::chrono::milliseconds time) {
        const std::scoped_lock lock{all_->mutex};
        return all_->operations.renew(held, now, time);
    }

    [[nodiscard]] result<> release(const lease& held) {
        const std::scoped_lock lock{all_->mutex};
        return all_->operations.release(held);
    }

    [[nodiscard]] result<> record(const lease& held, const row_batch& batch) {
        const std::scoped_lock lock{all_->mutex};
        auto counted = all_->operations.count(held, batch.counted);
        if (!counted) return counted;
        all_->rows.try_emplace(held.operation, held.operation).first->second.add(batch);
        append(batch.events);
        return counted;
    }

    [[nodiscard]] result<page<row_record>> query(const row_query& query) {
        if (auto valid = validate(query); !valid) return std::unexpected{valid.error()};
        const std::scoped_lock lock{all_->mutex};
        if (auto known = all_->operations.get(query.operation); !known)
            return std::unexpected{known.error()};
        const auto rows = all_->rows.find(query.operation);
        if (rows == all_->rows.end()) return page<row_record>{};
        return rows->second.query(query);
    }

    [[nodiscard]] result<std::optional<row_record>> get(operation_id id, row_number row,
                                                        step_index step) {
        const std::scoped_lock lock{all_->mutex};
        const auto rows = all_->rows.find(id);
        if (rows == all_->rows.end()) return std::nullopt;
        return rows->second.get(row, step);
    }

    [[nodiscard]] result<std::vector<std::optional<row_progress>>> progress(operation_id id,
                                                                            row_number first,
                                                                            std::uint64_t count) {
        const std::scoped_lock lock{all_->mutex};
        std::vector<std::optional<row_progress>> all(count);
        if (const auto rows = all_->rows.find(id); rows != all_->rows.end())
            for (std::size_t i = 0; i < all.size(); ++i)
                all[i] = rows->second.progress(row_number{to_number(first) + i});
        return all;
    }

    [[nodiscard]] result<std::vector<event>> events(std::optional<operation_id> id,
                                                    std::optional<std::uint64_t> after,
                                                    std::uint32_t limit) {
        const std::scoped_lock lock{all_->mutex};
        limit = std::clamp<std::uint32_t>(limit, 1, largest_page);
        std::vector<event> found;
        const auto& log = id ? all_->events_of[*id] : all_->events;
        if (after) {
            auto at = std::ranges::upper_bound(log, *after, {}, &event::sequence);
            for (; at != log.end() && found.size() < limit; ++at) found.push_back(*at);
        } else {
            const auto count = std::min<std::size_t>(limit, log.size());
            found.assign(log.end() - static_cast<std::ptrdiff_t>(count), log.end());
        }
        return found;
    }

    [[nodiscard]] result<stored_file> put_file(std::string name, const byte_pull& pull,
                                               std::uint64_t most, timestamp now) {
        auto content = std::make_shared<std::string>();
        checksum sum;
        std::array<char, 64 * 1024> part;
        while (true) {
            const auto got = pull(part);
            if (!got) return std::unexpected{got.error()};
            if (*got == 0) break;
            if (most > 0 && content->size() + *got > most)
                return fail(errc::invalid_argument, concat("the file '", name, "' is larger than ",
                                                           most, " bytes, the most that is taken"));
            sum.add({part.data(), *got});
            content->append(part.data(), *got);
        }
        const std::scoped_lock lock{all_->mutex};
        stored_file about{.id = concat("memory-", ++all_->last_file),
                          .name = std::move(name),
                          .size = content->size(),
                          .checksum = sum.value(),
                          .stored_at = now};
        all_->files.emplace(about.id, upload{about, std::move(content)});
        return about;
    }

    [[nodiscard]] result<stored_file> file(const std::string& id) {
        const std::scoped_lock lock{all_->mutex};
        const auto found = all_->files.find(id);
        if (found == all_->files.end()) return no_file(id);
        return found->second.about;
    }

    [[nodiscard]] result<byte_pull> open_file(const std::string& id, std::uint64_t offset) {
        const std::scoped_lock lock{all_->mutex};
        const auto found = all_->files.find(id);
        if (found == all_->files.end()) return no_file(id);
        return byte_pull{[content = found->second.content, at = static_cast<std::size_t>(offset)](
                             std::span<char> into) mutable -> result<std::size_t> {
            const std::size_t left = content->size() - std::min(at, content->size());
            const std::size_t count = std::min(into.size(), left);
            std::copy_n(content->data() + (content->size() - left), count, into.data());
            at += count;
            return count;
        }};
    }

    /// The content itself, to be read where it is; null if there is no such file.
    [[nodiscard]] std::shared_ptr<const std::string> file_memory(const std::string& id) {
        const std::scoped_lock lock{all_->mutex};
        const auto found = all_->files.find(id);
        return found == all_->files.end() ? nullptr : found->second.content;
    }

    [[nodiscard]] result<> remove_file(const std::string& id) {
        const std::scoped_lock lock{all_->mutex};
        if (all_->files.erase(id) == 0) return no_file(id);
        return {};
    }

private:
    struct upload {
        stored_file about;
        std::shared_ptr<const std::string> content;
    };

    struct tables {
        std::mutex mutex;
        operation_table operations;
        std::map<operation_id, row_table> rows;
        std::deque<event> events;
        std::map<operation_id, std::deque<event>> events_of;
        std::uint64_t last_event = 0;
        std::map<std::string, upload> files;
        std::uint64_t last_file = 0;
    };

    static std::unexpected<error> no_file(const std::string& id) {
        return fail(errc::not_found, concat("there is no file '", id, '\''));
    }

    void append(const std::vector<event>& events) {
        for (event each : events) {
            each.sequence = ++all_->last_event;
            all_->events_of[each.operation].push_back(each);
            all_->events.push_back(std::move(each));
        }
    }

    std::shared_ptr<tables> all_ = std::make_shared<tables>();
};
static_assert(bulk::storage<storage>);

}  // namespace bulk::memory
