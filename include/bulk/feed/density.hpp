// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/feed_partition.hpp>
#include <bulk/feed/granules.hpp>
#include <bulk/feed/scan_options.hpp>
#include <bulk/feed/stepping.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace bulk {

struct density_chunk {
    key_range range{};
    std::uint64_t count = 0;

    bool operator==(const density_chunk&) const = default;
};

/// Where the records of a feed are: ranges in ascending order, each with some. Between them, there
/// was none.
struct density {
    std::vector<density_chunk> chunks{};
    std::uint64_t total = 0;
    std::uint64_t counts_asked = 0;

    bool operator==(const density&) const = default;
};

/// Counts the records of some ranges, at once if it can, and answers in their order.
template <typename Count>
concept range_counter = requires(Count& count, std::span<const key_range> ranges) {
    { std::invoke(count, ranges) } -> std::same_as<result<std::vector<std::uint64_t>>>;
};

namespace detail {

template <range_counter Count>
class density_scan {
public:
    density_scan(const key_range& extent, const scan_options& options, Count& count)
        : extent_{extent},
          options_{options},
          count_{count},
          all_{granules_of(extent, options.granularity)} {}

    result<density> run() {
        if (least_counts() > options_.most_counts) return std::unexpected{too_many(larger_steps)};
        auto found = options_.two_pass ? two_passes() : walk(all_, single_pass_of(options_));
        if (found && options_.refine) found = refine(std::move(*found));
        if (!found) return std::unexpected{std::move(found.error())};
        return summed(*found);
    }

private:
    struct counted {
        granule_span span{};
        std::uint64_t records = 0;
    };
    using counts = std::vector<std::uint64_t>;

    static constexpr std::string_view larger_steps = "make granularity or the steps larger";
    static constexpr std::string_view larger_target =
        "raise target, make granularity larger or switch refine off";

    /// What cannot be avoided, so that a hopeless scan asks for nothing.
    granule least_counts() const {
        const auto steps = [](granule width, granule step) {
            return width <= 0 ? granule{0} : (width + step - 1) / step;
        };
        if (options_.two_pass) return steps(all_.width(), options_.coarse_step);
        const granule dense =
            std::max<granule>(0, std::min<granule>(all_.end, options_.dense_below) -
                                     std::max<granule>(all_.begin, 0));
        const granule in_dense = steps(dense, options_.dense_step);
        // The last range that begins in the dense region may reach out of it.
        const granule beyond = all_.width() - std::max(dense, in_dense * options_.dense_step);
        return in_dense + steps(beyond, options_.largest_empty_step);
    }

    error too_many(std::string_view advice) const {
        return {errc::invalid_argument,
                concat("to count the records from place ", extent_.first, " to ", extent_.last,
                       " takes more than ", options_.most_counts, " counts, which is most_counts; ",
                       advice, ", scan a smaller extent, or raise most_counts")};
    }

    /// Of at most `concurrency` spans.
    result<counts> ask(std::span<const granule_span> spans, std::string_view advice) {
        if (spans.size() > options_.most_counts - asked_) return std::unexpected{too_many(advice)};
        std::vector<key_range> ranges;
        ranges.reserve(spans.size());
        for (const auto& span : spans)
            ranges.push_back(places_of(span, extent_, options_.granularity));
        asked_ += spans.size();
        result<counts> answers = std::invoke(count_, std::span<const key_range>{ranges});
        if (answers && answers->size() != spans.size())
            return fail(errc::invalid_argument,
                        concat("the source was asked to count ", spans.size(),
                               " ranges, the first from place ", ranges.front().first, " to ",
                               ranges.front().last, ", and gave ", answers->size(),
                               " counts; its count must give one for each"));
        return answers;
    }

    result<counts> ask_all(std::span<const granule_span> spans, std::string_view advice) {
        counts all;
        all.reserve(spans.size());
        const auto most = static_cast<std::size_t>(options_.concurrency);
        for (; !spans.empty(); spans = spans.subspan(std::min(most, spans.size()))) {
            const auto some = ask(spans.first(std::min(most, spans.size())), advice);
            if (!some) return some;
            all.insert(all.end(), some->begin(), some->end());
        }
        return all;
    }

    /// The chunks of a region. Its step changes only between batches.
    result<std::vector<counted>> walk(const granule_span& region, const stepping& rule) {
        std::vector<counted> chunks;
        std::vector<granule_span> batch;
        granule step = rule.first;
        for (granule at = region.begin; at < region.end;) {
            batch.clear();
            while (batch.size() < static_cast<std::size_t>(options_.concurrency) &&
                   at < region.end) {
                batch.push_back({.begin = at, .end = end_of_step(options_, at, step, region.end)});
                at = batch.back().end;
            }
            const auto answers = ask(batch, larger_steps);
            if (!answers) return std::unexpected{answers.error()};
            for (std::size_t i = 0; i < batch.size(); ++i) {
                const counted found{.span = batch[i], .records = (*answers)[i]};
                if (found.records > 0) chunks.push_back(found);
                if (!is_dense(options_, found.span.begin))
                    step = next_step(rule, step, found.span.width(), found.records);
            }
        }
        return chunks;
    }

