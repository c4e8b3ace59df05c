// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/store_health.hpp>
#include <bulk/storage/sqlite/connection.hpp>
#include <bulk/storage/sqlite/session.hpp>

#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

namespace bulk::sqlite {

/// Damage as a check finds it, up to a number of entries.
class damage_list {
public:
    explicit damage_list(connection& used) : used_{used} {}

    void add(stored_damage each) {
        if (found_.size() < most)
            found_.push_back(std::move(each));
        else
            has_more_ = true;
    }

    /// One part of a check. A part that SQLite cannot finish is damage of its own, and the next part
    /// begins anew; what a read found to be damaged was found by its checksum before.
    template <typename Look>
    void read(std::string_view doing, Look look) {
        session part{used_, doing};
        look(part);
        if (part.failure() && part.failure()->code != errc::damaged)
            add({.what = concat("unreadable, ", part.failure()->message)});
    }

    [[nodiscard]] bool is_full() const { return has_more_; }
    void move_to(store_health& health) {
        health.damage = std::move(found_);
        health.has_more_damage = has_more_;
    }

private:
    static constexpr std::size_t most = 1000;

    connection& used_;
    std::vector<stored_damage> found_;
    bool has_more_ = false;
};

}  // namespace bulk::sqlite
