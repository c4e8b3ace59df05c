// What is checked, by whom, in which order, and what becomes of what is refused.
#include <support/packing.hpp>
#include <support/stage.hpp>
#include <support/user.hpp>
#include <support/ut.hpp>

#include <chrono>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>

using namespace boost::ut;
using namespace std::chrono_literals;
using namespace std::string_literals;
using bulk::operation_state, bulk::row_state;
using support::now_playing, support::number, support::numbers, support::script, support::user;

namespace {

struct request {
    std::string by;
    std::optional<int> youngest;
};
BULK_METADATA(request, (by, .required = false), youngest);

/// Says what it was asked, and refuses what has its name in it.
template <char Name>
struct validator {
    bulk::result<> validate(const request& asked) {
        now_playing->note("m"s + Name);
        return answer(asked.by);
    }
    bulk::result<> validate(const user& row, const request&) {
        now_playing->note(row.email + Name);
        return answer(row.email);
    }
    static bulk::result<> answer(const std::string& text) {
        if (text.contains(Name)) return bulk::fail("refused by "s + Name);
        if (text.contains(static_cast<char>(Name - 'a' + 'A')))
            throw std::runtime_error{"thrown by "s + Name};
        return {};
    }
};

struct metadata_only {
    void validate(const request&) { now_playing->note("only"); }
};

struct import_users : bulk::operation<import_users, user, request> {
    BULK_OPERATION("import-users", .track_row_data = true)
    import_users() { now_playing->note("made"); }

