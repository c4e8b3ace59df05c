#include <bulk/core/error.hpp>
#include <bulk/http/api/export_pipe.hpp>

#include <support/ut.hpp>

#include <array>
#include <new>
#include <string>
#include <string_view>

using namespace boost::ut;
using bulk::errc;
using bulk::result;
using bulk::http::api::export_pipe;
using bulk::http::api::export_writers;

namespace {

struct received {
    std::string text{};
    result<> end{};
};

received read_all(export_pipe& from) {
    received all;
    std::array<char, 64> piece{};
    while (true) {
        const auto count = from.pull(piece);
        if (!count) all.end = std::unexpected{count.error()};
        if (!count || *count == 0) return all;
        all.text.append(piece.data(), *count);
    }
}

}  // namespace

suite<"http export pipe"> export_pipes = [] {
    "what is written is read, to its end"_test = [] {
        export_writers writers;
        const auto pipe = writers.start([](export_pipe& to) -> result<> {
            if (auto first = to.push("id,"); !first) return first;
            return to.push("state\n");
        });
        const auto all = read_all(*pipe);
        expect(all.text == std::string_view{"id,state\n"});
        expect(all.end.has_value());
    };

    "an export that throws fails alone"_test = [] {
        export_writers writers;
        const auto without_memory =
            writers.start([](export_pipe&) -> result<> { throw std::bad_alloc{}; });
        const auto begun = without_memory->wait();
        expect(!begun and begun.error().code == errc::unavailable);
        expect(begun.error().message == std::string_view{"out of memory"});

        const auto strange = writers.start([](export_pipe& to) -> result<> {
            if (auto first = to.push("id,"); !first) return first;
            throw 7;
        });
        const auto all = read_all(*strange);
        expect(all.text == std::string_view{"id,"});
        expect(!all.end and all.end.error().code == errc::unavailable);

        const auto sound = writers.start([](export_pipe& to) { return to.push("state\n"); });
        expect(read_all(*sound).text == std::string_view{"state\n"});
    };

    "a reader that goes away ends the writer"_test = [] {
        export_writers writers;
        const auto pipe = writers.start([](export_pipe& to) -> result<> {
            while (true)
                if (auto next = to.push("row\n"); !next) return next;
        });
        expect(pipe->wait().has_value());
        pipe->abandon();
        expect(!read_all(*pipe).end);
    };
};

int main() {}
