// gzip and zstd files as tools and tapes leave them: made here byte by byte, read in pieces of every
// size.
#include <bulk/rows/text_source.hpp>

#include <support/in_pieces.hpp>
#include <support/packing.hpp>
#include <support/ut.hpp>

#include <zdict.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

using namespace boost::ut;
using namespace std::string_literals;
using support::in_pieces;

namespace {

std::string little_endian(std::uint32_t value, int bytes = 4) {
    std::string out;
    for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> 8 * i & 0xff);
    return out;
}

std::uint32_t crc(std::string_view text) {
    return static_cast<std::uint32_t>(
        crc32(0, reinterpret_cast<const Bytef*>(text.data()), static_cast<uInt>(text.size())));
}

/// The parts that the header of a gzip member may have, as RFC 1952 numbers them.
enum : unsigned { text_flag = 1, crc_flag = 2, extra_flag = 4, name_flag = 8, comment_flag = 16 };

std::string member(std::string_view text, unsigned flags = 0, std::string_view extra = "BC\2\0xy") {
    std::string out = "\x1f\x8b\x08"s + static_cast<char>(flags) + "\1\2\3\4\0\3"s;
    if ((flags & extra_flag) != 0)
        out += little_endian(static_cast<std::uint32_t>(extra.size()), 2) + std::string{extra};
    if ((flags & name_flag) != 0) out += "rows.csv\0"s;
    if ((flags & comment_flag) != 0) out += "\x1f\x8b of \xe4 kind\0"s;
    if ((flags & crc_flag) != 0) out += little_endian(crc(out) & 0xffff, 2);
    return out + support::deflated(text, -15) + little_endian(crc(text)) +
           little_endian(static_cast<std::uint32_t>(text.size()));
}

/// What bgzip ends a file with, so that one that is truncated can be told.
std::string bgzf_end() { return member("", extra_flag, "BC\2\0\x1b\0"s); }

std::string frame(std::string_view text, int level = 3, int window_log = 0, bool checksum = false,
                  std::string_view dictionary = {}) {
    ZSTD_CCtx* const context = ZSTD_createCCtx();
    ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, level);
    ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, checksum ? 1 : 0);
    if (window_log > 0) {
        ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, window_log);
        // With its size in the header, the frame would need no more than that.
        ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, 0);
    }
    if (!dictionary.empty())
        ZSTD_CCtx_loadDictionary(context, dictionary.data(), dictionary.size());
    std::string out(ZSTD_compressBound(text.size()), '\0');
    if (window_log > 0) {  // as a stream, since one call would know the size
        ZSTD_inBuffer in{text.data(), text.size(), 0};
        ZSTD_outBuffer to{out.data(), out.size(), 0};
        while (ZSTD_compressStream2(context, &to, &in, ZSTD_e_continue) != 0 || in.pos < in.size)
            if (in.pos == in.size) break;
        while (ZSTD_compressStream2(context, &to, &in, ZSTD_e_end) != 0) {
        }
        out.resize(to.pos);
    } else {
        out.resize(ZSTD_compress2(context, out.data(), out.size(), text.data(), text.size()));
    }
    ZSTD_freeCCtx(context);
    return out;
}

std::string skippable(std::string_view content, unsigned kind = 0) {
    return static_cast<char>(0x50 + kind) + "\x2a\x4d\x18"s +
           little_endian(static_cast<std::uint32_t>(content.size())) + std::string{content};
}

/// All of the text, or what came before the failure and why.
std::string read(std::string_view packed, std::size_t piece, std::size_t part_size) {
    auto text = bulk::text_of(in_pieces(std::string{packed}, piece));
    if (!text) return "refused: " + text.error().message;
    std::string all;
    std::vector<char> part(part_size);
    while (true) {
        const auto got = text->read_some(part);
        if (!got) {
            const auto again = text->read_some(part);
            return "failed: " + got.error().message +
                   (again ? " (and then went on)" : std::string{});
        }
        if (*got == 0) return all;
        all.append(part.data(), *got);
    }
}

