// The API before operations that run: `http_api DIRECTORY` prints its port, and does what its input says.
//   run     an operation of a million rows through three steps, a hundred of which fail; its seconds
//   begin   an operation whose steps wait, as most do; its id
//   end     that one
#include <bulk/http.hpp>
#include <bulk/storage/sqlite/storage.hpp>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <string>
#include <thread>

namespace {

struct reading {
    int meter = 0;
    int value = 0;
};
BULK_ROW(reading, meter, value);

struct billing : bulk::operation<billing, reading> {
    BULK_OPERATION("billing")

    BULK_STEP(check, "Check", .order = 1)
    (const reading& row, const bulk::no_metadata&, bulk::context&)->bulk::result<> {
        if (row.meter % 10'000 == 9'999) return bulk::fail("the meter is sealed");
        return {};
    }
    BULK_STEP(price, "Price", .order = 2)
    (const reading&, const bulk::no_metadata&, bulk::context&) {}
    BULK_STEP(book, "Book", .order = 3)
    (const reading&, const bulk::no_metadata&, bulk::context&) {}
};

struct collection : bulk::operation<collection, reading> {
    BULK_OPERATION("collection")

    BULK_STEP(ask, "Ask the meter", .order = 1)
    (const reading&, const bulk::no_metadata&, bulk::context&) {
        std::this_thread::sleep_for(std::chrono::milliseconds{5});
    }
};

std::string rows(int count) {
    std::string text = "meter,value\n";
    for (int i = 0; i < count; ++i) text += std::to_string(i) + ",1000\n";
    return text;
}

template <typename Value>
Value must(bulk::result<Value> got) {
    if (got) return std::move(*got);
    std::fprintf(stderr, "%s\n", got.error().message.c_str());
    std::exit(1);
}

template <typename Text>
void say(const char* form, const Text& text) {
    std::printf(form, text);
    std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) return 2;
    bulk::service service{bulk::operations<billing, collection>,
                          must(bulk::sqlite::storage::open(std::string{argv[1]} + "/records.db")),
                          {.max_file_size = 0, .max_row_concurrency = 8}};
    auto served = must(bulk::http::start_serving(service, {.port = 0}));
    say("%d\n", static_cast<int>(served.port()));
    std::optional<bulk::operation_id> waiting;
    for (std::string command; std::getline(std::cin, command);) {
        if (command == "run") {
            const auto id = must(service.create(
                "billing", bulk::upload{"r.csv", bulk::bytes_of_text(rows(1'000'000))}));
            const auto done = must(service.wait(id));
            say("%.4f\n",
                std::chrono::duration<double>(*done.completed_at - *done.started_at).count());
        } else if (command == "begin") {
            waiting = must(service.create(
                "collection", bulk::upload{"r.csv", bulk::bytes_of_text(rows(1'000'000))}));
            say("%s\n", to_text(*waiting).c_str());
        } else if (command == "end" && waiting) {
            (void)service.cancel(*waiting);
            (void)must(service.wait(*waiting));
            say("%s\n", "ended");
        }
    }
    return 0;
}
