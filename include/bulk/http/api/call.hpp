// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/core/concat.hpp>
#include <bulk/core/feed_run.hpp>
#include <bulk/core/id.hpp>
#include <bulk/core/names.hpp>
#include <bulk/core/page.hpp>
#include <bulk/feed/service.hpp>
#include <bulk/http/access.hpp>
#include <bulk/http/api/event_hub.hpp>
#include <bulk/http/api/export_pipe.hpp>
#include <bulk/http/api/operation_rates.hpp>
#include <bulk/http/api/route.hpp>
#include <bulk/http/message.hpp>
#include <bulk/http/problem.hpp>
#include <bulk/http/read_value.hpp>
#include <bulk/http/target.hpp>
#include <bulk/service/service.hpp>
#include <bulk/storage/stored_file.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace bulk::http::api {

/// What all requests share. A program has operations, feeds, or both.
struct backend {
    bulk::service* operations = nullptr;
    bulk::feed_service* feeds = nullptr;
    std::shared_ptr<event_hub> events{};
    std::shared_ptr<export_writers> exports{};
    std::string name{};
    operation_rates rates{};
    std::string openapi{};
    std::string bulksharp_openapi{};
};

/// One request on its way to its handler: who asks for what, and what with.
struct call {
    backend& to;
    const route& on;
    request& asked;
    const target& address;
    captures found;
    principal who;

    [[nodiscard]] bulk::service& service() const { return *to.operations; }
    [[nodiscard]] bulk::feed_service& feeds() const { return *to.feeds; }
    [[nodiscard]] const header_list& headers() const { return asked.head.headers; }

    [[nodiscard]] std::string_view path(std::string_view name) const {
        for (const auto& [known, value] : found)
            if (known == name) return value;
        return {};
    }
    /// Empty says nothing, as in a form that nobody has filled in.
    [[nodiscard]] std::optional<std::string_view> query(std::string_view name) const {
        auto value = address.get(name);
        if (!value && on.is_bulksharp())  // in any case, as .NET finds it
            for (const auto& [known, given] : address.query)
                if (same_name(known, name)) value = given;
        return value && !value->empty() ? value : std::nullopt;
    }
    [[nodiscard]] std::string text(std::string_view name) const {
        return std::string{query(name).value_or("")};
    }

    [[nodiscard]] or_problem<operation_id> id() const {
        return asked_value(parse_operation_id(path("id")), "id");
    }
    [[nodiscard]] or_problem<run_id> run() const {
        return asked_value(parse_run_id(path("id")), "id");
    }

    /// Each is read into a field if it is given; the first that cannot be is the problem.
    template <std::integral Number>
    [[nodiscard]] or_problem<void> read(std::string_view name, std::optional<Number>& into) const {
        return read_with(name, into, read_number<Number>);
    }
    [[nodiscard]] or_problem<void> read(std::string_view name,
                                        std::optional<timestamp>& into) const {
        return read_with(name, into, read_moment);
    }
    template <described_enum E>
    [[nodiscard]] or_problem<void> read(std::string_view name, std::optional<E>& into) const {
        return read_with(name, into, read_choice<E>);
    }
    [[nodiscard]] or_problem<void> read(std::string_view name,
                                        std::optional<row_number>& into) const {
        std::optional<std::uint64_t> number;
        if (auto read_it = read(name, number); !read_it) return read_it;
        if (number) into = row_number{*number};
        return {};
    }
    template <described_enum E>
    [[nodiscard]] or_problem<void> read(std::string_view name, E& into) const {
        std::optional<E> given;
        if (auto read_it = read(name, given); !read_it) return read_it;
        into = given.value_or(into);
        return {};
    }
    [[nodiscard]] or_problem<void> read(std::string_view name, bool& into) const {
        std::optional<bool> given;
        if (auto read_it = read_with(name, given, read_truth); !read_it) return read_it;
        into = given.value_or(into);
        return {};
    }

private:
    template <typename T>
    [[nodiscard]] static or_problem<T> asked_value(result<T> read, std::string_view field) {
        return http::asked(std::move(read), field);
    }

