#include <bulk/feed/histogram.hpp>

#include <support/ut.hpp>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

using namespace boost::ut;

namespace {

std::string number(std::int64_t place) { return std::to_string(place); }

suite<"histogram of a plan"> plans = [] {
    "a line for each partition: its name, range, records and bar"_test = [] {
        const bulk::feed_plan plan{
            .partitions = {{{0, 99}, 40}, {{100, 1'999}, 20}, {{2'000, 499'999}, 1}}, .total = 61};
        expect(bulk::histogram_of(plan, 53, number) ==
               "partition-0     0 ..     99  40  ####################\n"
               "partition-1   100 ..   1999  20  ##########\n"
               "partition-2  2000 .. 499999   1  #\n")
            << bulk::histogram_of(plan, 53, number);
    };

    "a capped plan says so"_test = [] {
        const bulk::feed_plan plan{.partitions = {{{0, 9}, 5, 5}}, .is_capped = true, .total = 5};
        expect(bulk::histogram_of(plan, 40, number) ==
               "partition-0  0 .. 9  5  ################\n"
               "capped at 5 records: the rest of the source is left out\n");
    };

    "places are shown as the feed shows them, aligned by characters"_test = [] {
        const bulk::feed_plan plan{.partitions = {{{5, 9}, 2}, {{10, 1'000}, 4}}, .total = 6};
        expect(bulk::histogram_of(plan, 40,
                                  [](std::int64_t cents) {
                                      return "€" + std::to_string(cents / 100) + "." +
                                             std::to_string(cents % 100 / 10) +
                                             std::to_string(cents % 10);
                                  }) ==
               "partition-0  €0.05 ..  €0.09  2  ###\n"
               "partition-1  €0.10 .. €10.00  4  #######\n");
    };

    "a screen that is too narrow still has a bar of one"_test = [] {
        const bulk::feed_plan plan{.partitions = {{{5, 9}, 2}}, .total = 2};
        expect(bulk::histogram_of(plan, 3, number) == "partition-0  5 .. 9  2  #\n");
        expect(bulk::histogram_of(bulk::feed_plan{}, 80, number).empty());
    };
};

suite<"histogram of a density"> densities = [] {
    "a line for each bucket, also for those without a record"_test = [] {
        const bulk::density found{.chunks = {{{0, 4}, 8}, {{30, 39}, 2}}, .total = 10};
        expect(bulk::histogram_of(found, {0, 39}, 4, 23, number) ==
               " 0 ..  9  8  ##########\n"
               "10 .. 19  0\n"
               "20 .. 29  0\n"
               "30 .. 39  2  ##\n")
            << bulk::histogram_of(found, {0, 39}, 4, 23, number);
    };

    "a chunk in several buckets is shared out by width"_test = [] {
        const bulk::density found{.chunks = {{{0, 1}, 1}, {{5, 24}, 20}}, .total = 21};
        expect(bulk::histogram_of(found, {0, 29}, 3, 21, number) ==
               " 0 ..  9   6  ####\n"
               "10 .. 19  10  #######\n"
               "20 .. 29   5  ###\n")
            << bulk::histogram_of(found, {0, 29}, 3, 21, number);
    };

    "there are never more buckets than places"_test = [] {
        const bulk::density found{.chunks = {{{7, 8}, 4}}, .total = 4};
        expect(bulk::histogram_of(found, {7, 8}, 20, 12, number) ==
               "7 .. 7  2  #\n"
               "8 .. 8  2  #\n");
        expect(bulk::histogram_of(found, {8, 7}, 20, 12, number).empty());
        expect(bulk::histogram_of(found, {7, 8}, 0, 12, number).empty());
    };

    "counts add up over the whole axis"_test = [] {
        constexpr auto lowest = std::numeric_limits<std::int64_t>::min();
        constexpr auto highest = std::numeric_limits<std::int64_t>::max();
        const std::uint64_t all = ~std::uint64_t{0};
        const bulk::density found{.chunks = {{{lowest, highest}, all}}, .total = all};
        expect(bulk::histogram_of(found, {lowest, highest}, 2, 10,
                                  [](std::int64_t place) { return place < 0 ? "-" : "+"; }) ==
               "- .. -  9223372036854775807  #\n"
               "+ .. +  9223372036854775808  #\n");
    };
};

}  // namespace

int main() {}
