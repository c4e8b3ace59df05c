// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/id.hpp>
#include <bulk/storage/flight_recorder.hpp>
#include <bulk/storage/operation_tables.hpp>
#include <bulk/storage/own_flights.hpp>

#include <map>
#include <optional>
#include <vector>

namespace bulk::memory {

/// The rows that user code has, and how often each had to be taken from an owner that did not give its
/// operation back.
class crash_table {
public:
    [[nodiscard]] flight_recorder& flights() { return flights_.recorder(); }

    /// No other process can have died with something of this storage.
    [[nodiscard]] static std::vector<row_in_flight> release_dead() { return {}; }

    [[nodiscard]] std::vector<row_in_flight> rows_in_flight(operation_id id) const {
        return flights_.of(id);
    }

    [[nodiscard]] std::optional<crashed_row> find_crash(const operation_key& key,
                                                        row_number row) const {
        const auto of = counts_.find(key.id);
        if (of == counts_.end()) return std::nullopt;
        const auto found = of->second.find(row);
        return found == of->second.end() ? std::nullopt : std::optional{found->second};
    }
    void put_crash(const operation_key& key, const crashed_row& crash) {
        counts_[key.id].insert_or_assign(crash.row, crash);
    }
    [[nodiscard]] std::vector<crashed_row> crashes(const operation_key& key) const {
        std::vector<crashed_row> all;
        if (const auto found = counts_.find(key.id); found != counts_.end())
            for (const auto& [row, each] : found->second) all.push_back(each);
        return all;
    }
    void forget_crashes(const operation_key& key) { counts_.erase(key.id); }

private:
    own_flights flights_;
    std::map<operation_id, std::map<row_number, crashed_row>> counts_;
};

}  // namespace bulk::memory
