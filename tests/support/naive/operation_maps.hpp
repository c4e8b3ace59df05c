#pragma once

#include "row_maps.hpp"

#include <bulk/storage/operation_filter.hpp>
#include <bulk/storage/operation_tables.hpp>
#include <bulk/storage/own_flights.hpp>

#include <ranges>

namespace bulk::naive {

template <typename Map>
auto values_of(const Map& all) {
    const auto each = std::views::values(all);
    return std::vector<typename Map::mapped_type>(each.begin(), each.end());
}
template <typename Map>
auto value_in(const Map& all, const typename Map::key_type& key) {
    const auto found = all.find(key);
    return found == all.end() ? std::nullopt : std::optional{found->second};
}

/// Operations, crashes, events and workers. In the order of the concept `operation_tables`.
class operation_maps {
public:
    const stored_operation* find_operation(operation_id id) {
        const auto found = operations_.find(id);
        return found == operations_.end() ? nullptr : &found->second;
    }
    const stored_operation* find_first(std::string_view name, std::string_view idempotency_key) {
        for (const auto& [id, each] : operations_)
            if (each.record.idempotency_key == idempotency_key && same_name(each.record.name, name))
                return &each;
        return nullptr;
    }
    const stored_operation* find_open(timestamp /*leased_until*/,
                                      const std::function<bool(claim_candidate)>& wants) {
        const stored_operation* oldest = nullptr;
        for (const auto& [id, each] : operations_) {  // of the same age by id
            const bool is_older =
                oldest == nullptr || each.record.created_at < oldest->record.created_at;
            if (is_older && wants(candidate_of(each))) oldest = &each;
        }
        return oldest;
    }
    page<operation_record> find_operations(const operation_query& query,
                                           const std::optional<operation_order>& after) {
        page<operation_record> found;
        const operation_filter filter{query};
        first_places places{after, query.descending, query.page_size};
        read_pulse pulse;
        for (const auto& [id, each] : operations_)
            if (!pulse.is_over() && filter.matches(each.record)) {
                ++found.total;
                places.add(order_of(each.record, query.sort));
            }
        for (const auto& each : std::move(places).take())
            found.items.push_back(operations_.at(each.id).record);
        return found;
    }
    void insert_operation(const operation_record& record) {
        operations_[record.id] = {.key = {.id = record.id}, .record = record};
        rows_.emplace(record.id, record.id);
    }
    void save_operation(const operation_key& key, const operation_record& record) {
        operations_.at(key.id).record = record;
    }
    void remove_operation(const operation_key& key) {
        operations_.erase(key.id);
        rows_.erase(key.id);
        crashes_.erase(key.id);
        remove_events(key.id);
    }
    void set_lease(const operation_key& key, std::optional<timestamp> until) {
        operations_.at(key.id).lease_until = until;
    }
    void set_owner(const operation_key& key, std::uint64_t fence, timestamp until,
                   const std::string& /*owner*/) {
        operations_.at(key.id).fence = fence;
        set_lease(key, until);
    }
    void add_counts(const operation_key& key, const row_counters& counted, step_index /*last*/) {
        if (counted == row_counters{}) return;
        auto& record = operations_.at(key.id).record;
        add(record.rows, counted);
        ++record.version;
    }
    row_maps& rows_of(const operation_key& key) { return rows_.at(key.id); }

    flight_recorder& flights() { return flights_.recorder(); }
    /// No other process can use this storage.
    static std::vector<row_in_flight> release_dead() { return {}; }
    std::vector<row_in_flight> rows_in_flight(operation_id id) { return flights_.of(id); }
    std::optional<crashed_row> find_crash(const operation_key& key, row_number row) {
        return value_in(crashes_[key.id], row);
    }
    void put_crash(const operation_key& key, const crashed_row& crash) {
        crashes_[key.id][crash.row] = crash;
    }
    std::vector<crashed_row> crashes(const operation_key& key) {
        return values_of(crashes_[key.id]);
    }
    void forget_crashes(const operation_key& key) { crashes_.erase(key.id); }

    void append(const std::vector<event>& events) {
        for (const auto& each : events) events_.emplace_back(each).sequence = ++last_event_;
    }
    std::vector<event> find_events(std::optional<operation_id> id,
                                   std::optional<std::uint64_t> after, std::uint32_t limit) {
        auto found = events_;
        std::erase_if(found, [&](const event& each) {
            return (id && each.operation != *id) || each.sequence <= after.value_or(0);
        });
        if (found.size() <= limit) return found;
        if (after) return {found.begin(), found.begin() + limit};
        return {found.end() - limit, found.end()};
    }
    std::optional<std::uint64_t> event_position(const std::string& reader) {
        return value_in(positions_, reader);
    }
    void raise_event_position(const std::string& reader, std::uint64_t position) {
        positions_[reader] = std::max(positions_[reader], position);
    }
    void remove_events(operation_id id) {
        std::erase_if(events_, [&](const event& each) { return each.operation == id; });
    }

    void put_worker(const worker_record& worker) { workers_[worker.id] = worker; }
    void remove_worker(worker_id id) { workers_.erase(id); }
    void forget_workers(timestamp seen_before) {
        std::erase_if(workers_,
                      [&](const auto& each) { return each.second.seen_at < seen_before; });
    }
    std::vector<worker_record> find_workers(std::size_t most) {
        auto found = values_of(workers_);
        std::ranges::sort(found, std::greater{}, &worker_record::seen_at);
        if (found.size() > most) found.resize(most);
        return found;
    }

private:
    std::map<operation_id, stored_operation> operations_;
    std::map<operation_id, row_maps> rows_;
    own_flights flights_;
    std::map<operation_id, std::map<row_number, crashed_row>> crashes_;
    std::vector<event> events_;
    std::uint64_t last_event_ = 0;
    std::map<std::string, std::uint64_t> positions_;
    std::map<worker_id, worker_record> workers_;
};
static_assert(operation_tables<operation_maps>);

}  // namespace bulk::naive
