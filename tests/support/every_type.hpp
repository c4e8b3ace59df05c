// A row with a column of every type, and rows of it from seeds, with what is hard to write and to read:
// the ends of every range, every kind of byte, names and texts that mean something in CSV or JSON.
#pragma once

#include <bulk/operation/declare.hpp>
#include <bulk/rows/json/value.hpp>
#include <bulk/rows/to_text.hpp>

#include <glaze/json/generic.hpp>

#include <bit>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace support {

enum class colour : std::uint8_t { red, RED, green, value = 200 };
BOOST_DESCRIBE_ENUM(colour, red, RED, green, value)

/// A type of the user's own, whose text is what its parts make of it.
struct path {
    std::string folder, name;
    bool operator==(const path&) const = default;
};
inline std::string to_text(const path& at) { return at.folder + '\x1f' + at.name; }
inline bulk::result<path> from_text(std::type_identity<path>, std::string_view text) {
    const auto cut = text.find('\x1f');
    if (cut == std::string_view::npos) return bulk::fail("a path has two parts");
    return path{std::string{text.substr(0, cut)}, std::string{text.substr(cut + 1)}};
}

struct place {
    std::string city;
    std::optional<std::int64_t> floor;
    std::vector<double> at;
    std::map<std::string, std::string> more;
    bool operator==(const place&) const = default;
};

struct every_type {
    std::string id;  ///< plain, so that no file begins with what means something there
    std::string text;
    std::optional<std::string> maybe;
    std::int8_t i8 = 0;
    std::int16_t i16 = 0;
    std::int32_t i32 = 0;
    std::int64_t i64 = 0;
    std::uint8_t u8 = 0;
    std::uint16_t u16 = 0;
    std::uint32_t u32 = 0;
    std::uint64_t u64 = 0;
    std::optional<std::int64_t> number = 7;
    float single = 0;
    double real = 0;
    std::optional<double> ratio;
    bool flag = false;
    std::optional<bool> decided;
    colour paint = colour::red;
    std::optional<colour> second;
    bulk::decimal<0> whole;
    bulk::decimal<2> price;
    std::optional<bulk::decimal<18>> fine;
    bulk::uuid key{};
    std::chrono::year_month_day day{std::chrono::sys_days{}};
    std::chrono::sys_days other_day{};
    std::optional<std::chrono::sys_days> written_day;
    std::chrono::sys_seconds second_of_day{};
    std::chrono::sys_time<std::chrono::milliseconds> milli{};
    std::optional<std::chrono::sys_time<std::chrono::nanoseconds>> nano;
    std::optional<std::chrono::sys_time<std::chrono::minutes>> minute;
    bulk::pii<std::string> secret;
    std::optional<bulk::pii<std::int32_t>> pin;
    path file;
    bulk::json::value<place> home;
    std::optional<bulk::json::value<std::vector<std::string>>> tags;
    std::optional<bulk::json::value<std::string>> label;
    bulk::json::value<glz::generic> any;
    bulk::json::value<glz::raw_json> raw;
    std::string city;
    std::string odd;
};
BULK_ROW(every_type, id, text, maybe, i8, i16, i32, i64, u8, u16, u32, u64, number, single, real,
         ratio, flag, decided, paint, second, whole, price, fine, key, day, other_day,
         (written_day, .format = "%d.%m.%Y"), second_of_day, milli, nano,
         (minute, .format = "%Y%m%d %H%M"), secret, pin, file, home, tags, label, any, raw,
         (city, .column = "address.city"),
         (odd, .column = "Gr\xc3\xb6\xc3\x9f"
                         "e, \"ca.\"; in\t%"));

/// The members as texts, with the sign of zero and without what hides: two rows are equal when these
/// are.
inline std::vector<std::string> members_of(const every_type& row) {
    std::vector<std::string> all;
    const auto add = [&]<typename T>(auto& self, const T& member) -> void {
        if constexpr (bulk::is_optional<T>) {
            if (member)
                self(self, *member);
            else
                all.push_back("none");
        } else if constexpr (bulk::is_pii<T>) {
            self(self, member.reveal());
        } else if constexpr (std::floating_point<T>) {
            all.push_back(std::to_string(
                std::bit_cast<std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>(
                    member)));
        } else {
            using bulk::to_text;
            all.push_back('=' + std::string{to_text(member)});
        }
    };
    bulk::for_each_pointer(bulk::columns_of<every_type>,
                           [&]<auto Pointer>(std::size_t) { add(add, row.*Pointer); });
    return all;
}

