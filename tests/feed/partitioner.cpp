#include <bulk/feed/partitioner.hpp>

#include <support/feed_text.hpp>
#include <support/sorted_source.hpp>
#include <support/ut.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

using namespace boost::ut;
using bulk::key_range;
using support::sorted_source;

namespace {

constexpr auto lowest = std::numeric_limits<std::int64_t>::min();
constexpr auto highest = std::numeric_limits<std::int64_t>::max();

bulk::density density_of(std::vector<bulk::density_chunk> chunks) {
    bulk::density found{.chunks = std::move(chunks)};
    for (const auto& chunk : found.chunks) found.total += chunk.count;
    return found;
}

std::vector<bulk::planned_partition> cut(std::vector<bulk::density_chunk> chunks,
                                         const key_range& extent,
                                         const bulk::partition_options& options) {
    const auto plan = bulk::partition(density_of(std::move(chunks)), extent, options);
    expect(fatal(plan.has_value())) << plan.error().message;
    return plan->partitions;
}

using partitions = std::vector<bulk::planned_partition>;

suite<"how many workers"> workers = [] {
    "each has its least number of records, up to the most workers"_test = [] {
        expect(bulk::worker_count(0, 1'000, 30) == 0_u);
        expect(bulk::worker_count(1, 1'000, 30) == 1_u);
        expect(bulk::worker_count(1'000, 1'000, 30) == 1_u);
        expect(bulk::worker_count(1'001, 1'000, 30) == 2_u);
        expect(bulk::worker_count(29'001, 1'000, 30) == 30_u);
        expect(bulk::worker_count(500'000, 1'000, 30) == 30_u);
        expect(bulk::worker_count(~std::uint64_t{0}, 1, 30) == 30_u);
        expect(bulk::worker_count(5, 0, 30) == 5_u);
        expect(bulk::worker_count(5, 1'000, 0) == 0_u);
    };
};

suite<"cutting"> cutting = [] {
    "no records or no workers: no partitions"_test = [] {
        expect(cut({}, {0, 99}, {}).empty());
        expect(cut({{{0, 9}, 5}}, {0, 99}, {.workers = 0}).empty());
    };

    "chunks of one size are shared out evenly"_test = [] {
        expect(cut({{{0, 9}, 5}, {{10, 19}, 5}, {{20, 29}, 5}, {{30, 39}, 5}}, {0, 39},
                   {.workers = 2}) == partitions{{{0, 19}, 10}, {{20, 39}, 10}});
    };

    "what was empty belongs to a neighbour, up to both ends of the extent"_test = [] {
        expect(cut({{{100, 199}, 5}, {{500, 599}, 5}}, {-50, 999}, {.workers = 2}) ==
               partitions{{{-50, 499}, 5}, {{500, 999}, 5}});
    };

    "cuts are at the boundary nearest to the even share, so that nothing small is left over"_test =
        [] {
            std::vector<bulk::density_chunk> chunks;
            for (std::int64_t i = 0; i < 20; ++i) chunks.push_back({{i * 10, i * 10 + 9}, 2});
            expect(cut(chunks, {0, 199}, {.workers = 4}) ==
                   partitions{{{0, 49}, 10}, {{50, 99}, 10}, {{100, 149}, 10}, {{150, 199}, 10}});

            std::vector<bulk::density_chunk> sevens;  // shares end at 23.3 and 46.7
            for (std::int64_t i = 0; i < 10; ++i) sevens.push_back({{i * 10, i * 10 + 9}, 7});
            expect(cut(sevens, {0, 99}, {.workers = 3}) ==
                   partitions{{{0, 29}, 21}, {{30, 69}, 28}, {{70, 99}, 21}});

            std::vector<bulk::density_chunk> sixes;  // cut as soon as there are 15: 18, 18, 18, 6
            for (std::int64_t i = 0; i < 10; ++i) sixes.push_back({{i * 10, i * 10 + 9}, 6});
            expect(cut(sixes, {0, 99}, {.workers = 4}) ==
                   partitions{{{0, 29}, 18}, {{30, 49}, 12}, {{50, 79}, 18}, {{80, 99}, 12}});
        };

    "a chunk of more than 1.5 times the share is divided evenly by width"_test = [] {
        expect(cut({{{0, 99}, 100}}, {0, 99}, {.workers = 4}) ==
               partitions{{{0, 24}, 25}, {{25, 49}, 25}, {{50, 74}, 25}, {{75, 99}, 25}});
        expect(cut({{{0, 9}, 99}}, {0, 9}, {.workers = 3}) ==
               partitions{{{0, 2}, 29}, {{3, 5}, 30}, {{6, 9}, 40}})
            << "the last has what is left over, in width and in records";
    };

    "nothing is narrower than a granule, so there may be fewer partitions than workers"_test = [] {
        expect(cut({{{0, 1}, 100}}, {0, 1}, {.workers = 30}) ==
               partitions{{{0, 0}, 50}, {{1, 1}, 50}});
        expect(cut({{{0, 299}, 90}}, {0, 299}, {.workers = 30, .granularity = 100}) ==
               partitions{{{0, 99}, 30}, {{100, 199}, 30}, {{200, 299}, 30}});
        expect(cut({{{7, 7}, 1'000'000}}, {0, 10}, {.workers = 30}) ==
               partitions{{{0, 10}, 1'000'000}});
    };

    "a heap that cannot be divided takes several shares, and the rest is shared by the others"_test =
        [] {
            expect(cut({{{0, 0}, 70}, {{1, 10}, 10}, {{11, 20}, 10}, {{21, 30}, 10}}, {0, 30},
                       {.workers = 10}) ==
                   partitions{{{0, 0}, 70}, {{1, 10}, 10}, {{11, 20}, 10}, {{21, 30}, 10}});
        };

    "a part that has no record by estimate is not a partition, nor in the way of the next"_test =
        [] {
            expect(cut({{{0, 4}, 2}, {{5, 5}, 1}}, {0, 5}, {.workers = 3}) ==
                   partitions{{{0, 4}, 2}, {{5, 5}, 1}});
        };

    "cuts inside a chunk are only between granules"_test = [] {
        const auto plan =
            cut({{{-250, 749}, 1'000}}, {-250, 749}, {.workers = 4, .granularity = 100});
        expect(fatal(plan.size() == 4_ul));
        for (std::size_t i = 1; i < plan.size(); ++i) expect(plan[i].range.first % 100 == 0_l);
    };

    "the ends of the axis are as good as any"_test = [] {
        const auto plan =
            cut({{{lowest, highest}, ~std::uint64_t{0}}}, {lowest, highest}, {.workers = 2});
        expect(fatal(plan.size() == 2_ul));
        expect(plan[0].range == key_range{lowest, -1} and plan[1].range == key_range{0, highest});
        expect(plan[0].estimated + plan[1].estimated == ~std::uint64_t{0});
        expect(cut({{{lowest, lowest}, 1}, {{highest, highest}, 1}}, {lowest, highest},
                   {.workers = 2}) ==
               partitions{{{lowest, highest - 1}, 1}, {{highest, highest}, 1}});
    };
};

suite<"capped plans"> capped = [] {
    const bulk::density found =
        density_of({{{0, 9}, 10}, {{10, 19}, 10}, {{20, 29}, 10}, {{30, 39}, 10}});
    const auto plan_of = [&](std::uint64_t max_records) {
        return bulk::partition(found, {0, 39}, {.workers = 4, .max_records = max_records}).value();
    };

    "the last partition that is kept ends early, those after it are dropped"_test = [&] {
        expect(plan_of(25) ==
               bulk::feed_plan{.partitions = {{{0, 9}, 10}, {{10, 19}, 10}, {{20, 29}, 5, 5}},
                               .is_capped = true,
                               .total = 25});
        expect(plan_of(1).partitions == partitions{{{0, 9}, 1, 1}});
    };

    "a cap at the end of a partition holds for it, whatever comes to it"_test = [&] {
        expect(plan_of(20).partitions == partitions{{{0, 9}, 10}, {{10, 19}, 10, 10}});
        expect(plan_of(20).is_capped);
    };

    "a cap that nothing reaches does nothing"_test = [&] {
        for (const std::uint64_t enough :
             {std::uint64_t{0}, std::uint64_t{40}, ~std::uint64_t{0}}) {
            const auto plan = plan_of(enough);
            expect(!plan.is_capped and plan.total == 40_ul and plan.partitions.size() == 4_ul);
            for (const auto& each : plan.partitions) expect(!each.most_records.has_value());
        }
    };
};

suite<"refused plans"> refused = [] {
    const auto refusal = [](std::vector<bulk::density_chunk> chunks, key_range extent,
                            bulk::partition_options options = {}) {
        const auto plan = bulk::partition(density_of(std::move(chunks)), extent, options);
        return plan ? std::string{} : plan.error().message;
    };

    "wrong settings are refused"_test = [&] {
        expect(refusal({}, {0, 9}, {.granularity = 0}) ==
               "granularity is 0; it must be at least 1");
        expect(refusal({}, {0, 9}, {.workers = 1'000'001}) ==
               "workers is 1000001; it must be at most 1000000");
    };

    "chunks of another extent, inverted or out of order are refused"_test = [&] {
        expect(refusal({{{0, 10}, 1}}, {0, 9}) ==
               "chunk 0 of the density is from place 0 to 10, which is not behind the one before "
               "it and within 0 to 9; give the extent that was scanned");
        expect(refusal({{{-1, 3}, 1}}, {0, 9}) != "");
        expect(refusal({{{5, 4}, 1}}, {0, 9}) != "");
        expect(refusal({{{5, 6}, 1}, {{6, 7}, 1}}, {0, 9}) != "");
        expect(refusal({{{5, 6}, 1}}, {9, 0}) != "");
        expect(refusal({{{0, 1}, ~std::uint64_t{0}}, {{2, 3}, 1}}, {0, 9}) != "");
    };
};

// --- any source ----------------------------------------------------------------------------------

using generator = std::mt19937_64;

std::uint64_t below(generator& random, std::uint64_t end) { return random() % end; }

std::int64_t forward(std::int64_t place, std::uint64_t by) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(place) + by);
}

/// Narrow or wide, small or huge, negative, around 0, at either end of the axis.
key_range random_extent(generator& random) {
    const std::uint64_t width = random() >> below(random, 64);  // one less than places
    const std::uint64_t room = ~std::uint64_t{0} - width;
    switch (below(random, 5)) {
        case 0:
            return {lowest, forward(lowest, width)};
        case 1:
            return {forward(lowest, room), highest};
        case 2: {
            const std::uint64_t zero = std::uint64_t{1} << 63;  // from the lowest place
            const std::uint64_t first = std::min(zero - std::min(zero, width / 2), room);
            return {forward(lowest, first), forward(lowest, first + width)};
        }
        default: {
            const std::uint64_t first = room == 0 ? 0 : below(random, room);
            return {forward(lowest, first), forward(lowest, first + width)};
        }
    }
}

std::vector<std::int64_t> random_places(generator& random, const key_range& extent) {
    const std::uint64_t width =
        static_cast<std::uint64_t>(extent.last) - static_cast<std::uint64_t>(extent.first);
    const auto anywhere = [&] {
        return width == ~std::uint64_t{0} ? random() : below(random, width + 1);
    };
    std::vector<std::int64_t> places;
    for (std::uint64_t groups = below(random, 6); groups > 0; --groups) {
        const std::uint64_t middle = anywhere();
        const std::uint64_t spread = anywhere() >> below(random, 64);
        const std::uint64_t records = std::uint64_t{1} << below(random, 8);
        for (std::uint64_t i = 0; i < records; ++i) {
            const std::uint64_t off = spread == 0 ? 0 : below(random, spread);
            places.push_back(forward(extent.first, off > width - middle
                                                       ? middle - std::min(off, middle)
                                                       : middle + off));
        }
    }
    for (const auto end : {extent.first, extent.last})
        if (below(random, 4) == 0) places.push_back(end);
    return places;
}

/// Such that the scan takes thousands of counts at most.
bulk::scan_options random_options(generator& random, const key_range& extent) {
    const std::uint64_t width =
        static_cast<std::uint64_t>(extent.last) - static_cast<std::uint64_t>(extent.first);
    const std::uint64_t least = width / 20'000 + 1;
    const std::uint64_t largest = static_cast<std::uint64_t>(highest) - least;
    const auto granularity =
        least + (random() >> (1 + below(random, 63))) % std::max<std::uint64_t>(least, 2) % largest;
    const auto dense_step = static_cast<std::int64_t>(50 + below(random, 200));
    return {.granularity = static_cast<std::int64_t>(granularity),
            .dense_below = static_cast<std::int64_t>(below(random, 20'000)),
            .dense_step = dense_step,
            .sparse_step = static_cast<std::int64_t>(1 + below(random, 5'000)),
            .target = 1 + below(random, 100),
            .concurrency = static_cast<int>(1 + below(random, 5)),
            .two_pass = below(random, 2) == 0,
            .coarse_step = static_cast<std::int64_t>(100 + below(random, 5'000)),
            .refine = below(random, 4) != 0};
}

suite<"any source"> any_source = [] {
    "10 000 random densities: everything is counted, nothing is left out, nothing is in two partitions"_test =
        [] {
            generator random{7};
            int empty = 0, single = 0;
            for (int round = 0; round < 10'000; ++round) {
                const key_range extent = random_extent(random);
                const bulk::scan_options options = random_options(random, extent);
                sorted_source source{random_places(random, extent)};
                const std::size_t records = source.places().size();

                const auto found = bulk::scan(extent, options, source);
                expect(fatal(found.has_value())) << round << found.error().message;
                expect(found->total == records) << round;
                expect(found->counts_asked == source.asked.size());
                for (const auto batch : source.batches)
                    expect(batch <= static_cast<std::size_t>(options.concurrency)) << round;

                const auto workers = static_cast<std::uint32_t>(1 + below(random, 40));
                const auto plan = bulk::partition(
                    *found, extent, {.workers = workers, .granularity = options.granularity});
                expect(fatal(plan.has_value())) << round << plan.error().message;
                if (records == 0) {
                    expect(plan->partitions.empty()) << round;
                    ++empty;
                    continue;
                }
                const auto& parts = plan->partitions;
                expect(fatal(!parts.empty() and parts.size() <= workers)) << round;
                if (parts.size() == 1) ++single;
                expect(parts.front().range.first == extent.first) << round;
                expect(parts.back().range.last == extent.last) << round;
                std::uint64_t estimated = 0, actual = 0;
                for (std::size_t i = 0; i < parts.size(); ++i) {
                    expect(parts[i].range.first <= parts[i].range.last) << round;
                    expect(parts[i].estimated > 0) << round;
                    if (i > 0) {
                        expect(parts[i].range.first - 1 == parts[i - 1].range.last) << round;
                        expect(parts[i].range.first % options.granularity == 0) << round;
                    }
                    estimated += parts[i].estimated;
                    actual += source.within(parts[i].range);
                }
                expect(estimated == records and plan->total == records) << round;
                expect(actual == records) << round;
                const std::uint64_t allowed = 1 + below(random, 2 * records);
                const auto capped = bulk::partition(*found, extent,
                                                    {.workers = workers,
                                                     .granularity = options.granularity,
                                                     .max_records = allowed});
                expect(fatal(capped.has_value() and !capped->partitions.empty())) << round;
                expect(capped->is_capped == (allowed < records)) << round;
                expect(capped->total == std::min<std::uint64_t>(allowed, records)) << round;
                std::uint64_t kept = 0;
                for (std::size_t i = 0; i < capped->partitions.size(); ++i) {
                    expect(capped->partitions[i].range == parts[i].range) << round;
                    kept += capped->partitions[i].estimated;
                }
                expect(kept == capped->total) << round;
                expect(capped->partitions.back().most_records.has_value() == capped->is_capped)
                    << round;

                for (const auto place : source.places())
                    expect(std::ranges::count_if(parts,
                                                 [&](const auto& part) {
                                                     return part.range.first <= place and
                                                            place <= part.range.last;
                                                 }) == 1)
                        << round << place;
            }
            expect(empty > 100 and empty < 5'000) << empty;
            expect(single < 6'000) << single;
        };
};

// --- a source as they are ------------------------------------------------------------------------

double unevenness(const sorted_source& source, const std::vector<bulk::planned_partition>& parts) {
    std::vector<std::uint64_t> sizes;
    for (const auto& part : parts) sizes.push_back(source.within(part.range));
    return static_cast<double>(std::ranges::max(sizes)) /
           static_cast<double>(std::max<std::uint64_t>(std::ranges::min(sizes), 1));
}

suite<"a catalogue"> catalogue = [] {
    "half a million very uneven prices in 30 partitions that are within 1.5 times of each other"_test =
        [](double spread) {
            generator random{static_cast<std::uint64_t>(spread * 100)};
            std::lognormal_distribution<double> price{std::log(2'000), spread};
            std::vector<std::int64_t> prices;
            while (prices.size() < 500'000)
                if (const double each = price(random); each < 500'000)
                    prices.push_back(static_cast<std::int64_t>(each));
            sorted_source source{prices};

            const key_range extent{0, 499'999};
            for (const bool two_pass : {false, true}) {
                const auto found = bulk::scan(extent, {.two_pass = two_pass}, source);
                expect(fatal(found.has_value()));
                const auto workers = bulk::worker_count(found->total, 1'000, 30);
                const auto plan = bulk::partition(*found, extent, {.workers = workers});
                expect(fatal(plan.has_value() and plan->partitions.size() == 30_ul));
                expect(unevenness(source, plan->partitions) <= 1.5_d)
                    << spread << unevenness(source, plan->partitions);
                expect(found->counts_asked < 2'000_ul) << spread << found->counts_asked;
            }
        } |
        std::vector{0.5, 0.8, 1.0, 1.3, 1.6};

    "times are cut at full hours"_test = [] {
        constexpr std::int64_t hour = 3'600'000'000, day = 24 * hour;
        constexpr std::int64_t year = 1'767'225'600'000'000;  // 2026-01-01, in microseconds
        generator random{3};
        std::vector<std::int64_t> times;
        for (int i = 0; i < 200'000; ++i)  // most of them in one week of the year
            times.push_back(year + static_cast<std::int64_t>(
                                       below(random, 4) == 0 ? below(random, 365 * day)
                                                             : 200 * day + below(random, 7 * day)));
        sorted_source source{times};
        const key_range extent{year + 12'345, year + 365 * day};
        const auto found = bulk::scan(extent, {.granularity = hour, .sparse_step = 200}, source);
        expect(fatal(found.has_value()));
        const auto plan = bulk::partition(*found, extent, {.workers = 10, .granularity = hour});
        expect(fatal(plan.has_value() and plan->partitions.size() == 10_ul));
        for (std::size_t i = 1; i < 10; ++i) expect(plan->partitions[i].range.first % hour == 0_l);
        expect(unevenness(source, plan->partitions) <= 1.5_d)
            << unevenness(source, plan->partitions);
    };
};

}  // namespace

int main() {}
