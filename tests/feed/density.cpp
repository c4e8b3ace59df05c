#include <bulk/feed/density.hpp>

#include <support/feed_text.hpp>
#include <support/sorted_source.hpp>
#include <support/ut.hpp>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

using namespace boost::ut;
using bulk::key_range;
using support::add_records;
using support::sorted_source;

namespace {

constexpr auto lowest = std::numeric_limits<std::int64_t>::min();
constexpr auto highest = std::numeric_limits<std::int64_t>::max();

/// Nothing is dense, and what was counted stays as it is.
constexpr bulk::scan_options only_sparse{.dense_below = 0, .refine = false};

std::string refusal(const key_range& extent, const bulk::scan_options& options,
                    sorted_source source = sorted_source{{}}) {
    const auto found = bulk::scan(extent, options, source);
    return found ? "" : found.error().message;
}

bool is_in(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

suite<"settings of a scan"> settings = [] {
    "the defaults are valid"_test = [] {
        expect(bulk::validate(bulk::scan_options{}).has_value());
    };

    "a wrong setting is refused with what it must be"_test = [] {
        const auto said = [](const bulk::scan_options& options) {
            return refusal({0, 10}, options);
        };
        expect(said({.granularity = 0}) == "granularity is 0; it must be at least 1");
        expect(said({.dense_below = -1}) == "dense_below is -1; it must be at least 0");
        expect(said({.dense_step = 0}) == "dense_step is 0; it must be at least 1");
        expect(said({.sparse_step = -5}) == "sparse_step is -5; it must be at least 1");
        expect(said({.target = 0}) == "target is 0; it must be at least 1");
        expect(said({.concurrency = 0}) == "concurrency is 0; it must be at least 1");
        expect(said({.coarse_step = 0}) == "coarse_step is 0; it must be at least 1");
        expect(said({.most_counts = 0}) == "most_counts is 0; it must be at least 1");
        expect(said({.largest_step = 4'999}) ==
               "largest_step is 4999; it must be at least 5000, which is sparse_step");
        expect(said({.dense_step = 40'000}) ==
               "largest_step is 50000; it must be at least 80000, which is twice dense_step");
        expect(said({.largest_empty_step = 7}) ==
               "largest_empty_step is 7; it must be at least 50000, which is largest_step");
        expect(said({.largest_fine_step = 99}) ==
               "largest_fine_step is 99; it must be at least 100, which is dense_step");
        expect(is_in(said({.dense_step = highest}), "largest_step is 50000"));
    };

    "an inverted extent is refused with both its ends"_test = [] {
        expect(refusal({5, 4}, {}) ==
               "the extent begins at place 5 and ends before it, at 4; give the lower end first");
        expect(refusal({highest, lowest}, {}) != "");
    };
};

suite<"one pass"> one_pass = [] {
    "the dense region is counted in steps of 100, three at a time"_test = [] {
        sorted_source source{{}};
        const auto found = bulk::scan({0, 19'999}, {}, source);
        expect(fatal(found.has_value()));
        expect(fatal(source.asked.size() == 200_ul));
        for (std::size_t i = 0; i < 200; ++i) {
            const auto first = static_cast<std::int64_t>(i) * 100;
            expect(source.asked[i] == key_range{first, first + 99});
        }
        expect(source.batches.front() == 3_ul and source.batches.back() == 2_ul);
        expect(found->counts_asked == 200_ul and found->chunks.empty() and found->total == 0_ul);
    };

    "counts in the dense region change no step"_test = [] {
        std::vector<std::int64_t> places;
        add_records(places, 0, 19'999, 3);
        sorted_source source{places};
        expect(bulk::scan({0, 49'999}, {.concurrency = 1, .refine = false}, source).has_value());
        expect(source.asked[199] == key_range{19'900, 19'999});
        expect(source.asked[200] == key_range{20'000, 24'999});
    };

    "a batch may begin in the dense region and end outside"_test = [] {
        sorted_source source{{}};
        expect(bulk::scan({19'800, 40'000}, {}, source).has_value());
        expect(source.asked ==
               std::vector<key_range>{
                   {19'800, 19'899}, {19'900, 19'999}, {20'000, 24'999}, {25'000, 40'000}});
    };

    "empty ranges make the step five times as large, 100 000 at most"_test = [] {
        sorted_source source{{}};
        auto options = only_sparse;
        options.concurrency = 1;
        expect(bulk::scan({0, 329'999}, options, source).has_value());
        expect(source.asked == std::vector<key_range>{{0, 4'999},
                                                      {5'000, 29'999},
                                                      {30'000, 129'999},
                                                      {130'000, 229'999},
                                                      {230'000, 329'999}});
    };

    "the step changes only between batches, then for each of them"_test = [] {
        sorted_source source{{}};
        expect(bulk::scan({0, 514'999}, only_sparse, source).has_value());
        expect(source.asked == std::vector<key_range>{{0, 4'999},
                                                      {5'000, 9'999},
                                                      {10'000, 14'999},
                                                      {15'000, 114'999},
                                                      {115'000, 214'999},
                                                      {215'000, 314'999},
                                                      {315'000, 414'999},
                                                      {415'000, 514'999}});
        expect(source.batches == std::vector<std::size_t>{3, 3, 2});
    };

    "records make the step fit the target, rounded down"_test = [] {
        std::vector<std::int64_t> places(3'000, 10);  // 5000 * 2500 / 3000 = 4166.6
        add_records(places, 5'000, 9'165, 2);         // 8332 of them: 4166 * 2500 / 8332 = 1250
        sorted_source source{places};
        auto options = only_sparse;
        options.concurrency = 1;
        const auto found = bulk::scan({0, 11'000}, options, source);
        expect(source.asked == std::vector<key_range>{
                                   {0, 4'999}, {5'000, 9'165}, {9'166, 10'415}, {10'416, 11'000}});
        expect(fatal(found.has_value()));
        expect(found->chunks ==
               std::vector<bulk::density_chunk>{{{0, 4'999}, 3'000}, {{5'000, 9'165}, 8'332}});
        expect(found->total == 11'332_ul and found->counts_asked == 4_ul);
    };

    "a step is never smaller than two dense steps nor larger than 50 000"_test = [] {
        std::vector<std::int64_t> places(1'000'000, 10);
        places.push_back(5'100);
        sorted_source source{places};
        auto options = only_sparse;
        options.concurrency = 1;
        expect(bulk::scan({0, 100'000}, options, source).has_value());
        expect(source.asked == std::vector<key_range>{
                                   {0, 4'999}, {5'000, 5'199}, {5'200, 55'199}, {55'200, 100'000}});
    };

    "of counts made at once each corrects the step that it was made with"_test = [] {
        std::vector<std::int64_t> places;
        add_records(places, 0, 29'999, 1);  // 5000 in each step of 5000: the step fits with 2500
        sorted_source source{places};
        expect(bulk::scan({0, 22'499}, only_sparse, source).has_value());
        expect(source.asked[3] == key_range{15'000, 17'499});
        expect(source.asked[5] == key_range{20'000, 22'499});
    };

    "what is negative is sparse, and its steps end where the dense region begins"_test = [] {
        sorted_source source{{}};
        expect(bulk::scan({-7'000, 250}, {}, source).has_value());
        expect(source.asked ==
               std::vector<key_range>{
                   {-7'000, -2'001}, {-2'000, -1}, {0, 99}, {100, 199}, {200, 250}});
        sorted_source far{{lowest}};
        const auto found = bulk::scan({lowest, lowest + 1'000'000}, {}, far);
        expect(found.has_value() and found->counts_asked < 20_ul and found->total == 1_ul);
    };

    "one place is an extent"_test = [] {
        for (const auto place : {lowest, std::int64_t{-1}, std::int64_t{0}, highest}) {
            sorted_source source{{place, place, place}};
            const auto found = bulk::scan({place, place}, {.target = 1}, source);
            expect(fatal(found.has_value()));
            expect(found->chunks == std::vector<bulk::density_chunk>{{{place, place}, 3}});
        }
    };
};

suite<"granules"> granules = [] {
    "steps are in granules, and end one unit before the next one"_test = [] {
        sorted_source source{{}};
        expect(
            bulk::scan({0, 29'999}, {.granularity = 60, .dense_below = 200}, source).has_value());
        expect(source.asked ==
               std::vector<key_range>{{0, 5'999}, {6'000, 11'999}, {12'000, 29'999}});
    };

    "cuts are at multiples of the granularity wherever the extent begins"_test = [] {
        sorted_source source{{}};
        expect(bulk::scan({-90, 130},
                          {.granularity = 100, .dense_below = 0, .dense_step = 1, .sparse_step = 1},
                          source)
                   .has_value());
        expect(source.asked == std::vector<key_range>{{-90, -1}, {0, 99}, {100, 130}});
    };

    "records between two granules are counted"_test = [] {
        sorted_source source{{99, 100, 101, 150, 199, 200}};
        const auto found = bulk::scan(
            {0, 1'000}, {.granularity = 100, .dense_below = 10, .dense_step = 1}, source);
        expect(fatal(found.has_value()));
        expect(found->chunks ==
               std::vector<bulk::density_chunk>{{{0, 99}, 1}, {{100, 199}, 4}, {{200, 299}, 1}});
    };

    "the whole axis can be scanned"_test = [] {
        sorted_source source{{lowest, lowest + 1, -1, 0, 1, highest - 1, highest}};
        for (const bool two_pass : {false, true})
            for (const std::int64_t granularity :
                 {std::int64_t{1}, std::int64_t{1} << 40, highest}) {
                const auto found = bulk::scan({lowest, highest},
                                              {.granularity = granularity,
                                               .dense_step = 1 << 20,
                                               .sparse_step = highest / 1'000,
                                               .largest_step = highest,
                                               .largest_empty_step = highest,
                                               .target = 1,
                                               .two_pass = two_pass,
                                               .coarse_step = highest / 100,
                                               .largest_fine_step = highest,
                                               .most_counts = 100'000},
                                              source);
                expect(fatal(found.has_value())) << found.error().message;
                expect(found->total == 7_ul);
                expect(found->chunks.front().range.first == lowest);
                expect(found->chunks.back().range.last == highest);
            }
    };
};

suite<"two passes"> two_passes = [] {
    // Records from 12 340 to 12 939 and from 200 000 to 200 999, nothing else up to 500 000.
    std::vector<std::int64_t> places;
    add_records(places, 12'340, 12'939, 1);
    add_records(places, 200'000, 200'999, 50);

    "the first pass looks everywhere in steps of 5000"_test = [&] {
        sorted_source source{places};
        expect(bulk::scan({0, 499'999}, {.two_pass = true}, source).has_value());
        for (std::size_t i = 0; i < 100; ++i) {
            const auto first = static_cast<std::int64_t>(i) * 5'000;
            expect(source.asked[i] == key_range{first, first + 4'999});
        }
    };

    "both ends of a region are found by halving, to a dense step"_test = [&] {
        sorted_source source{places};
        expect(bulk::scan({0, 499'999}, {.two_pass = true}, source).has_value());
        const std::vector<key_range> halves(source.asked.begin() + 100, source.asked.begin() + 112);
        expect(halves == std::vector<key_range>{{10'000, 12'499},
                                                {10'000, 11'249},
                                                {11'250, 11'874},
                                                {11'875, 12'186},
                                                {12'187, 12'342},
                                                {12'187, 12'264},
                                                {13'632, 14'999},
                                                {12'948, 13'631},
                                                {12'606, 12'947},
                                                {12'777, 12'947},
                                                {12'862, 12'947},
                                                {12'265, 12'364}})
            << "from 12 265, where the region begins, in steps of 100";
    };

    "it finds the same as one pass, and asks less when most is empty"_test = [&] {
        const auto once = bulk::scan({0, 499'999}, {}, sorted_source{places});
        const auto twice = bulk::scan({0, 499'999}, {.two_pass = true}, sorted_source{places});
        expect(fatal(once.has_value() and twice.has_value()));
        expect(once->total == 50'600_ul and twice->total == 50'600_ul);
        expect(twice->counts_asked < once->counts_asked)
            << twice->counts_asked << once->counts_asked;
    };

    "in the second pass empty ranges double the step, up to 10 000"_test = [] {
        std::vector<std::int64_t> marks{100'000};
        for (std::int64_t place = 104'999; place < 150'000; place += 5'000) marks.push_back(place);
        sorted_source thin{marks};
        expect(bulk::scan({100'000, 149'999},
                          {.target = 1, .concurrency = 1, .two_pass = true, .refine = false}, thin)
                   .has_value());
        // 10 coarse, then halving at both ends: 6 and 6.
        const std::vector<key_range> fine(thin.asked.begin() + 22, thin.asked.begin() + 28);
        expect(fine == std::vector<key_range>{{100'000, 100'099},
                                              {100'100, 100'199},
                                              {100'200, 100'399},
                                              {100'400, 100'799},
                                              {100'800, 101'599},
                                              {101'600, 103'199}});
        for (const auto& range : thin.asked) expect(range.last - range.first < 10'000);
    };

    "a source without records needs only the first pass"_test = [] {
        const auto found = bulk::scan({0, 499'999}, {.two_pass = true}, sorted_source{{}});
        expect(found.has_value() and found->counts_asked == 100_ul and found->chunks.empty());
    };
};

suite<"refinement"> refinement = [] {
    "a chunk of more than 1.5 times the target is counted again in as many parts as it has targets"_test =
        [] {
            std::vector<std::int64_t> places;
            add_records(places, 0, 99, 60);  // 6000 in a range of 100: three parts
            sorted_source source{places};
            const auto found = bulk::scan({0, 99}, {}, source);
            expect(source.asked == std::vector<key_range>{{0, 99}, {0, 32}, {33, 65}, {66, 99}});
            expect(fatal(found.has_value()));
            expect(found->chunks == std::vector<bulk::density_chunk>{
                                        {{0, 32}, 1'980}, {{33, 65}, 1'980}, {{66, 99}, 2'040}});
            expect(found->total == 6'000_ul and found->counts_asked == 4_ul);
        };

    "a chunk of 1.5 times the target stays whole"_test = [] {
        sorted_source source{std::vector<std::int64_t>(3'750, 7)};
        const auto found = bulk::scan({0, 99}, {}, source);
        expect(found.has_value() and found->chunks.size() == 1_ul and found->counts_asked == 1_ul);
    };

    "it can be switched off"_test = [] {
        sorted_source source{std::vector<std::int64_t>(100'000, 7)};
        const auto found = bulk::scan({0, 99}, {.refine = false}, source);
        expect(found.has_value() and found->chunks.size() == 1_ul and found->counts_asked == 1_ul);
    };

    "parts that are still too large are divided again, down to a granule"_test = [] {
        sorted_source source{std::vector<std::int64_t>(100'000, 25'007)};
        const auto found = bulk::scan({25'000, 29'999}, {}, source);
        expect(fatal(found.has_value()));
        expect(found->chunks == std::vector<bulk::density_chunk>{{{25'007, 25'007}, 100'000}});
    };

    "there are never more parts than granules"_test = [] {
        std::vector<std::int64_t> places;
        add_records(places, 0, 29, 1'000);
        sorted_source source{places};
        const auto found =
            bulk::scan({0, 29}, {.granularity = 10, .dense_step = 10, .target = 100}, source);
        expect(fatal(found.has_value()));
        expect(found->chunks == std::vector<bulk::density_chunk>{
                                    {{0, 9}, 10'000}, {{10, 19}, 10'000}, {{20, 29}, 10'000}});
    };
};

suite<"trouble"> trouble = [] {
    "a count that fails ends the scan with its error"_test = [] {
        for (const bool two_pass : {false, true})
            for (int good = 0; good < 40; ++good) {
                std::vector<std::int64_t> places(9'000, 11'111);
                sorted_source source{places};
                int calls = 0;
                const auto found =
                    bulk::scan({0, 60'000}, {.two_pass = two_pass},
                               [&](std::span<const key_range> ranges)
                                   -> bulk::result<std::vector<std::uint64_t>> {
                                   if (calls++ == good)
                                       return bulk::fail(bulk::errc::unavailable, "no answer");
                                   return source(ranges);
                               });
                if (calls <= good) continue;  // it was done before
                expect(fatal(!found.has_value()));
                expect(found.error() == bulk::error{bulk::errc::unavailable, "no answer"});
                expect(calls == good + 1) << "nothing is asked after that";
            }
    };

    "a source that does not count every range is refused"_test = [] {
        const auto found = bulk::scan({0, 10'000}, {}, [](std::span<const key_range>) {
            return bulk::result<std::vector<std::uint64_t>>{{1, 2}};
        });
        expect(fatal(!found.has_value()));
        expect(found.error().message ==
               "the source was asked to count 3 ranges, the first from place 0 to 99, and gave 2 "
               "counts; its count must give one for each");
    };

    "a scan that cannot do with most_counts asks for nothing and says what to change"_test = [] {
        for (const bool two_pass : {false, true}) {
            sorted_source source{{}};
            const auto found = bulk::scan({lowest, highest}, {.two_pass = two_pass}, source);
            expect(fatal(!found.has_value()));
            expect(source.asked.empty());
            expect(found.error().message ==
                   "to count the records from place -9223372036854775808 to 9223372036854775807 "
                   "takes more than 100000 counts, which is most_counts; make granularity or the "
                   "steps larger, scan a smaller extent, or raise most_counts");
        }
        sorted_source exact{{}};
        expect(bulk::scan({0, 19'999}, {.most_counts = 200}, exact).has_value());
        expect(!bulk::scan({0, 19'999}, {.most_counts = 199}, exact).has_value());
        expect(exact.asked.size() == 200_ul);
    };

    "a scan that turns out to take more than most_counts stops there"_test = [] {
        std::vector<std::int64_t> places;
        add_records(places, 20'000, 40'000, 20);
        sorted_source source{places};
        expect(is_in(refusal({20'000, 40'000}, {.refine = false, .most_counts = 20}, source),
                     "more than 20 counts"));
        sorted_source heap{std::vector<std::int64_t>(1'000'000, 50)};
        const auto found = bulk::scan({0, 99}, {.most_counts = 50}, heap);
        expect(fatal(!found.has_value()));
        expect(is_in(found.error().message, "raise target")) << found.error().message;
        expect(heap.asked.size() == 1_ul) << "parts that cannot all be counted are not begun";
    };

    "a source that always answers the same comes to an end"_test = [] {
        const auto found = bulk::scan({0, 1'000'000}, {}, [](std::span<const key_range> ranges) {
            return bulk::result<std::vector<std::uint64_t>>{
                std::vector<std::uint64_t>(ranges.size(), 1'000'000)};
        });
        expect(!found.has_value());
    };

    "more records than can be added up are refused"_test = [] {
        const auto found =
            bulk::scan({0, 499}, {.refine = false}, [](std::span<const key_range> ranges) {
                return bulk::result<std::vector<std::uint64_t>>{
                    std::vector<std::uint64_t>(ranges.size(), ~std::uint64_t{0})};
            });
        expect(fatal(!found.has_value()));
        expect(is_in(found.error().message, "more than can be added up"));
    };
};

}  // namespace

int main() {}