/// Values from a seed.
class row_maker {
public:
    explicit row_maker(std::uint64_t seed) : random_{seed} {}

    std::uint64_t below(std::uint64_t end) { return random_() % end; }
    bool one_in(std::uint64_t chances) { return below(chances) == 0; }

    /// Valid UTF-8 with everything that somebody might trip over.
    std::string text() {
        using namespace std::string_view_literals;
        static constexpr std::string_view pieces[] = {"a"sv,
                                                      "0"sv,
                                                      " "sv,
                                                      "\t"sv,
                                                      "\n"sv,
                                                      "\r"sv,
                                                      "\r\n"sv,
                                                      "\""sv,
                                                      "'"sv,
                                                      "\"\""sv,
                                                      ","sv,
                                                      ";"sv,
                                                      "|"sv,
                                                      "#"sv,
                                                      "\\"sv,
                                                      "/"sv,
                                                      "\\n"sv,
                                                      "\\u0041"sv,
                                                      "\\ud800"sv,
                                                      "{"sv,
                                                      "}"sv,
                                                      "["sv,
                                                      "]"sv,
                                                      ":"sv,
                                                      "null"sv,
                                                      "true"sv,
                                                      "\0"sv,
                                                      "\x01"sv,
                                                      "\b"sv,
                                                      "\f"sv,
                                                      "\x1f"sv,
                                                      "\x7f"sv,
                                                      "\xc2\x80"sv,
                                                      "\xc3\xa9"sv,
                                                      "\xdf\xbf"sv,
                                                      "\xe0\xa0\x80"sv,
                                                      "\xe2\x80\xa8"sv,
                                                      "\xe2\x80\xa9"sv,
                                                      "\xe2\x82\xac"sv,
                                                      "\xed\x9f\xbf"sv,
                                                      "\xee\x80\x80"sv,
                                                      "\xef\xbb\xbf"sv,
                                                      "\xef\xbf\xbd"sv,
                                                      "\xef\xbf\xbf"sv,
                                                      "\xf0\x90\x80\x80"sv,
                                                      "\xf0\x9f\x98\x80"sv,
                                                      "\xf4\x8f\xbf\xbf"sv,
                                                      "=1+1"sv,
                                                      "***"sv,
                                                      "\x1f\x8b"sv.substr(0, 1)};
        std::string made;
        if (one_in(40)) made.assign(below(300), "ab\x01\""[below(4)]);
        for (auto left = one_in(3) ? 0 : below(20); left > 0; --left)
            made += pieces[below(std::size(pieces))];
        return made;
    }

    template <typename T>
    T whole() {
        using limits = std::numeric_limits<T>;
        switch (below(6)) {
            case 0:
                return limits::max();
            case 1:
                return limits::min();
            case 2:
                return 0;
            case 3:
                return static_cast<T>(limits::max() - static_cast<T>(below(3)));
            default:
                return static_cast<T>(static_cast<std::int64_t>(random_() >> below(64)) *
                                      (one_in(2) ? -1 : 1));
        }
    }

