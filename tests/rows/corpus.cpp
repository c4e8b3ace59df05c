// Every file of tests/corpus, read as a user would, against what is written down beside it. The
// names say what must come out: y_ is read whole, r_ has bad rows, n_ fails. `corpus FOLDER --write`
// writes down what comes out.
#include <bulk/operation/declare.hpp>
#include <bulk/rows/open.hpp>
#include <bulk/rows/to_text.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace {

enum class colour : std::uint8_t { red, green };
BOOST_DESCRIBE_ENUM(colour, red, green)

struct entry {
    int id = 0;
    std::string name;
    std::optional<double> amount;
    std::optional<colour> paint;
    std::optional<std::chrono::sys_days> day;
    std::optional<bulk::pii<std::string>> secret;
};
BULK_ROW(entry, id, name, (amount, .required = false), (paint, .column = "colour"), day, secret);

std::string read(const std::string& path) {
    auto rows = bulk::open_rows<entry>(path, {.limits = {.field_bytes = 1000, .row_bytes = 8000}});
    if (!rows) return "refused: " + rows.error().message.substr(path.size() + 2) + '\n';
    std::string all = "format: " + std::string{rows->format()} + '\n';
    entry row;
    while (true) {
        switch (rows->next(row)) {
            case bulk::read_status::row:
                all += std::to_string(to_number(rows->row())) + " @" +
                       std::to_string(rows->line()) + ": " + std::to_string(row.id) + " '" +
                       row.name + '\'';
                if (row.amount) all += " amount " + bulk::to_text(*row.amount);
                if (row.paint) all += " colour " + bulk::to_text(*row.paint);
                if (row.day) all += " day " + bulk::to_text(*row.day);
                if (row.secret) all += " secret " + bulk::to_text(*row.secret);
                all += '\n';
                break;
            case bulk::read_status::bad_row:
                all += std::to_string(to_number(rows->problem().row)) +
                       " bad: " + to_text(rows->problem()) + '\n';
                break;
            case bulk::read_status::end:
                return all;
            case bulk::read_status::failure:
                return all + "failed: " + rows->error().message + '\n';
        }
    }
}

std::string content_of(const std::filesystem::path& path) {
    std::ifstream file{path, std::ios::binary};
    return {std::istreambuf_iterator<char>{file}, {}};
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2) return 2;
    const bool write = argc > 2 && std::string_view{argv[2]} == "--write";
    std::vector<std::filesystem::path> files;
    for (const auto& file : std::filesystem::directory_iterator{argv[1]})
        if (file.path().extension() != ".out") files.push_back(file.path());
    std::ranges::sort(files);
    int failed = 0;
    for (const auto& file : files) {
        const std::string name = file.filename().string();
        const std::string got = read(file.string());
        const auto expected = file.parent_path() / (name + ".out");
        if (write) std::ofstream{expected, std::ios::binary} << got;
        const bool fails = got.starts_with("refused: ") || got.contains("\nfailed: ");
        const bool is_as_named = name.starts_with("n_")   ? fails
                                 : name.starts_with("r_") ? !fails && got.contains(" bad: ")
                                                          : !fails && !got.contains(" bad: ");
        if (is_as_named && got == content_of(expected)) continue;
        std::printf("%s gives\n%sinstead of\n%s\n", name.c_str(), got.c_str(),
                    content_of(expected).c_str());
        ++failed;
    }
    std::printf("%zu files, %d of them otherwise than written down\n", files.size(), failed);
    return failed == 0 && files.size() > 50 ? 0 : 1;
}
