// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/error.hpp>
#include <bulk/storage/flight_recorder.hpp>
#include <bulk/storage/presence.hpp>

#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>

namespace bulk {

/// The presence of this process, which begins with the first work that it claims: a process that only
/// reads writes no file.
class own_presence {
public:
    own_presence(std::string prefix, std::string name)
        : prefix_{std::move(prefix)}, name_{std::move(name)} {}

    [[nodiscard]] const std::string& name() const { return name_; }

    /// Before anything is claimed; again if it could not be done the last time.
    [[nodiscard]] result<> begin() {
        const std::scoped_lock lock{mutex_};
        if (begun_ != nullptr) return {};
        auto begun = presence::begin(prefix_, name_);
        if (!begun) return std::unexpected{begun.error()};
        begun_ = std::move(*begun);
        return {};
    }

    /// Without seats until it has begun.
    [[nodiscard]] flight_recorder& flights() {
        const std::scoped_lock lock{mutex_};
        return begun_ != nullptr ? begun_->flights() : nowhere_;
    }

private:
    std::string prefix_;
    std::string name_;
    std::mutex mutex_;
    std::shared_ptr<presence> begun_;
    flight_recorder nowhere_{std::span<flight_seat>{}, nullptr};
};

}  // namespace bulk