    result<std::vector<counted>> two_passes() {
        std::vector<granule_span> coarse;
        for (granule at = all_.begin; at < all_.end; at = coarse.back().end)
            coarse.push_back({.begin = at, .end = std::min(at + options_.coarse_step, all_.end)});
        const auto answers = ask_all(coarse, larger_steps);
        if (!answers) return std::unexpected{answers.error()};

        std::vector<counted> chunks;
        for (std::size_t i = 0; i < coarse.size(); ++i) {
            if ((*answers)[i] == 0) continue;
            const std::size_t first = i;
            while (i + 1 < coarse.size() && (*answers)[i + 1] > 0) ++i;
            auto some = look_closely(coarse[first], coarse[i]);
            if (!some) return some;
            chunks.insert(chunks.end(), some->begin(), some->end());
        }
        return chunks;
    }

    /// What is from the first of these spans to the last: both and all between have records.
    result<std::vector<counted>> look_closely(const granule_span& first, granule_span last) {
        const auto begin = narrow(first, true);
        if (!begin) return std::unexpected{begin.error()};
        last.begin = std::max(last.begin, begin->begin);
        const auto end = narrow(last, false);
        if (!end) return std::unexpected{end.error()};
        return walk({.begin = begin->begin, .end = end->end}, fine_pass_of(options_));
    }

    /// Halves a span that has records until it is as narrow as `dense_step` and still has the
    /// first, or else the last, of them.
    result<granule_span> narrow(granule_span span, bool to_first) {
        while (span.width() > options_.dense_step) {
            const granule middle = span.begin + span.width() / 2;
            const granule_span lower{.begin = span.begin, .end = middle};
            const granule_span upper{.begin = middle, .end = span.end};
            const auto answers = ask({to_first ? &lower : &upper, 1}, larger_steps);
            if (!answers) return std::unexpected{answers.error()};
            span = (answers->front() > 0) == to_first ? lower : upper;
        }
        return span;
    }

    /// Divides chunks that are too large, and their parts, as far as there are granules: what is
    /// heaped up at one place would else look as if it were spread evenly.
    result<std::vector<counted>> refine(std::vector<counted> chunks) {
        const auto parts_of = [&](const counted& chunk) {
            return parts_for(chunk.records, options_.target, chunk.span);
        };
        for (;;) {
            std::vector<granule_span> spans;
            for (const auto& chunk : chunks) {
                const std::uint64_t parts = parts_of(chunk);
                if (parts < 2) continue;
                if (parts > options_.most_counts - asked_ - spans.size())
                    return std::unexpected{too_many(larger_target)};
                for (std::uint64_t i = 0; i < parts; ++i)
                    spans.push_back(part_of(chunk.span, i, parts));
            }
            if (spans.empty()) return chunks;
            const auto answers = ask_all(spans, larger_target);
            if (!answers) return std::unexpected{answers.error()};

            std::vector<counted> finer;
            std::size_t next = 0;
            for (const auto& chunk : chunks) {
                const std::uint64_t parts = parts_of(chunk);
                if (parts < 2) finer.push_back(chunk);
                for (std::uint64_t i = 0; parts > 1 && i < parts; ++i, ++next)
                    if ((*answers)[next] > 0)
                        finer.push_back({.span = spans[next], .records = (*answers)[next]});
            }
            chunks = std::move(finer);
        }
    }

    result<density> summed(const std::vector<counted>& chunks) const {
        density all{.counts_asked = asked_};
        all.chunks.reserve(chunks.size());
        for (const auto& chunk : chunks) {
            const auto range = places_of(chunk.span, extent_, options_.granularity);
            if (chunk.records > ~all.total)
                return fail(errc::invalid_argument,
                            concat("the source says that it has ", chunk.records,
                                   " records from place ", range.first, " to ", range.last,
                                   ", more than can be added up; look at its count"));
            all.total += chunk.records;
            all.chunks.push_back({.range = range, .count = chunk.records});
        }
        return all;
    }

    key_range extent_;
    const scan_options& options_;
    Count& count_;
    granule_span all_;
    std::uint64_t asked_ = 0;
};

}  // namespace detail

/// Finds out where the records of an extent are, by counting them in ranges. `count` is given at most
/// `concurrency` ranges at a time; when it fails, the scan ends with its error. What changes in the
/// source meanwhile makes the answer inexact and nothing else.
template <range_counter Count>
[[nodiscard]] result<density> scan(const key_range& extent, const scan_options& options,
                                   Count&& count) {
    if (auto valid = validate(options); !valid) return std::unexpected{std::move(valid.error())};
    if (extent.first > extent.last)
        return fail(errc::invalid_argument,
                    concat("the extent begins at place ", extent.first, " and ends before it, at ",
                           extent.last, "; give the lower end first"));
    return detail::density_scan{extent, options, count}.run();
}

}  // namespace bulk
