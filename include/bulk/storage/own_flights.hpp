// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/id.hpp>
#include <bulk/storage/flight_recorder.hpp>

#include <array>
#include <memory>
#include <vector>

namespace bulk {

/// The rows that user code of this process has, for a storage that no other process can use: nobody
/// looks for them after the process.
class own_flights {
public:
    [[nodiscard]] flight_recorder& recorder() { return recorder_; }

    [[nodiscard]] std::vector<row_in_flight> of(operation_id id) const {
        std::vector<row_in_flight> found;
        for (const auto& seat : *seats_)
            if (const auto seen = seen_in(seat); seen && seen->operation == id)
                found.push_back(*seen);
        return found;
    }

private:
    using seats = std::array<flight_seat, 1024>;

    std::shared_ptr<seats> seats_ = std::make_shared<seats>();
    flight_recorder recorder_{*seats_, seats_};
};

}  // namespace bulk