/// Reads it in pieces of many sizes; the answer must be one.
std::string read(std::string_view packed) {
    const std::string whole = read(packed, packed.size() + 1, 1 << 16);
    // A refusal is found when the file is opened or later, as the pieces fall.
    const auto same = [&](const std::string& other) {
        const auto reason = [](std::string_view text) { return text.substr(text.find(": ") + 1); };
        const bool failed = whole.starts_with("refused: ") || whole.starts_with("failed: ");
        return failed ? reason(other) == reason(whole) : other == whole;
    };
    for (std::size_t piece = 1; piece <= packed.size(); piece += 1 + piece / 3)
        for (const std::size_t part : {std::size_t{1}, std::size_t{7}, std::size_t{1000}})
            if (const auto other = read(packed, piece, part); !same(other))
                return "in pieces of " + std::to_string(piece) + " and " + std::to_string(part) +
                       ": " + other.substr(0, 200) + "\nat once: " + whole.substr(0, 200);
    return whole;
}

std::string some_text(std::mt19937& random, std::size_t size) {
    std::string text;
    while (text.size() < size) text += static_cast<char>('a' + random() % 20);
    return text;
}

/// A failure, without "refused: " or "failed: ".
std::string failure(std::string_view packed) {
    const auto said = read(packed);
    if (said.starts_with("refused: ")) return said.substr(9);
    if (said.starts_with("failed: ")) return said.substr(8);
    return "none: " + said;
}

void expect_truncated(const std::string& format, const std::string& packed) {
    expect(failure(packed) == "the " + format + " data is truncated: it ends at byte " +
                                  std::to_string(packed.size()) +
                                  ", in the middle; upload the complete file")
        << packed.size() << failure(packed);
}

