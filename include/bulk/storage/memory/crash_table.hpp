// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/id.hpp>
#include <bulk/storage/flight_recorder.hpp>
#include <bulk/storage/operation_tables.hpp>

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace bulk::memory {

/// The rows that user code has, and how often each had to be taken from an owner that did not give its
/// operation back.
class crash_table {
public:
    [[nodiscard]] flight_recorder& flights() { return flights_; }

    /// No other process can have died with something of this storage.
    [[nodiscard]] static std::vector<row_in_flight> release_dead() { return {}; }

    [[nodiscard]] std::vector<row_in_flight> rows_in_flight(operation_id id) const {
        std::vector<row_in_flight> found;
        for (const auto& seat : *seats_)
            if (const auto seen = seen_in(seat); seen && seen->operation == id)
                found.push_back(*seen);
        return found;
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
    using seats = std::array<flight_seat, 1024>;

    std::shared_ptr<seats> seats_ = std::make_shared<seats>();
    flight_recorder flights_{*seats_, seats_};
    std::map<operation_id, std::map<row_number, crashed_row>> counts_;
};

}  // namespace bulk::memory
