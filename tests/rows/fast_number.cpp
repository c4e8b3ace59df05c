#include <bulk/rows/fast_number.hpp>

#include <support/ut.hpp>

#include <array>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>

using namespace boost::ut;

namespace {

/// Both ways must agree on whether it is a number and which; the fast one may know fewer.
template <typename T>
void agree(const std::string& text) {
    const std::string padded = text + std::string(64, '7');
    T fast{}, slow{};
    const bool read = bulk::read_fast(padded.data(), padded.data() + text.size(), fast);
    const auto known = bulk::read_number(text, slow);
    if (!read) return;
    expect(fatal(known == bulk::number_error::none)) << text << "is no number";
    expect(std::memcmp(&fast, &slow, sizeof(T)) == 0) << text;
}

template <typename T>
bool reads(const std::string& text) {
    const std::string padded = text + std::string(64, '7');
    T value{};
    return bulk::read_fast(padded.data(), padded.data() + text.size(), value);
}

suite<"fast numbers"> fast_numbers = [] {
    "random text is read as from_chars reads it"_test = [] {
        std::mt19937 random{7};
        constexpr std::string_view letters = "0123456789012345678901234567890123456789.-+e x,";
        for (int seed = 0; seed < 200'000; ++seed) {
            std::string text(random() % 20, ' ');
            for (char& c : text) c = letters[random() % (seed % 3 == 0 ? letters.size() : 41)];
            if (seed % 4 == 0 && !text.empty()) text[0] = '-';
            agree<int>(text);
            agree<std::uint8_t>(text);
            agree<std::int64_t>(text);
            agree<std::uint64_t>(text);
            agree<double>(text);
        }
    };

    "limits of every type"_test = [] {
        for (const auto* text : {"0",
                                 "-0",
                                 "127",
                                 "128",
                                 "-128",
                                 "-129",
                                 "255",
                                 "256",
                                 "32767",
                                 "32768",
                                 "-32769",
                                 "65536",
                                 "2147483647",
                                 "2147483648",
                                 "-2147483648",
                                 "-2147483649",
                                 "4294967295",
                                 "4294967296",
                                 "9999999999999999",
                                 "9007199254740993",
                                 "0.1",
                                 "123456.789",
                                 "1.",
                                 ".5",
                                 "-.5",
                                 "0.30000000000000004",
                                 "1234567890.12345"}) {
            agree<std::int8_t>(text);
            agree<std::uint8_t>(text);
            agree<std::int16_t>(text);
            agree<std::uint16_t>(text);
            agree<std::int32_t>(text);
            agree<std::uint32_t>(text);
            agree<std::int64_t>(text);
            agree<double>(text);
        }
    };

    "what files have is read fast"_test = [] {
        if (!bulk::has_fast_numbers) return;
        expect(reads<int>("0") and reads<int>("-2147483648") and reads<std::uint64_t>("12345678"));
        expect(reads<double>("12.5") and reads<double>("-1234567.25") and reads<double>("3"));
        expect(!reads<int>("") and !reads<int>("-") and !reads<double>("-") and !reads<double>(""));
        bool value = false;
        const std::string text = "true    false   ";
        expect(bulk::read_fast(text.data(), text.data() + 4, value) and value);
        expect(bulk::read_fast(text.data() + 8, text.data() + 13, value) and !value);
        expect(!bulk::read_fast(text.data(), text.data() + 3, value));
    };
};

}  // namespace

int main() {}
