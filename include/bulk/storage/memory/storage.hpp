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
/// other backend. One lock; each call holds it for as long as it takes to find or put its records.
class storage {
public:
    [[nodiscard]] result<operation_record> create(const operation_record& record,
                                                  const std::vector<event>& events) {
        const std::scoped_lock lock{mutex_};
        if (!record.idempotency_key.empty())
            if (const auto* first = operations_.find_key(record.name, record.idempotency_key))
                return *first;
        auto stored = operations_.insert(record);
        if (stored) append(events);
        return stored;
    }

    [[nodiscard]] result<operation_record> get(operation_id id) {
        const std::scoped_lock lock{mutex_};
        return operations_.get(id);
    }

    [[nodiscard]] result<page<operation_record>> query(const operation_query& query) {
        const std::scoped_lock lock{mutex_};
        return operations_.query(query);
    }

    [[nodiscard]] result<operation_record> update(const operation_record& record,
                                                  const std::vector<event>& events) {
        const std::scoped_lock lock{mutex_};
        auto stored = operations_.update(record);
        if (stored) append(events);
        return stored;
    }

    [[nodiscard]] result<operation_record> update(const lease& held, const operation_record& record,
                                                  const std::vector<event>& events) {
        const std::scoped_lock lock{mutex_};
        auto stored = operations_.update(held, record);
        if (stored) append(events);
        return stored;
    }

    [[nodiscard]] result<std::optional<claimed_operation>> claim(const claim_request& request) {
        const std::scoped_lock lock{mutex_};
        return operations_.claim(request);
    }

    [[nodiscard]] result<std::optional<claimed_operation>> claim(operation_id id,
                                                                 const claim_request& request) {
        const std::scoped_lock lock{mutex_};
        return operations_.claim(id, request);
    }

    [[nodiscard]] result<operation_record> renew(const lease& held, timestamp now,
                                                 std::chrono::milliseconds time) {
        const std::scoped_lock lock{mutex_};
        return operations_.renew(held, now, time);
    }

    [[nodiscard]] result<> release(const lease& held) {
        const std::scoped_lock lock{mutex_};
        return operations_.release(held);
    }

    [[nodiscard]] result<operation_record> record(const lease& held, const row_batch& batch) {
        const std::scoped_lock lock{mutex_};
        auto counted = operations_.count(held, batch.counted);
        if (!counted) return counted;
        rows_.try_emplace(held.operation, held.operation).first->second.add(batch);
        append(batch.events);
        return counted;
    }

    [[nodiscard]] result<page<row_record>> query(const row_query& query) {
        if (auto valid = validate(query); !valid) return std::unexpected{valid.error()};
        const std::scoped_lock lock{mutex_};
        if (auto known = operations_.get(query.operation); !known)
            return std::unexpected{known.error()};
        const auto rows = rows_.find(query.operation);
        if (rows == rows_.end()) return page<row_record>{};
        return rows->second.query(query);
    }

    [[nodiscard]] result<std::optional<row_record>> get(operation_id id, row_number row,
                                                        step_index step) {
        const std::scoped_lock lock{mutex_};
        const auto rows = rows_.find(id);
        if (rows == rows_.end()) return std::nullopt;
        return rows->second.get(row, step);
    }

    [[nodiscard]] result<std::vector<std::optional<row_progress>>> progress(operation_id id,
                                                                            row_number first,
                                                                            std::uint64_t count) {
        const std::scoped_lock lock{mutex_};
        std::vector<std::optional<row_progress>> all(count);
        if (const auto rows = rows_.find(id); rows != rows_.end())
            for (std::size_t i = 0; i < all.size(); ++i)
                all[i] = rows->second.progress(row_number{to_number(first) + i});
        return all;
    }

    [[nodiscard]] result<std::vector<event>> events(std::optional<operation_id> id,
                                                    std::optional<std::uint64_t> after,
                                                    std::uint32_t limit) {
        const std::scoped_lock lock{mutex_};
        limit = std::clamp<std::uint32_t>(limit, 1, largest_page);
        std::vector<event> found;
        const auto& log = id ? events_of_[*id] : events_;
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
        const std::scoped_lock lock{mutex_};
        stored_file about{.id = concat("memory-", ++last_file_),
                          .name = std::move(name),
                          .size = content->size(),
                          .checksum = sum.value(),
                          .stored_at = now};
        files_.emplace(about.id, upload{about, std::move(content)});
        return about;
    }

    [[nodiscard]] result<stored_file> file(const std::string& id) {
        const std::scoped_lock lock{mutex_};
        const auto found = files_.find(id);
        if (found == files_.end()) return no_file(id);
        return found->second.about;
    }

    [[nodiscard]] result<byte_pull> open_file(const std::string& id, std::uint64_t offset) {
        const std::scoped_lock lock{mutex_};
        const auto found = files_.find(id);
        if (found == files_.end()) return no_file(id);
        return byte_pull{[content = found->second.content, at = static_cast<std::size_t>(offset)](
                             std::span<char> into) mutable -> result<std::size_t> {
            const std::size_t left = content->size() - std::min(at, content->size());
            const std::size_t count = std::min(into.size(), left);
            std::copy_n(content->data() + (content->size() - left), count, into.data());
            at += count;
            return count;
        }};
    }

    [[nodiscard]] result<> remove_file(const std::string& id) {
        const std::scoped_lock lock{mutex_};
        if (files_.erase(id) == 0) return no_file(id);
        return {};
    }

private:
    struct upload {
        stored_file about;
        std::shared_ptr<const std::string> content;
    };

    static std::unexpected<error> no_file(const std::string& id) {
        return fail(errc::not_found, concat("there is no file '", id, '\''));
    }

    void append(const std::vector<event>& events) {
        for (event each : events) {
            each.sequence = ++last_event_;
            events_of_[each.operation].push_back(each);
            events_.push_back(std::move(each));
        }
    }

    std::mutex mutex_;
    operation_table operations_;
    std::map<operation_id, row_table> rows_;
    std::deque<event> events_;
    std::map<operation_id, std::deque<event>> events_of_;
    std::uint64_t last_event_ = 0;
    std::map<std::string, upload> files_;
    std::uint64_t last_file_ = 0;
};
static_assert(bulk::storage<storage>);

}  // namespace bulk::memory
