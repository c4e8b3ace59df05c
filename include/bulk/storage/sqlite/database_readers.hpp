// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/read_limit.hpp>
#include <bulk/storage/sqlite/connection.hpp>
#include <bulk/storage/sqlite/database_file.hpp>
#include <bulk/storage/sqlite/obstacle.hpp>
#include <bulk/storage/sqlite/read_stop.hpp>
#include <bulk/storage/sqlite/session.hpp>

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace bulk::sqlite {

/// The connections that read a database, beside the one that writes.
class database_readers {
public:
    explicit database_readers(const database_file& file) : file_{&file} {}

    /// `look` at one state of the database, whatever is written meanwhile; no longer than the limit of
    /// this thread's reads allows.
    template <typename Look>
    [[nodiscard]] auto read(std::string_view doing, Look look)
        -> std::invoke_result_t<Look, session&> {
        for (int round = 0;; ++round) {
            if (auto over = read_scope::reached()) return std::unexpected{std::move(*over)};
            if (auto same = file_->check(doing); !same) return std::unexpected{same.error()};
            const auto before = is_read_as_it_is_ ? state_of(file_->path()) : std::nullopt;
            auto reader = take_reader();
            if (!reader) return std::unexpected{reader.error()};
            std::optional<std::invoke_result_t<Look, session&>> found;
            std::optional<error> failure, stopped;
            {
                const read_stop stop{**reader};
                session view{**reader, doing};
                view.execute("BEGIN");
                found.emplace(look(view));
                view.execute("COMMIT");
                failure = view.failure();
                if (failure) stopped = stop.reason();
            }
            if (stopped) {
                session ending{**reader, doing};
                if ((*reader)->is_in_transaction()) ending.execute("ROLLBACK");
                if (!ending.failure()) give_back(std::move(*reader));
                return std::unexpected{std::move(*stopped)};
            }
            if ((*reader)->how() == opening::as_it_is &&
                (file_->has_log() || state_of(file_->path()) != before)) {
                is_read_as_it_is_ = false;  // somebody can write it now, and has: look once more
                if (round < most_rounds) continue;
                return fail(errc::unavailable, concat("database '", file_->path(), "', ", doing,
                                                      ": it changes all the time: try again"));
            }
            if (failure && round < most_rounds && file_->is_unwritable(**reader) &&
                !file_->has_log()) {
                is_read_as_it_is_ = true;  // whoever could write it has gone
                continue;
            }
            if (failure) return std::unexpected{std::move(*failure)};  // the reader is dropped
            give_back(std::move(*reader));
            return std::move(*found);
        }
    }

    /// From now on without locks and without a write-ahead log: nobody can write the file, nor files beside it.
    void read_as_it_is() { is_read_as_it_is_ = true; }

    void close() { readers_.clear(); }

private:
    /// More threads than this may read at once; later ones open a connection each time.
    static constexpr std::size_t most_idle_readers = 4;

    /// How often one reading is begun anew because others began or ceased to write.
    static constexpr int most_rounds = 3;

    [[nodiscard]] result<std::unique_ptr<connection>> take_reader() {
        {
            const std::scoped_lock lock{readers_mutex_};
            if (!readers_.empty()) {
                auto reader = std::move(readers_.back());
                readers_.pop_back();
                return reader;
            }
        }
        if (file_->has_log()) is_read_as_it_is_ = false;
        return file_->open(is_read_as_it_is_ ? opening::as_it_is : opening::normal);
    }

    void give_back(std::unique_ptr<connection> reader) {
        const std::scoped_lock lock{readers_mutex_};
        if (readers_.size() < most_idle_readers && reader->how() == opening::normal)
            readers_.push_back(std::move(reader));
    }

    const database_file* file_;
    std::atomic<bool> is_read_as_it_is_ = false;
    std::mutex readers_mutex_;
    std::vector<std::unique_ptr<connection>> readers_;
};

}  // namespace bulk::sqlite