    auto validators() { return std::tuple{validator<'x'>{}, metadata_only{}, validator<'y'>{}}; }
    bulk::result<> validate(const request& asked) { return validator<'z'>{}.validate(asked); }
    bulk::result<> validate(const user& row, const request& asked) {
        if (row.age < asked.youngest.value_or(0)) return bulk::fail("too young");
        return validator<'z'>{}.validate(row, asked);
    }
    void process(const user& row, const request&, bulk::context&) {
        now_playing->note("run-" + row.email);
    }
};

struct unchecked : bulk::operation<unchecked, number> {
    BULK_OPERATION("unchecked")
    void process(const number&, const bulk::no_metadata&, bulk::context&) {}
};

using stage = support::stage<bulk::operation_list<import_users, support::pipeline, unchecked>>;

bulk::operation_record import(stage& on, const std::string& rows, std::string metadata = "") {
    return on.run("email,age\n" + rows, "import-users", {.metadata = std::move(metadata)});
}

suite<"metadata"> of_metadata = [] {
    "validators are asked as listed, then the operation, all of them once"_test = [] {
        script play;
        stage on;
        (void)import(on, "");
        expect(play.calls == "made mx only my mz "s) << play.calls;
    };

    "the first that refuses counts, and nobody is asked any more"_test = [] {
        script play;
        stage on;
        const auto done = import(on, "a,1\n", R"({"by":"yz"})");
        expect(done.state == operation_state::failed and done.error_message == "refused by y"s);
        expect(play.calls == "made mx only my "s) << play.calls;
    };

    "what a validator throws is its reason"_test = [] {
        script play;
        stage on;
        expect(import(on, "", R"({"by":"X"})").error_message == "thrown by x"s);
        expect(import(on, "", R"({"by":"Z"})").error_message == "thrown by z"s);
    };

    "nothing, blanks and an empty object are all the same"_test = [] {
        script play;
        stage on;
        for (const auto* metadata : {"", " \n", "{}", R"({"by":""})"})
            expect(import(on, "a,1\n", metadata).state == operation_state::completed) << metadata;
    };

    "what is no object, or cannot be read, is refused before anything is kept"_test = [] {
        script play;
        stage on;
        for (const auto* metadata :
             {"null", "[]", "7", "{", R"({"youngest":"x"})", R"({"by":{}})"}) {
            const auto id = on.service->create("import-users", support::text("email,age\n"),
                                               {.metadata = metadata});
            expect(fatal(!id.has_value())) << metadata;
            expect(id.error().code == bulk::errc::invalid_argument) << metadata;
        }
        expect(on.service->query(bulk::operation_query{}).value().total == 0_u);
    };
};

suite<"rows"> of_rows = [] {
    "validators are asked as listed, then the operation, the first that refuses counts"_test = [] {
        script play;
        stage on;
        const auto done = import(on, "ok,1\nx,1\ny,1\nz,1\n");
        expect(play.calls.starts_with("made mx only my mz okx oky okz xx yx yy zx zy zz "))
            << play.calls;
        expect(on.errors(done.id) ==
               "2 validation: refused by x\n"
               "3 validation: refused by y\n"
               "4 validation: refused by z\n"s);
    };

    "what a validator throws is a validation error of that row, with its own text"_test = [] {
        script play;
        play.validate = [](const number& row) -> bulk::result<> {
            if (row.value == 1) throw std::runtime_error{"thrown"};
            if (row.value == 2) throw 7;
            return {};
        };
        stage on;
        const auto done = on.run(numbers(3));
        expect(on.errors(done.id) ==
               "1 validation: thrown\n"
               "2 validation: something was thrown that is no std::exception\n"s);
        expect(done.rows.successful == 1_u);
    };

    "the metadata is at hand"_test = [] {
        script play;
        stage on;
        const auto done = import(on, "a,17\nb,18\n", R"({"youngest":18})");
        expect(on.errors(done.id) == "1 validation: too young\n"s);
    };

    "every row is validated before any row runs, and a refused one never does"_test = [] {
        for (const int concurrency : {1, 3}) {
            script play;
            stage on({.max_row_concurrency = concurrency});
            (void)import(on, "a,1\nx,1\nb,1\nc,y\nd,1\n");
            const auto first_run = play.calls.find("run-");
            for (const auto* last : {"az ", "xx ", "bz ", "dz "})
                expect(play.calls.find(last) < first_run) << play.calls;
            for (const auto* row : {"run-a ", "run-b ", "run-d "})
                expect(play.calls.contains(row)) << play.calls;
            expect(!play.calls.contains("run-x") and !play.calls.contains("run-c"));
            expect(!play.calls.contains("cx")) << "what cannot be read is not validated";
        }
    };

    "a file that is unreadable at its end fails before any row runs"_test = [] {
        std::string csv = "email,age\n", array;
        for (int i = 0; i < 20'000; ++i) {
            csv += "a" + std::to_string(i) + ",1\n";
            array +=
                (i == 0 ? "[" : ",\n") + R"({"email":"a)"s + std::to_string(i) + R"(","age":1})";
        }
        const auto gzip = support::gzip(csv), zstd = support::zstd(csv);
        struct unreadable {
            std::string name, content, reason;
        };
        const unreadable files[] = {
            {"n.csv.gz", gzip + "garbage",
             "garbage after the end of the gzip data, which is " + std::to_string(gzip.size()) +
                 " bytes long"},
            {"n.csv.gz", gzip.substr(0, gzip.size() - 1), "the gzip data is truncated"},
            {"n.csv.zst", zstd + "garbage",
             "garbage after the end of the zstd data, which is " + std::to_string(zstd.size()) +
                 " bytes long"},
            {"n.csv.zst", zstd.substr(0, zstd.size() - 1), "the zstd data is truncated"},
            {"n.json", array, "the array is never closed"},
            {"n.json", array + "] garbage", "text behind the array"}};
        for (const auto& [name, content, reason] : files)
            for (const int concurrency : {1, 3}) {
                script play;
                stage on({.max_row_concurrency = concurrency});
                const auto id =
                    on.service->create("import-users", support::text(content, name), {}).value();
                const auto done = on.finish(id);
                expect(done.state == operation_state::failed);
                expect(done.error_message.contains(reason)) << done.error_message;
                expect(!play.calls.contains("run-")) << reason;
                expect(done.rows.successful == 0_u);
            }
    };

    "an operation need not validate anything"_test = [] {
        stage on;
        const auto done = on.run("value\n1\n2\nx\n", "unchecked");
        expect(done.rows.successful == 2_u);
        expect(on.record(done.id, 2, -1)->state == row_state::completed);
    };

    "one object serves all rows of a run, and the next run has its own"_test = [] {
        script play;
        stage on;
        (void)import(on, "a,1\nb,1\nc,1\n");
        expect(play.calls.find("made") == play.calls.rfind("made"));
        (void)import(on, "a,1\n");
        expect(play.calls.find("made") != play.calls.rfind("made"));
    };
};

suite<"records"> records = [] {
    "a valid row's validation is recorded as completed before any row runs"_test = [] {
        script play;
        stage on;
        bulk::operation_id id;
        play.first = [&](const number&, bulk::context&) {
            for (std::uint64_t row = 1; row <= 3; ++row) {
                const auto record = on.record(id, row, -1);
                expect(fatal(record.has_value()));
                expect(record->state == row_state::completed and record->attempt == 1_u);
            }
            play.note("looked");
            return bulk::outcome::done();
        };
        id = on.create(numbers(3));
        (void)on.finish(id);
        expect(play.calls.starts_with("looked"));
    };

    "a refused row has a failed validation, and no record of a step"_test = [] {
        script play;
        stage on;
        const auto done = import(on, "x,1\n");
        const auto record = on.record(done.id, 1, -1).value();
        expect(record.state == row_state::failed);
        expect(record.failure == bulk::error_type::validation);
        expect(record.error_message == "refused by x"s and record.completed_at.has_value());
        expect(!on.record(done.id, 1, 0).has_value());
    };

    "validation keeps its record when a step fails"_test = [] {
        script play;
        play.first = [](const number&, bulk::context&) { return bulk::outcome::fail("no"); };
        stage on;
        const auto done = on.run(numbers(1));
        expect(on.record(done.id, 1, -1)->state == row_state::completed);
        expect(on.record(done.id, 1, 0)->state == row_state::failed);
        expect(!on.record(done.id, 1, 1).has_value());
    };

    "rows are found by their own key, refused or not"_test = [] {
        script play;
        stage on;
        const auto done = import(on, "ann@a,1\nx@a,1\nbob@b,1\n");
        const auto found =
            on.service->query(bulk::row_query{.operation = done.id, .row_id_contains = "@A"});
        expect(found.value().total == 3_u);
        expect(on.record(done.id, 2, -1)->row_id == "x@a"s);
    };

    "the row id is read from JSON and NDJSON as from CSV"_test = [] {
        script play;
        stage on;
        const auto row_ids_of = [&](std::string content, const std::string& file_name) {
            const auto id = on.service
                                ->create("import-users",
                                         support::text(std::move(content), "users." + file_name))
                                .value();
            (void)on.finish(id);
            std::string all;
            for (std::uint64_t row = 1; row <= 3; ++row) {
                const auto record = on.record(id, row, -1);
                expect(fatal(record.has_value())) << file_name;
                all += record->row_id + ' ';
            }
            const auto found =
                on.service->query(bulk::row_query{.operation = id, .row_id_contains = "@A"});
            return all + std::to_string(found.value().total);
        };
        // The second row is refused by a validator; the third cannot be read.
        const auto wanted = "ann@a x@a  3"s;  // two records of the first row, one of the second
        expect(row_ids_of("email,age\nann@a,1\nx@a,1\nbob@a,old\n", "csv") == wanted);
        expect(row_ids_of(R"({"age":1,"email":"ann@a"}
{"EMAIL":"x\u0040a","age":1}
{"email":"bob@a","age":"old"}
)",
                          "ndjson") == wanted);
        expect(row_ids_of(R"([{"email":"ann@a","age":1},{"email":"x@a","age":1},
                              {"email":"bob@a","age":"old"}])",
                          "json") == wanted);
    };

    "row data is kept where the operation says so, and only there"_test = [] {
        script play;
        stage on;
        auto done = import(on, "a,1\nx,2\nb,old\n");
        expect(on.record(done.id, 1, -1)->row_data == R"({"email":"a","age":1})"s);
        expect(on.record(done.id, 2, -1)->row_data == R"({"email":"x","age":2})"s);
        expect(on.record(done.id, 3, -1)->row_data.empty()) << "it was never read";
        done = on.run(numbers(1));
        expect(on.record(done.id, 1, -1)->row_data.empty());
    };

    "a bad cell is told with line, column, cell and reason, and never to a validator"_test = [] {
        script play;
        play.validate = [&](const number& row) {
            play.note(row);
            return bulk::result<>{};
        };
        stage on;
        const auto done = on.run("value\n1\n2x\n\n3\n");
        expect(on.errors(done.id) ==
               "2 parse: line 3, column 'value', '2x': it is not a whole number\n"s);
        expect(play.calls == "1 3 "s) << play.calls;
    };
};

}  // namespace

int main() {}