    template <typename T>
    T real() {
        using limits = std::numeric_limits<T>;
        const T special[] = {T{0},
                             -T{0},
                             limits::max(),
                             limits::lowest(),
                             limits::min(),
                             limits::denorm_min(),
                             -limits::denorm_min(),
                             std::nextafter(limits::min(), T{0}),
                             limits::epsilon(),
                             T{0.1F},
                             T{1} / 3,
                             static_cast<T>(1e22),
                             static_cast<T>(9007199254740993.0)};
        if (one_in(2)) return special[below(std::size(special))];
        const T any = [&] {
            if constexpr (sizeof(T) == 4)
                return std::bit_cast<T>(static_cast<std::uint32_t>(random_()));
            else
                return std::bit_cast<T>(random_());
        }();
        return std::isfinite(any) ? any : static_cast<T>(below(100'000)) / 100;
    }

    /// From the first to the last day that a file can hold.
    std::chrono::sys_days day() {
        using namespace std::chrono;
        constexpr auto first = sys_days{year{0} / January / 1},
                       last = sys_days{year{9999} / December / 31};
        if (one_in(4)) return first;
        if (one_in(4)) return last;
        return first + days{below(static_cast<std::uint64_t>((last - first).count()) + 1)};
    }

    template <typename Duration>
    std::chrono::sys_time<Duration> moment() {
        using namespace std::chrono;
        using time = sys_time<Duration>;
        if constexpr (std::same_as<Duration, nanoseconds>) {  // to the ends of its own range
            if (one_in(4)) return time::max();
            if (one_in(4)) return time::min();
            return time{Duration{static_cast<std::int64_t>(random_())}};
        } else {
            const auto units = static_cast<std::uint64_t>(floor<Duration>(days{1}).count());
            if (one_in(3)) return time{day()} + floor<Duration>(days{1}) - Duration{1};
            return time{day()} + Duration{below(units)};
        }
    }

    template <typename Make>
    auto maybe(Make make) {
        using type = decltype(make());
        return one_in(3) ? std::optional<type>{} : std::optional<type>{make()};
    }

    /// Any JSON, as a text of one line.
    std::string json(int depth = 0) {
        static constexpr std::string_view words[] = {"null",
                                                     "true",
                                                     "0",
                                                     "-0",
                                                     "-0.0",
                                                     "1.50",
                                                     "1E+2",
                                                     "5e-324",
                                                     "9007199254740993",
                                                     "-9223372036854775808",
                                                     "18446744073709551615",
                                                     "123456789012345678901234567890123456789.125",
                                                     "\"\"",
                                                     "\"\\ud83d\\ude00\\u0000\"",
                                                     "{}",
                                                     "[]",
                                                     "\"\\/\""};
        if (depth > 4 || one_in(2)) return std::string{words[below(std::size(words))]};
        const bool is_object = one_in(2);
        std::string made{is_object ? '{' : '['};
        for (auto left = below(4); left > 0; --left) {
            if (made.size() > 1) made += one_in(2) ? "," : ", ";
            if (is_object) {
                bulk::json::write_string(made, text());
                made += ':';
            }
            made += json(depth + 1);
        }
        return made + (is_object ? '}' : ']');
    }

    template <typename T>
    bulk::json::value<T> any() {
        return from_text(std::type_identity<bulk::json::value<T>>{}, json()).value();
    }

    std::string folder() {
        auto made = text();
        std::erase(made, '\x1f');
        return made;
    }

    every_type row(std::uint64_t number) {
        using namespace std::chrono;
        every_type row;
        row.id = "row " + std::to_string(number) + " of a file that begins with plain text";
        row.text = text();
        row.maybe = maybe([&] { return text(); });
        row.i8 = whole<std::int8_t>();
        row.i16 = whole<std::int16_t>();
        row.i32 = whole<std::int32_t>();
        row.i64 = whole<std::int64_t>();
        row.u8 = whole<std::uint8_t>();
        row.u16 = whole<std::uint16_t>();
        row.u32 = whole<std::uint32_t>();
        row.u64 = whole<std::uint64_t>();
        row.number = maybe([&] { return whole<std::int64_t>(); });
        row.single = real<float>();
        row.real = real<double>();
        row.ratio = maybe([&] { return real<double>(); });
        row.flag = one_in(2);
        row.decided = maybe([&] { return one_in(2); });
        const auto paint = [&] { return bulk::enumerators_of<colour>[below(4)].value; };
        row.paint = paint();
        row.second = maybe(paint);
        row.whole.units = whole<std::int64_t>();
        row.price.units = whole<std::int64_t>();
        row.fine = maybe([&] { return bulk::decimal<18>{whole<std::int64_t>()}; });
        row.key = {random_(), random_()};
        row.day = day();
        row.other_day = day();
        row.written_day = maybe([&] { return day(); });
        row.second_of_day = moment<seconds>();
        row.milli = moment<milliseconds>();
        row.nano = maybe([&] { return moment<nanoseconds>(); });
        row.minute = maybe([&] { return moment<minutes>(); });
        row.secret = bulk::pii{text()};
        row.pin = maybe([&] { return bulk::pii{whole<std::int32_t>()}; });
        row.file = {folder(), text()};
        place home;
        home.city = text();
        home.floor = maybe([&] { return whole<std::int64_t>(); });
        for (auto left = below(3); left > 0; --left) {
            home.at.push_back(real<double>());
            home.more[text()] = text();
        }
        row.home = home;
        row.tags = maybe([&] {
            std::vector<std::string> tags(below(3));
            for (auto& each : tags) each = text();
            return bulk::json::value{std::move(tags)};
        });
        row.label = maybe([&] { return bulk::json::value{text()}; });
        row.any = any<glz::generic>();
        row.raw = any<glz::raw_json>();
        row.city = text();
        row.odd = text();
        return row;
    }

private:
    std::mt19937_64 random_;
};

}  // namespace support
