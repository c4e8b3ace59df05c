// What does running rows through steps cost, next to the loop that a user would write?
#include "../support.hpp"
#include "ours.hpp"
#include "workload.hpp"

#include <bulk/rows/csv/reader.hpp>

#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>
#ifdef BULK_BENCH_TBB
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_pipeline.h>
#endif

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <new>
#include <string>
#include <thread>

namespace {
std::atomic<std::uint64_t> allocations{0};
}

// Every allocation of the program is counted.
void* operator new(std::size_t size) {
    allocations.fetch_add(1, std::memory_order_relaxed);
    if (void* memory = std::malloc(size)) return memory;
    throw std::bad_alloc{};
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace {

/// The loop that a user writes by hand: parse, check, three calls, nothing recorded.
double hand_loop(const std::string& text) {
    return bench::seconds([&] {
        hand::read_rows(text, std::type_identity<narrow>{}, [](const narrow& row) {
            if (!workload::is_valid(row)) std::abort();
            workload::first_step(row);
            workload::second_step(row);
            workload::third_step(row);
        });
    });
}

/// The bare typed parse, twice, as two passes need it.
double two_parses(const std::string& text) {
    return bench::seconds([&] {
        for (int pass = 0; pass < 2; ++pass) {
            auto reader = bulk::csv::reader<narrow>::open(bulk::bytes_of_text(text)).value();
            narrow row;
            while (reader.next(row) == bulk::read_status::row)
                asm volatile("" : : "r"(&row) : "memory");
        }
    });
}

/// A row, parsed by hand, with what keeps its text alive.
narrow parse_line(std::string_view line) {
    narrow row;
    for (int column = 0; column < 6; ++column) {
        const auto end = std::min(line.find(','), line.size());
        hand::set(row, column, line.substr(0, end));
        line.remove_prefix(std::min(end + 1, line.size()));
    }
    return row;
}

void three_calls(const narrow& row) {
    if (!workload::is_valid(row)) std::abort();
    workload::first_step(row);
    workload::second_step(row);
    workload::third_step(row);
}

template <typename Visit>
void each_line(std::string_view text, Visit visit) {
    text.remove_prefix(text.find('\n') + 1);
    while (!text.empty()) {
        const auto end = text.find('\n');
        visit(text.substr(0, end));
        text.remove_prefix(end + 1);
    }
}

#ifdef BULK_BENCH_TBB
/// oneTBB's pipeline, one token a row.
double tbb_pipeline(std::string_view text) {
    namespace tbb = oneapi::tbb;
    return bench::seconds([&] {
        tbb::global_control one{tbb::global_control::max_allowed_parallelism, 1};
        text.remove_prefix(text.find('\n') + 1);
        tbb::parallel_pipeline(
            16, tbb::make_filter<void, std::string_view>(tbb::filter_mode::serial_in_order,
                                                         [&](tbb::flow_control& control) {
                                                             if (text.empty()) {
                                                                 control.stop();
                                                                 return std::string_view{};
                                                             }
                                                             const auto line =
                                                                 text.substr(0, text.find('\n'));
                                                             text.remove_prefix(line.size() + 1);
                                                             return line;
                                                         }) &
                    tbb::make_filter<std::string_view, narrow>(tbb::filter_mode::parallel,
                                                               &parse_line) &
                    tbb::make_filter<narrow, void>(tbb::filter_mode::parallel, &three_calls));
    });
}
#endif

/// Boost.Asio's thread pool, one task a row.
double asio_pool(std::string_view text) {
    return bench::seconds([&] {
        boost::asio::thread_pool pool{1};
        each_line(text, [&](std::string_view line) {
            boost::asio::post(pool, [line] { three_calls(parse_line(line)); });
        });
        pool.join();
    });
}

/// How much faster two bare threads compute than one, here and now: machines differ.
double bare_threads() {
    const auto compute = [](int rows) {
        for (int row = 0; row < rows; ++row) workload::compute(static_cast<std::uint64_t>(row));
    };
    const double one = bench::seconds([&] { compute(30'000); });
    const double two =
        bench::seconds([&] { std::jthread first{compute, 15'000}, second{compute, 15'000}; });
    return one / two;
}

/// 300 rows that block 20 ms, a hundred at once: against the ideal of three rounds.
double blocking_spread() {
    std::string text = "id\n";
    for (int row = 0; row < 300; ++row) text += std::to_string(row) + '\n';
    const double took = ours::run_blocking(text, 100);
    return took / 0.060;
}

}  // namespace

int main() {
    const std::string text = workload::million_rows();
    double hand = std::numeric_limits<double>::infinity();
    double parses = hand, ours = hand, asio = hand, one = hand, two = hand, spread = hand;
    [[maybe_unused]] double tbb = hand;
    double bare = 0;
    const std::string busy_text = workload::million_rows(60'000);
    for (int round = 0; round < 9; ++round) {
        hand = std::min(hand, hand_loop(text));
        parses = std::min(parses, two_parses(text));
        ours = std::min(ours, ours::run(text));
        if (round % 3 != 0) continue;
        asio = std::min(asio, asio_pool(text));
#ifdef BULK_BENCH_TBB
        tbb = std::min(tbb, tbb_pipeline(text));
#endif
        one = std::min(one, ours::run_busy(busy_text, 1));
        two = std::min(two, ours::run_busy(busy_text, 2));
        spread = std::min(spread, blocking_spread());
        bare = std::max(bare, bare_threads());
    }
    const auto before = allocations.load();
    (void)ours::run(text);
    const auto allocated = static_cast<double>(allocations.load() - before) / 1e6;
    std::printf("engine hand loop: %.0f ns a row\n", hand * 1e3);
    std::printf("engine two parses: %.0f ns a row\n", parses * 1e3);
    std::printf("engine bulk: %.0f ns a row\n", ours * 1e3);
    bench::figure("engine.vs_hand_loop", hand / ours);
    std::printf("engine Asio: %.0f ns a row\n", asio * 1e3);
    bench::figure("engine.vs_two_parses", parses / ours);
    bench::figure("engine.vs_asio", asio / ours);
#ifdef BULK_BENCH_TBB
    std::printf("engine oneTBB: %.0f ns a row\n", tbb * 1e3);
    bench::figure("engine.vs_tbb", tbb / ours);
#endif
    std::printf("figure engine.alloc_per_row %.4f\n", allocated);
    std::printf("engine two bare threads: %.2f times one\n", bare);
    bench::figure("engine.two_workers", one / two);
    bench::figure("engine.blocking_spread", spread);
}