    template <typename T, typename Read>
    [[nodiscard]] or_problem<void> read_with(std::string_view name, std::optional<T>& into,
                                             Read read_it) const {
        const auto given = query(name);
        if (!given) return {};
        auto value = read_it(*given, name);
        if (!value) return std::unexpected{std::move(value).error()};
        into = *value;
        return {};
    }
};

/// How many there are, of what is not counted: known when all of them are on the first page.
[[nodiscard]] inline std::optional<std::uint64_t> total_of(const call& asked, std::size_t found,
                                                           bool is_full) {
    if (is_full || asked.query("after")) return std::nullopt;
    return std::uint64_t{found};
}

/// The first that failed, if any did.
[[nodiscard]] inline or_problem<void> all_of(std::initializer_list<or_problem<void>> all) {
    for (const auto& each : all)
        if (!each) return each;
    return {};
}

/// Both ends of a range, by the names of their parameters; the first is named when they are reversed.
[[nodiscard]] inline or_problem<void> check_range(std::string_view from,
                                                  const std::optional<timestamp>& first,
                                                  std::string_view to,
                                                  const std::optional<timestamp>& last) {
    if (!first || !last || *first <= *last) return {};
    return refuse(problems::invalid_argument,
                  concat('`', from, "` must not be later than `", to, '`'), std::string{from});
}
[[nodiscard]] inline or_problem<void> check_range(std::string_view from,
                                                  const std::optional<row_number>& first,
                                                  std::string_view to,
                                                  const std::optional<row_number>& last) {
    if (!first || !last || *first <= *last) return {};
    return refuse(problems::invalid_argument, concat('`', from, "` must not exceed `", to, '`'),
                  std::string{from});
}

/// Where a page begins, and how large it is. A cursor says which query it belongs to: a page of another
/// one would begin anywhere.
class paging {
public:
    [[nodiscard]] static or_problem<paging> of(const call& from, std::uint32_t usual) {
        paging made;
        std::string asked_for{from.on.id};
        for (const auto& [name, value] : from.found) asked_for += concat('/', value);
        for (const auto& parameter : from.on.parameters)
            if (parameter.in == place::query && parameter.name != "limit" &&
                parameter.name != "after")
                asked_for += concat('&', from.text(parameter.name));
        made.mark_ = concat(content_hash(asked_for) % 0xffff'ffff, '-');
        std::optional<std::uint32_t> limit;
        if (auto read = from.read("limit", limit); !read) return std::unexpected{read.error()};
        made.size = limit.value_or(usual);
        if (made.size < 1 || made.size > largest_page)
            return refuse(
                problems::invalid_argument,
                concat("limit is ", made.size, "; it must be between 1 and ", largest_page),
                "limit");
        const std::string after = from.text("after");
        if (after.empty()) return made;
        if (!after.starts_with(made.mark_))
            return refuse(
                problems::invalid_argument,
                "after is not of this query: pass on what `next` of the page before said, "
                "with the same parameters",
                "after");
        made.after = after.substr(made.mark_.size());
        if (auto read = http::asked(parse_cursor(made.after), "after"); !read)
            return std::unexpected{std::move(read).error()};
        return made;
    }

    /// What a service said; when it finds something wrong behind everything that we have checked, that is
    /// the cursor.
    template <typename T>
    [[nodiscard]] or_problem<T> asked(result<T> said) const {
        const bool is_cursor = !said && said.error().code == errc::invalid_argument;
        return http::asked(std::move(said), is_cursor && !after.empty() ? "after" : "");
    }

    /// For those who keep their place themselves.
    [[nodiscard]] cursor place() const { return parse_cursor(after).value_or(cursor{}); }
    /// What a service says comes next, as we say it.
    [[nodiscard]] std::string next(std::string_view cursor) const {
        return cursor.empty() ? std::string{} : concat(mark_, cursor);
    }

    std::uint32_t size = 0;
    std::string after{};

private:
    std::string mark_;
};

}  // namespace bulk::http::api
