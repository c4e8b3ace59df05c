// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/feed_item.hpp>
#include <bulk/core/feed_partition.hpp>
#include <bulk/core/feed_run.hpp>
#include <bulk/feed/any_feed.hpp>
#include <bulk/feed/checks.hpp>
#include <bulk/feed/position.hpp>
#include <bulk/rows/byte_source.hpp>
#include <bulk/rows/column.hpp>
#include <bulk/rows/column_type.hpp>
#include <bulk/rows/json/reader.hpp>
#include <bulk/rows/json/writer.hpp>
#include <bulk/rows/limits.hpp>
#include <bulk/rows/members.hpp>
#include <bulk/rows/read_status.hpp>
#include <bulk/run/guard.hpp>
#include <bulk/storage/stored_file.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bulk {

/// A declared feed behind `any_feed`: what the user wrote is called here, and nowhere else.
template <declared_feed Feed>
class typed_feed final : public any_feed {
    static_assert(check_feed<Feed>());

public:
    [[nodiscard]] const feed_options& options() const override { return options_of_feed<Feed>; }

    [[nodiscard]] result<key_range> extent(const update_window& window) override {
        auto said = [&]() -> result<range> {
            if constexpr (has_constant_extent<Feed>)
                return range{Feed::extent};
            else
                return call<range>([&] { return feed_.extent(window); });
        }();
        if (!said) return std::unexpected{std::move(said).error()};
        const auto found = to_key_range(*said);
        if (found.first > found.last)
            return fail(errc::invalid_argument,
                        concat("the extent of feed '", options().name, "' is the wrong way round: ",
                               text_of(found.first), " to ", text_of(found.last)));
        return found;
    }

    [[nodiscard]] result<std::uint64_t> count(const key_range& within,
                                              const update_window& window) override {
        return call<std::uint64_t>(
            [&] { return feed_.count(to_source_range<position>(within), window); });
    }

    [[nodiscard]] result<fetched_page> fetch(const page_work& work, std::uint32_t limit) override {
        const source_partition<position> part{.run = work.run,
                                              .number = work.partition,
                                              .range = to_source_range<position>(work.range),
                                              .estimated = work.estimated,
                                              .token = work.token,
                                              .trace = work.trace};
        auto said = call<page>([&] { return feed_.fetch(part, work.offset, limit, work.window); });
        if (!said) return std::unexpected{std::move(said).error()};
        // More than was asked for may be anything: those behind the limit are asked for again.
        fetched_page read{.received = std::min<std::uint64_t>(said->items.size(), limit),
                          .token = std::move(said->next),
                          .has_more = said->has_more};
        read.items.reserve(said->items.size());
        for (std::size_t i = 0; i < said->items.size(); ++i) {
            const raw& each = said->items[i];
            auto item = item_of(each);
            if (item && !item->key.empty())
                read.items.push_back(std::move(*item));
            else
                read.bad.push_back({.key = concat(partition_name(work.partition), ", record ",
                                                  work.offset + i + 1),
                                    .payload = payload_of(each),
                                    .reason = item ? "it has no key" : item.error().message});
        }
        return read;
    }

    [[nodiscard]] result<> prepare([[maybe_unused]] const feed_run& run) override {
        if constexpr (prepares<Feed>)
            return guarded([&]() -> result<> { return feed_.prepare(run); });
        else
            return {};
    }

    [[nodiscard]] std::vector<mapped_item> map(std::span<const raw_item> items) override {
        std::string text;  // as lines of one file: one reader for all of them
        for (const auto& each : items) text.append(each.payload).append("\n");
        auto reader = json::reader<raw>::open(byte_source{std::string_view{text}},
                                              json::layout::lines, no_limits);
        std::vector<mapped_item> mapped;
        mapped.reserve(items.size());
        raw row{};
        for (const auto& each : items) {
            auto& item = mapped.emplace_back(each.key, each.hash);
            const auto status = reader.next(row);
            if (status != read_status::row) {
                item.error = concat("what was kept of it cannot be read as it is declared now: ",
                                    status == read_status::bad_row ? reader.problem().reason
                                                                   : std::string{"it is gone"});
                continue;
            }
            auto made = call<canonical>([&] { return feed_.map(row); });
            if (made)
                json::write_row(item.payload, *made, {.reveal_pii = true});
            else
                item.error = std::move(made).error().message;
        }
        return mapped;
    }

    [[nodiscard]] std::string text_of(std::int64_t at) const override {
        return position_text<position>(at);
    }
    [[nodiscard]] std::string_view position_type() const override { return type_name<position>(); }

private:
    using raw = typename Feed::raw_type;
    using canonical = typename Feed::canonical_type;
    using position = typename Feed::position_type;
    using range = typename Feed::range;
    using page = typename Feed::page;

    /// What the user returns, or what they throw.
    template <typename T, typename Call>
    [[nodiscard]] static result<T> call(Call&& said) {
        result<T> answer;
        const auto came = guarded([&] { answer = said(); });
        if (!came) return std::unexpected{came.error()};
        return answer;
    }

    [[nodiscard]] static std::string payload_of(const raw& row) {
        std::string text;
        json::write_row(text, row, {.reveal_pii = true});
        return text;
    }

    template <typename T>
    [[nodiscard]] static std::string key_text(const T& key) {
        if constexpr (std::integral<T>)
            return concat(key);
        else
            return std::string{std::string_view{key}};
    }

    [[nodiscard]] std::string key_of(const raw& row) {
        if constexpr (names_key<Feed>) {
            return key_text(feed_.key(row));
        } else {
            std::string key;
            for_each_pointer(columns_of<raw>, [&]<auto Pointer>(std::size_t i) {
                if constexpr (is_pii<member_type_of<Pointer>>) {
                    if (column_descriptions<raw>[i].row_id) key = to_text((row.*Pointer).reveal());
                } else {
                    if (column_descriptions<raw>[i].row_id) key = to_text(row.*Pointer);
                }
            });
            return key;
        }
    }

    [[nodiscard]] result<raw_item> item_of(const raw& row) {
        raw_item item;
        const auto came = guarded([&] {
            item.key = key_of(row);
            item.payload = payload_of(row);
            if constexpr (hashes_items<Feed>) {
                const auto said = feed_.hash(row);
                if constexpr (std::integral<std::remove_cvref_t<decltype(said)>>)
                    item.hash = static_cast<std::uint64_t>(said);
                else
                    item.hash = content_hash(std::string_view{said});
            } else {
                item.hash = content_hash(item.payload);
            }
        });
        if (!came) return std::unexpected{came.error()};
        return item;
    }

    Feed feed_{};
};

}  // namespace bulk
