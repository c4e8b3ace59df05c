// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/core/feed_run.hpp>
#include <bulk/core/id.hpp>
#include <bulk/core/uuid.hpp>
#include <bulk/core/worker_record.hpp>

#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <concepts>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace bulk::sqlite {

/// Binds a string as bytes instead of text.
struct blob {
    std::string_view bytes;
};

namespace detail {

template <typename T>
concept unique_id =
    std::same_as<T, operation_id> || std::same_as<T, run_id> || std::same_as<T, worker_id>;

}  // namespace detail

/// One prepared statement: binds what is given to it, and reads columns into what is asked for.
/// Times are microseconds, spans milliseconds, enumerations their numbers, ids their sixteen bytes,
/// none is NULL.
class statement {
public:
    explicit statement(sqlite3_stmt* prepared) : prepared_{prepared} {}

    [[nodiscard]] sqlite3_stmt* get() const { return prepared_.get(); }
    [[nodiscard]] int parameters() const { return sqlite3_bind_parameter_count(get()); }
    [[nodiscard]] int step() const { return sqlite3_step(get()); }
    void reset() const { sqlite3_reset(get()); }

    template <typename T>
    int bind(int at, const T& value) const {
        if constexpr (std::same_as<T, std::nullopt_t> || std::same_as<T, std::nullptr_t>) {
            return sqlite3_bind_null(get(), at);
        } else if constexpr (std::same_as<T, timestamp>) {
            return sqlite3_bind_int64(get(), at, value.time_since_epoch().count());
        } else if constexpr (std::same_as<T, std::chrono::milliseconds>) {
            return sqlite3_bind_int64(get(), at, value.count());
        } else if constexpr (detail::unique_id<T>) {
            const auto bytes = bytes_of(value.value);
            return bind(at, blob{{bytes.data(), bytes.size()}});
        } else if constexpr (std::same_as<T, blob>) {
            return sqlite3_bind_blob64(get(), at, bytes_in(value.bytes), value.bytes.size(),
                                       SQLITE_TRANSIENT);
        } else if constexpr (std::floating_point<T>) {
            return sqlite3_bind_double(get(), at, value);
        } else if constexpr (std::integral<T> || std::is_enum_v<T>) {
            return sqlite3_bind_int64(get(), at, number_of(value));
        } else if constexpr (std::convertible_to<const T&, std::string_view>) {
            const std::string_view text{value};
            return sqlite3_bind_text64(get(), at, bytes_in(text), text.size(), SQLITE_TRANSIENT,
                                       SQLITE_UTF8);
        } else {  // an optional
            return value ? bind(at, *value) : bind(at, std::nullopt);
        }
    }

    /// Valid until the next step.
    [[nodiscard]] std::string_view view(int column) const {
        const auto* bytes = static_cast<const char*>(sqlite3_column_blob(get(), column));
        const auto size = static_cast<std::size_t>(sqlite3_column_bytes(get(), column));
        return bytes == nullptr ? std::string_view{} : std::string_view{bytes, size};
    }

    template <typename T>
    void read(int column, T& into) const {
        if constexpr (std::same_as<T, timestamp>) {
            into = timestamp{std::chrono::microseconds{sqlite3_column_int64(get(), column)}};
        } else if constexpr (std::same_as<T, std::chrono::milliseconds>) {
            into = T{sqlite3_column_int64(get(), column)};
        } else if constexpr (detail::unique_id<T>) {
            into = T{uuid_of(view(column))};
        } else if constexpr (std::same_as<T, std::string>) {
            into = view(column);
        } else if constexpr (requires { into.take(std::string_view{}); }) {
            into.take(view(column));
        } else if constexpr (std::same_as<T, bool>) {
            into = sqlite3_column_int64(get(), column) != 0;
        } else if constexpr (std::floating_point<T>) {
            into = static_cast<T>(sqlite3_column_double(get(), column));
        } else if constexpr (std::integral<T> || std::is_enum_v<T>) {
            into = static_cast<T>(sqlite3_column_int64(get(), column));
        } else {  // an optional
            into.reset();
            if (sqlite3_column_type(get(), column) != SQLITE_NULL) read(column, into.emplace());
        }
    }

private:
    /// A null pointer would be NULL, which is not the empty text.
    static const char* bytes_in(std::string_view text) {
        return text.data() == nullptr ? "" : text.data();
    }

    /// What is too large for SQLite is larger than everything that it holds.
    template <typename T>
    static sqlite3_int64 number_of(T value) {
        if constexpr (std::is_enum_v<T>)
            return number_of(std::to_underlying(value));
        else if constexpr (std::unsigned_integral<T>)
            return static_cast<sqlite3_int64>(
                std::min<std::uint64_t>(value, std::numeric_limits<sqlite3_int64>::max()));
        else
            return value;
    }

    static std::array<char, 16> bytes_of(uuid id) {
        std::array<char, 16> bytes{};
        for (std::size_t i = 0; i < 8; ++i) {
            bytes[i] = static_cast<char>(id.high >> (56 - 8 * i));
            bytes[8 + i] = static_cast<char>(id.low >> (56 - 8 * i));
        }
        return bytes;
    }

    static uuid uuid_of(std::string_view bytes) {
        uuid id;
        for (std::size_t i = 0; i < 16 && i < bytes.size(); ++i) {
            auto& half = i < 8 ? id.high : id.low;
            half = half << 8 | static_cast<unsigned char>(bytes[i]);
        }
        return id;
    }

    struct finalize {
        void operator()(sqlite3_stmt* each) const { sqlite3_finalize(each); }
    };
    std::unique_ptr<sqlite3_stmt, finalize> prepared_;
};

/// Values on their way into the parameters of a statement, in their order. Those behind its last parameter are
/// counted, and not bound.
class parameters {
public:
    explicit parameters(const statement& to) : to_{to}, count_{to.parameters()} {}

    /// `bind(statement, number)` binds the value.
    template <typename Bind>
    void add_bound(Bind bind) {
        if (++given_ <= count_ && code_ == SQLITE_OK) code_ = bind(to_, given_);
    }
    /// One value, or the columns of a record.
    template <typename T>
    void add(const T& value) {
        if constexpr (requires { value.bind_to(*this); })
            value.bind_to(*this);
        else
            add_bound([&](const statement& to, int at) { return to.bind(at, value); });
    }

    /// SQLITE_OK if there was a value for each parameter, and none more if `exactly`.
    [[nodiscard]] int code(bool exactly) const {
        return given_ < count_ || (exactly && given_ > count_) ? SQLITE_RANGE : code_;
    }

private:
    const statement& to_;
    int count_;
    int given_ = 0;
    int code_ = SQLITE_OK;
};

}  // namespace bulk::sqlite
