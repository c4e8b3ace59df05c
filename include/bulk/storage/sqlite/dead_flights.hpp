// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/id.hpp>
#include <bulk/storage/flight_recorder.hpp>
#include <bulk/storage/sqlite/flight_file.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

namespace bulk::sqlite {

/// What processes that died have left of their flight files. While one of these exists, nobody else
/// has them. What cannot be read is left out: then a crash is not counted, and nothing else happens.
class dead_flights {
public:
    explicit dead_flights(const std::filesystem::path& database) {
        const auto prefix = database.filename().string() + std::string{flight_suffix};
        std::error_code code;
        for (std::filesystem::directory_iterator each{database.parent_path(), code}, end;
             !code && each != end; each.increment(code))
            if (each->path().filename().string().starts_with(prefix)) add(each->path().string());
    }
    dead_flights(const dead_flights&) = delete;

    /// Those that have nothing more to tell are removed.
    ~dead_flights() {
        for (const auto& each : files_) {
            if (each.rows.empty()) ::unlink(each.path.c_str());
            ::close(each.file);
        }
    }

    [[nodiscard]] std::vector<row_in_flight> of(operation_id id) const {
        std::vector<row_in_flight> found;
        for (const auto& file : files_)
            for (const auto& [seat, row] : file.rows)
                if (row.operation == id) found.push_back(row);
        return found;
    }

    /// They were counted.
    void forget(operation_id id) {
        for (auto& file : files_)
            std::erase_if(file.rows, [&](const auto& each) {
                if (each.second.operation != id) return false;
                const flight_seat empty;
                return ::pwrite(file.file, &empty, sizeof empty,
                                static_cast<off_t>(each.first * sizeof empty)) >= 0;
            });
    }

private:
    struct dead_file {
        std::string path;
        int file;
        std::vector<std::pair<std::size_t, row_in_flight>> rows;
    };

    void add(std::string path) {
        const int file = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
        if (file < 0) return;
        if (::flock(file, LOCK_EX | LOCK_NB) != 0) {  // its process lives
            ::close(file);
            return;
        }
        dead_file dead{.path = std::move(path), .file = file, .rows = {}};
        std::array<std::uint64_t, 4> words{};
        static_assert(sizeof words == sizeof(flight_seat));
        for (std::size_t seat = 0; seat < flight_file::seats; ++seat) {
            const auto got =
                ::pread(file, words.data(), sizeof words, static_cast<off_t>(seat * sizeof words));
            if (got != static_cast<ssize_t>(sizeof words)) break;
            flight_seat seen;
            seen.operation_high = words[0];
            seen.operation_low = words[1];
            seen.row = words[2];
            seen.step = static_cast<std::int64_t>(words[3]);
            if (const auto row = seen_in(seen)) dead.rows.emplace_back(seat, *row);
        }
        files_.push_back(std::move(dead));
    }

    std::vector<dead_file> files_;
};

}  // namespace bulk::sqlite
