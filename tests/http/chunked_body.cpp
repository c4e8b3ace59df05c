#include <bulk/http/server/chunked_body.hpp>

#include <support/ut.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

using namespace boost::ut;
using namespace std::string_literals;

namespace {

/// The body and what is left behind it, or the status; read in pieces, into so much room at once.
std::string read(std::string_view text, std::size_t piece, std::size_t room,
                 std::uint64_t most = 0) {
    bulk::http::chunked_body body{most};
    std::string all, into(room, ' ');
    std::size_t used = 0, come = 0;
    while (!body.is_done()) {
        const auto step = body.read(text.substr(used, come - used), into);
        used += step.used;
        all.append(into, 0, step.made);
        if (step.status != 0) return all + " refused " + std::to_string(step.status);
        if (step.used > 0 || step.made > 0) continue;
        if (come == text.size()) return all + " waits";
        come = std::min(come + piece, text.size());
    }
    return all.append(" then ").append(text.substr(used));
}

/// However it comes.
bool reads_as(std::string_view text, std::string_view wanted, std::uint64_t most = 0) {
    for (const std::size_t piece : {1UL, 2UL, 3UL, text.size()})
        for (const std::size_t room : {1UL, 100UL})
            if (read(text, piece, room, most) != wanted) return false;
    return true;
}

}  // namespace

suite<"http chunks"> chunks = [] {
    "a body is what its chunks hold, in any pieces"_test = [] {
        expect(reads_as("0\r\n\r\nnext", " then next"));
        expect(reads_as("5\r\nhello\r\n0\r\n\r\nnext", "hello then next"));
        expect(reads_as("005\r\nhello\r\nA\r\n, you\r\n\0 a\r\n000\r\n\r\n"s,
                        "hello, you\r\n\0 a then "s));
        expect(reads_as("1;a\r\nx\r\n1 ; b = c;d=\"e\\\";\"\r\ny\r\n0;f\r\nX: y\r\nZ:\r\n\r\n",
                        "xy then "));
        expect(reads_as("5\r\nhel", "hel waits"));
        expect(reads_as("0\r\n", " waits"));
    };

    "what is right in front of a mistake is given first"_test = [] {
        expect(reads_as("5\r\nhello\r\nno\r\n", "hello refused 400"));
        expect(reads_as("5\r\nhello!\r\n", "hello refused 400"));
    };

    "a mistake is seen as soon as its line is there"_test = [] {
        for (const std::string_view wrong : {"\r\n",
                                             "-1\r\n",
                                             "+1\r\n",
                                             "0x1\r\n",
                                             " 1\r\n",
                                             "1 \r\n",
                                             "1\n",
                                             "1;\r\n",
                                             "1;=\r\n",
                                             "1;a=\r\n",
                                             "1;a=\"\r\n",
                                             "1;a=\"\\\"\r\n",
                                             "1;a=\"b\"c\r\n",
                                             "1;a\x01\r\n",
                                             "1,\r\n",
                                             "10000000000000000\r\n",
                                             "0\n",
                                             "0\r\n\n",
                                             "0\r\nX\r\n",
                                             "0\r\n y\r\n",
                                             "0\r\nX : y\r\n",
                                             "0\r\nX: \x01\r\n",
                                             "0\r\nX: y\n",
                                             "0\r\nContent-Length: 1\r\n",
                                             "0\r\nTransfer-Encoding: chunked\r\n",
                                             "0\r\nHost: a\r\n"})
            expect(reads_as(wrong, " refused 400")) << wrong;
    };

    "more than there may be is refused before it comes"_test = [] {
        expect(reads_as("5\r\nhello\r\n0\r\n\r\n", "hello then ", 5));
        expect(reads_as("6\r\n", " refused 413", 5));
        expect(reads_as("3\r\nabc\r\n3\r\n", "abc refused 413", 5));
        expect(reads_as("FFFFFFFFFFFFFFFF\r\n", " refused 413", 5));
        expect(reads_as("3\r\nabc\r\nFFFFFFFFFFFFFFFF\r\n", "abc refused 413", 5));
        expect(reads_as("FFFFFFFFFFFFFFFF\r\nx", "x waits"));
    };

    "little may stand around it"_test = [] {
        const std::string much(20'000, 'a');
        expect(read("1;" + much, 1000, 10) == " refused 400");
        expect(read("0\r\nX: " + much, 1000, 10) == " refused 400");
        std::string trailers = "0\r\n", extensions, bytes;
        for (int i = 0; i < 5'000; ++i) trailers += "X: y\r\n";
        for (int i = 0; i < 100; ++i) extensions += "1;" + much.substr(0, 4'000) + "\r\nx\r\n";
        for (int i = 0; i < 50'000; ++i) bytes += "1\r\nx\r\n";
        expect(read(trailers, 1000, 10) == " refused 400");
        expect(read(extensions, 1000, 10).ends_with(" refused 400"));
        expect(read(bytes + "0\r\n\r\n", 1000, 10) == std::string(50'000, 'x') + " then ");
    };
};

int main() {}