suite<"gzip files"> gzip_files = [] {
    std::mt19937 random{1};
    const std::string text = some_text(random, 3000);

    "every header that RFC 1952 allows"_test = [&] {
        for (unsigned flags = 0; flags < 32; ++flags)
            expect(read(member("a,b\n1,2\n", flags)) == "a,b\n1,2\n"s) << flags;
        expect(read(member(text, extra_flag | name_flag, std::string(6'000, '\x1f'))) == text);
        auto damaged = member("x", crc_flag | name_flag);
        damaged[12] = '!';
        expect(failure(damaged).contains("header crc mismatch")) << failure(damaged);
    };

    "members in a row are one text, empty ones too"_test = [&] {
        expect(read(member("") + member("a") + member("") + member(text) + member("b")) ==
               "a" + text + "b");
        expect(read(member(text) + bgzf_end()) == text) << "as bgzip writes it";
        expect(read(bgzf_end()).empty());
        std::string blocks, expected;
        for (int i = 0; i < 50; ++i) {
            const auto block = some_text(random, random() % 40);
            blocks += member(block, extra_flag);
            expected += block;
        }
        expect(read(blocks + bgzf_end()) == expected);
    };

    "zeros behind the last member are ignored, as gzip -d does"_test = [&] {
        for (const std::size_t zeros : {1U, 2U, 511U, 10'240U})
            expect(read(member(text) + std::string(zeros, '\0')) == text) << zeros;
        expect(read(member("a") + member("b") + std::string(512, '\0')) == "ab"s);
    };

    "anything else behind the last member fails, and says where"_test = [&] {
        const auto packed = member(text);
        const auto expected = "garbage after the end of the gzip data, which is " +
                              std::to_string(packed.size()) +
                              " bytes long; compress and upload the file again";
        for (const auto& garbage :
             {"x"s, "\n"s, "\x1f\x1f"s, "\x1f\0"s, "\x8b\x1f"s, "garbage"s, "\0x"s,
              std::string(600, '\0') + "x", std::string(600, '\0') + member("lost"), frame("zstd"),
              skippable("zstd")})
            expect(failure(packed + garbage) == expected) << failure(packed + garbage);
    };

    "a member that is truncated anywhere fails"_test = [&] {
        const auto packed = member("a,b\n1,2\n", name_flag | crc_flag);
        for (std::size_t size = 2; size < packed.size(); ++size)
            for (const auto& before : {""s, member("x"), member("")})
                expect_truncated("gzip", before + packed.substr(0, size));
        expect(failure(packed + "\x1f").contains("truncated")) << "a member may have begun";
    };

    "a wrong trailer fails"_test = [&] {
        auto packed = member(text);
        packed[packed.size() - 8] = static_cast<char>(packed[packed.size() - 8] ^ 1);
        expect(failure(packed).contains("incorrect data check")) << failure(packed);
        packed = member(text);
        packed.back() = 1;
        expect(failure(packed).contains("incorrect length check")) << failure(packed);
    };
};

suite<"zstd files"> zstd_files = [] {
    std::mt19937 random{2};
    const std::string text = some_text(random, 3000);

    "skippable frames are skipped: first, last, between and alone"_test = [&] {
        for (unsigned kind = 0; kind < 16; ++kind) {
            expect(read(skippable("size", kind) + frame(text)) == text) << kind << "as pzstd";
            expect(read(frame(text) + skippable("seek table", kind)) == text) << kind;
        }
        expect(read(skippable("") + skippable("a") + frame("a") + skippable("") + frame("b") +
                    skippable(std::string(5000, '\x28'))) == "ab"s);
        expect(read(skippable("")).empty() and read(skippable("x") + skippable("y")).empty());
        expect(read(frame("")).empty());
    };

    "only these are skippable"_test = [&] {
        expect(failure("\x4f\x2a\x4d\x18\0\0\0\0"s).contains("binary"));
        expect(failure("\x60\x2a\x4d\x18\0\0\0\0"s).contains("binary"));
        expect(read("P*M").contains("P*M")) << "text";
    };

    "frames of all kinds in a row are one text"_test = [&] {
        expect(read(frame("a", 1) + frame(text, 19, 0, true) + frame("b", 3, 10) +
                    frame(text, 3, 20) + frame("c", 3, 27)) == "a" + text + "b" + text + "c");
    };

    "a frame that is truncated anywhere fails"_test = [&] {
        for (const auto& whole : {frame("a,b\n1,2\n", 3, 0, true), skippable("some content")})
            for (std::size_t size = 4; size < whole.size(); ++size)
                for (const auto& before : {""s, frame("x"), skippable("")})
                    expect_truncated("zstd", before + whole.substr(0, size));
    };

    "garbage behind the last frame fails, and says where"_test = [&] {
        for (const auto& packed : {frame(text), frame(text) + skippable("x")})
            for (const auto& garbage : {"!"s, "garbage"s, std::string(512, '\0'), member("gzip"),
                                        "\x28\xb5\x2f\xfc"s, "\x60\x2a\x4d\x18"s})
                expect(failure(packed + garbage) ==
                       "garbage after the end of the zstd data, which is " +
                           std::to_string(packed.size()) +
                           " bytes long; compress and upload the file again")
                    << failure(packed + garbage);
    };

    "a wrong checksum, too large a window and a missing dictionary fail, each by name"_test = [&] {
        auto packed = frame(text, 3, 0, true);
        packed.back() = static_cast<char>(packed.back() ^ 1);
        expect(failure(packed).contains("checksum")) << failure(packed);
        expect(failure(frame(text, 3, 28)) ==
               "the zstd data needs a window of more than 128 MiB; compress the file again without "
               "--ultra and --long"s)
            << failure(frame(text, 3, 28));
        std::string trained = little_endian(0xEC30A437) + little_endian(77);
        std::string samples;
        std::vector<std::size_t> sizes;
        for (int i = 0; i < 2000; ++i) {
            const auto sample = "row " + std::to_string(i * 7919) + " of a file\n";
            samples += sample;
            sizes.push_back(sample.size());
        }
        trained.resize(4096);
        trained.resize(ZDICT_trainFromBuffer(trained.data(), trained.size(), samples.data(),
                                             sizes.data(), static_cast<unsigned>(sizes.size())));
        expect(failure(frame(text, 3, 0, false, trained)) ==
               "the zstd data needs a dictionary; compress the file again without one"s)
            << failure(frame(text, 3, 0, false, trained));
    };
};

suite<"limits"> limits = [] {
    const auto unpack = [](const std::string& packed, const bulk::unpack_limits& most) {
        auto text = bulk::text_of(in_pieces(packed, 1000), most);
        std::uint64_t size = 0;
        std::vector<char> part(4096);
        while (text) {
            const auto got = text->read_some(part);
            if (!got) return "failed after " + std::to_string(size) + ": " + got.error().message;
            if (*got == 0) return std::to_string(size) + " bytes";
            size += *got;
        }
        return "refused: " + text.error().message;
    };
    const std::string rows(100'000, 'x');

    "a file that unpacks to more bytes than the limit fails there"_test = [&] {
        for (const auto& packed : {support::gzip(rows), support::zstd(rows)}) {
            expect(unpack(packed, {}) == "100000 bytes"s);
            expect(unpack(packed, {.bytes = 100'000}) == "100000 bytes"s);
            const auto failed = unpack(packed, {.bytes = 50'000});
            expect(
                failed.contains("the file unpacks to more than 50000 bytes, the most that is "
                                "taken; split it, or raise max_unpacked_size"))
                << failed;
        }
        expect(unpack(rows, {.bytes = 10}) == "100000 bytes"s) << "only packed files are meant";
    };

    "a file that unpacks to more times its size than the limit fails, if it is large"_test = [&] {
        for (const auto& packed : {support::gzip(rows), support::zstd(rows)}) {
            expect(unpack(packed, {.ratio = 10}) == "100000 bytes"s) << "small: any ratio";
            const auto failed = unpack(packed, {.ratio = 10, .ratio_from = 20'000});
            expect(failed.contains("the file unpacks to more than 10 times its size (") and
                   failed.contains("or raise max_unpack_ratio"))
                << failed;
            expect(unpack(packed, {.ratio = 100'000, .ratio_from = 1}) == "100000 bytes"s);
        }
    };

    "layers are measured against the file, not against each other"_test = [&] {
        const auto once = support::gzip(std::string(10'000'000, 'x'));
        const auto twice = support::gzip(once);
        expect(once.size() < 12'000_u and twice.size() < 1'000_u);
        const bulk::unpack_limits most{.ratio = 2'000, .ratio_from = 1'000'000};
        expect(unpack(once, most) == "10000000 bytes"s);
        expect(unpack(twice, most).contains("more than 2000 times its size"))
            << unpack(twice, most);
        expect(unpack(twice, {.bytes = 5'000}).contains("more than 5000 bytes"))
            << "the layer between counts, too";
    };
};

/// Any row of parts: what each stands for is known, and so is what the file must give.
suite<"any file"> any_file = [] {
    "parts in any order, whole or not"_test = [] {
        for (std::uint32_t seed = 1; seed <= 300; ++seed) {
            std::mt19937 random{seed};
            const bool is_gzip = random() % 2 == 0;
            std::string packed, expected;
            const auto add = [&] {
                const auto text = some_text(random, random() % 4 == 0 ? 0 : random() % 300);
                if (is_gzip) {
                    packed += member(text, static_cast<unsigned>(random() % 32));
                } else if (random() % 3 == 0) {
                    packed += skippable(text, static_cast<unsigned>(random() % 16));
                    return;
                } else {
                    packed += frame(text, 3, random() % 3 == 0 ? 12 : 0, random() % 2 == 0);
                }
                expected += text;
            };
            for (auto left = 1 + random() % 5; left > 0; --left) add();
            switch (random() % 4) {
                case 0:
                    packed += "!" + some_text(random, random() % 10);
                    expect(failure(packed).starts_with("garbage after the end of the ")) << seed;
                    break;
                case 1: {
                    const auto size = packed.size();
                    add();
                    packed.resize(size + 4 + random() % (packed.size() - size - 4));
                    expect(failure(packed).contains("is truncated")) << seed << failure(packed);
                    break;
                }
                case 2:
                    if (is_gzip) packed += std::string(random() % 100, '\0');
                    [[fallthrough]];
                default:
                    expect(read(packed) == expected) << seed << read(packed).substr(0, 300);
            }
        }
    };
};

}  // namespace

int main() {}
