#include <bulk/bulk.hpp>
#include <bulk/core/uuid.hpp>
#include <bulk/service/error_groups.hpp>
#include <bulk/service/export.hpp>
#include <bulk/service/template_text.hpp>

#include <support/faulty_storage.hpp>
#include <support/ut.hpp>

#include <algorithm>
#include <chrono>
#include <functional>
#include <latch>
#include <memory>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

using namespace boost::ut;
using namespace std::chrono_literals;
using namespace std::string_literals;
using bulk::export_format;
using bulk::export_kind;
using bulk::export_rows;

namespace {

struct person {
    std::string email;
    int age = 0;
    bulk::pii<std::string> phone;
    std::optional<std::string> note;
};
BULK_ROW(person, (email, .row_id = true), (age, .column = "Age"), phone, note);

struct import_people : bulk::operation<import_people, person> {
    BULK_OPERATION("import-people")
    bulk::result<> validate(const person& p, const bulk::no_metadata&) {
        if (p.age < 0) return bulk::fail("nobody is " + std::to_string(p.age) + " years old");
        return {};
    }
    BULK_STEP(check, "Check", .order = 1)
    (const person& p, const bulk::no_metadata&, bulk::context&)->bulk::result<> {
        if (p.email.contains("bad")) return bulk::fail("=no '" + p.email + "'");
        return {};
    }
    BULK_STEP(send, "Send", .order = 2)
    (const person& p, const bulk::no_metadata&, bulk::context&)->bulk::result<> {
        if (p.email.contains("bounce")) return bulk::fail("it came back");
        return {};
    }
};

struct number {
    int value = 0;
    std::optional<std::string> text;
};
BULK_ROW(number, value, text);

std::function<void(int)> on_number;

struct tracked : bulk::operation<tracked, number> {
    BULK_OPERATION("tracked", .track_row_data = true)
    bulk::result<> validate(const number& n, const bulk::no_metadata&) {
        if (n.value == 13) return bulk::fail("13 is not a number");
        return {};
    }
    bulk::result<> process(const number& n, const bulk::no_metadata&, bulk::context&) {
        if (on_number) on_number(n.value);
        if (n.value % 2 == 0) return bulk::fail("it is even");
        return {};
    }
};

struct secret {
    std::string name;
    bulk::pii<int> pin;
};
BULK_ROW(secret, (name, .column = "State"), pin);

struct tracked_secrets : bulk::operation<tracked_secrets, secret> {
    BULK_OPERATION("tracked-secrets", .track_row_data = true)
    void process(const secret&, const bulk::no_metadata&, bulk::context&) {}
};

constexpr auto known = bulk::operations<import_people, tracked, tracked_secrets>;

bulk::upload text(std::string content, std::string name) {
    auto kept = std::make_shared<std::string>(std::move(content));
    return {.name = std::move(name), .bytes = bulk::byte_source{std::string_view{*kept}, kept}};
}

/// A service that has run some files.
struct world {
    bulk::memory::storage storage{};
    bulk::read_options reading{};
    int concurrency = 2;
    bulk::service service{known, storage, {.max_row_concurrency = concurrency}, reading};

    explicit world(const bulk::read_options& options = {}, int rows_at_once = 2)
        : reading{options}, concurrency{rows_at_once} {}

    bulk::operation_record run(std::string_view operation, std::string content,
                               std::string name = "people.csv") {
        const auto id = service.create(operation, text(std::move(content), std::move(name)));
        expect(fatal(id.has_value())) << id.error().message;
        return service.wait(*id, 2min).value();
    }

    /// The whole export, or its error.
    std::string write(const bulk::operation_record& of, const bulk::export_options& options) {
        std::string all;
        auto written = bulk::export_operation(known, storage, of.id, options, reading,
                                              [&](std::string_view part) {
                                                  all += part;
                                                  return bulk::result<>{};
                                              });
        if (!written) return "error: " + written.error().message;
        last = *written;
        return all;
    }

    bulk::export_summary last{};
};

/// Times replaced, since no two runs have the same.
std::string timeless(std::string report) {
    for (std::size_t at = 0; (at = report.find("202", at)) != std::string::npos;) {
        const auto end = report.find('Z', at);
        if (end == std::string::npos || end - at > 30) {
            ++at;
            continue;
        }
        report.replace(at, end - at + 1, "T");
    }
    return report;
}

constexpr const char* people =
    "email,Age,phone,extra,note\n"
    "a@x,30,0170,\"1,2\",\n"
    "bad@x,-0,0171,\"say \"\"hi\"\"\",\"two\nlines\"\n"
    "c@x,old,0172,,\n"
    "d@x,-5,0173,x,=1+1\n"
    "short\n"
    "bounce@x,31,0174,,@sum\n";

suite<"reports"> reports = [] {
    "whatever a spreadsheet would compute is guarded, and nothing else"_test = [] {
        world w;
        for (char c = 1; c < 127; ++c) {
            if (c == '"' || c == ',') continue;  // the file would say something else
            const auto done = w.run("tracked", "value,text\n1,\"" + std::string{c} + "1\"\n");
            const bool is_guarded = "=+-@\t\r\n"s.contains(c);
            const auto report = w.write(done, {});
            expect(report.contains((is_guarded ? "'"s : ""s) + c + '1') and
                   report.contains("'"s + c + '1') == is_guarded)
                << static_cast<int>(c) << report;
        }
    };

    "one line a row, with its last record, refused and unreadable rows included"_test = [] {
        world w;
        const auto done = w.run("import-people", people);
        const auto report = timeless(w.write(done, {}));
        expect(
            report ==
            "row,row_id,state,step,step_index,error_type,error_message,attempts,retry_attempt,"
            "started_at,completed_at,email,Age,phone,note\n"
            "1,a@x,completed,Send,1,,,1,0,T,T,a@x,30,***,\n"
            "2,bad@x,failed,Check,0,step_failure,'=no 'bad@x',1,0,T,T,bad@x,0,***,\"two\n"
            "lines\"\n"
            "3,,failed,validation,-1,parse,\"line 5, column 'Age', 'old': it is not a whole "
            "number\",1,0,T,T,,,,\n"
            "4,d@x,failed,validation,-1,validation,nobody is -5 years old,1,0,T,T,d@x,-5,***,"
            "'=1+1\n"
            "5,,failed,validation,-1,parse,line 7: the row has 1 fields; 5 are expected,1,0,T,T,"
            ",,,\n"
            "6,bounce@x,failed,Send,1,step_failure,it came back,1,0,T,T,bounce@x,31,***,'@sum\n"s)
            << report;
        expect(w.last.rows == 6_u and w.last.left_out == 0_u);
        expect(w.last.file_name == "people-report.csv"s) << w.last.file_name;
        expect(w.last.content_type == "text/csv; charset=utf-8"s);
    };

    "as JSON and NDJSON, with the columns in an object of their own"_test = [] {
        world w;
        const auto done = w.run("import-people", people);
        const auto lines = timeless(w.write(done, {.format = export_format::ndjson}));
        expect(lines.starts_with(
            R"({"row":1,"row_id":"a@x","state":"completed","step":"Send","step_index":1,)"
            R"("error_type":null,"error_message":null,"attempts":1,"retry_attempt":0,)"
            R"("started_at":"T","completed_at":"T",)"
            R"("data":{"email":"a@x","Age":30,"phone":"***","note":null}})"
            "\n"))
            << lines;
        expect(lines.contains(R"("data":null)")) << "of unreadable rows";
        expect(!lines.contains("017"));
        expect(w.last.content_type == "application/x-ndjson"s);
        const auto array = timeless(
            w.write(done, {.format = export_format::json, .only = {bulk::row_number{99}}}));
        expect(array == "[]\n"s) << array;
        const auto two = w.write(done, {.format = export_format::json, .step = "send"});
        expect(two.starts_with("[\n{\"row\":1,") and two.contains("},\n{\"row\":6,") and
               two.ends_with("}\n]\n"))
            << two;
    };

    "a column named as one of the report's gets a name of its own"_test = [] {
        world w;
        const auto done = w.run("tracked-secrets", "State,pin\nx,1\n");
        const auto report = timeless(w.write(done, {}));
        expect(report.contains("completed_at,data.State,pin\n")) << report;
        expect(report.ends_with(",x,***\n")) << report;
    };

    "in BulkSharp's spelling: its columns, states and failures, and no other"_test = [] {
        world w;
        const auto done = w.run("import-people", people);
        const auto report = timeless(w.write(done, {.spelling = bulk::report_spelling::bulksharp}));
        expect(
            report ==
            "RowNumber,RowId,State,StepName,StepIndex,ErrorType,ErrorMessage,RetryAttempt,"
            "CreatedAt,CompletedAt,email,Age,phone,note\n"
            "1,a@x,Completed,Send,1,,,0,T,T,a@x,30,***,\n"
            "2,bad@x,Failed,Check,0,StepFailure,'=no 'bad@x',0,T,T,bad@x,0,***,\"two\n"
            "lines\"\n"
            "3,,Failed,validation,-1,Validation,\"line 5, column 'Age', 'old': it is not a whole "
            "number\",0,T,T,,,,\n"
            "4,d@x,Failed,validation,-1,Validation,nobody is -5 years old,0,T,T,d@x,-5,***,"
            "'=1+1\n"
            "5,,Failed,validation,-1,Validation,line 7: the row has 1 fields; 5 are expected,0,T,"
            "T,,,,\n"
            "6,bounce@x,Failed,Send,1,StepFailure,it came back,0,T,T,bounce@x,31,***,'@sum\n"s)
            << report;
        const auto lines = timeless(w.write(
            done, {.format = export_format::json, .spelling = bulk::report_spelling::bulksharp}));
        expect(lines.starts_with(
            "[\n"
            R"({"RowNumber":1,"RowId":"a@x","State":"Completed","StepName":"Send","StepIndex":1,)"
            R"("ErrorType":null,"ErrorMessage":null,"RetryAttempt":0,"CreatedAt":"T",)"
            R"("CompletedAt":"T","email":"a@x","Age":30,"phone":"***","note":null})"))
            << lines;
        expect(lines.contains(R"("RowNumber":3,"RowId":null,"State":"Failed")")) << lines;
        const auto secret = w.run("tracked-secrets", "State,pin\nx,1\n");
        const auto taken = w.write(
            secret, {.format = export_format::json, .spelling = bulk::report_spelling::bulksharp});
        expect(taken.contains(R"("data.State":"x","pin":"***"})")) << taken;
    };
};

suite<"filters"> filters = [] {
    const auto rows_of = [](world& w, const bulk::operation_record& of,
                            bulk::export_options options) {
        options.format = export_format::ndjson;
        const auto all = w.write(of, options);
        if (all.starts_with("error")) return all;
        std::string rows;
        for (auto at = all.find("{\"row\":"); at != std::string::npos;
             at = all.find("{\"row\":", at + 1))
            rows += all.substr(at + 7, all.find(',', at) - at - 7) + ' ';
        return rows;
    };

    "every filter asks a row's last record and no other"_test = [&] {
        world w;
        const auto done = w.run("import-people", people);
        expect(rows_of(w, done, {.rows = export_rows::succeeded}) == "1 "s);
        expect(rows_of(w, done, {.rows = export_rows::failed}) == "2 3 4 5 6 "s);
        expect(rows_of(w, done, {.rows = export_rows::unprocessed}) == ""s);
        expect(rows_of(w, done, {.state = bulk::row_state::completed}) == "1 "s);
        expect(rows_of(w, done, {.failure = bulk::error_type::step_failure}) == "2 6 "s);
        expect(rows_of(w, done, {.failure = bulk::error_type::parse}) == "3 5 "s);
        expect(rows_of(w, done, {.step = "CHECK"}) == "2 "s) << "row 6 went past it";
        expect(rows_of(w, done, {.step = "validation"}) == "3 4 5 "s);
        expect(rows_of(w, done,
                       {.only = {bulk::row_number{4}, bulk::row_number{2}, bulk::row_number{4}}}) ==
               "2 4 "s);
        expect(rows_of(w, done,
                       {.rows = export_rows::failed,
                        .failure = bulk::error_type::step_failure,
                        .only = {bulk::row_number{1}, bulk::row_number{6}}}) == "6 "s);
    };

    "a step that does not exist is named, with the one that was meant"_test = [&] {
        world w;
        const auto done = w.run("import-people", people);
        const auto answer = w.write(done, {.step = "Chek"});
        expect(answer ==
               "error: operation 'import-people' has no step 'Chek'; did you mean 'Check'?"s)
            << answer;
    };

    "rows that a cancelled operation did not get to are on their own"_test = [&] {
        world w{{}, 1};
        std::latch reached{1}, go{1};
        on_number = [&](int value) {
            if (value != 1) return;
            reached.count_down();
            go.wait();
        };
        std::string numbers = "value,text\n";
        for (int i = 0; i < 500; ++i) numbers += std::to_string(2 * i + 1) + ",\n";
        const auto id = w.service.create("tracked", text(numbers, "n.csv")).value();
        reached.wait();
        expect(rows_of(w, w.service.get(id).value(), {.rows = export_rows::unprocessed})
                   .starts_with("1 2 3 "))
            << "nobody has recorded them yet";
        expect(w.service.cancel(id).has_value());
        go.count_down();
        const auto done = w.service.wait(id, 10s).value();
        on_number = {};
        expect(done.state == bulk::operation_state::cancelled);
        const auto count = [&](export_rows which) {
            (void)w.write(done, {.rows = which});
            return w.last.rows;
        };
        expect(count(export_rows::succeeded) == done.rows.successful);
        expect(count(export_rows::failed) == done.rows.failed);
        const auto unprocessed = count(export_rows::unprocessed);
        expect(unprocessed == bulk::unprocessed(done.rows) and unprocessed > 0_u);
        const auto data =
            w.write(done, {.kind = export_kind::data, .rows = export_rows::unprocessed});
        expect(data.starts_with("value,text\n") and data.ends_with("\n999,\n")) << data;
        expect(w.last.file_name == "n-unprocessed.csv"s) << w.last.file_name;
        const auto report = w.write(done, {.rows = export_rows::unprocessed});
        expect(report.contains(",unprocessed,validation,")) << report;
        const auto again = w.run("tracked", data, "n-unprocessed.csv");
        expect(again.rows.successful == unprocessed);
    };
};

suite<"data"> data = [] {
    "failed rows are what was uploaded, byte by byte, and give the same errors again"_test = [] {
        world w;
        const auto done = w.run("import-people", "\xef\xbb\xbf"s + people);
        const auto file = w.write(done, {.kind = export_kind::data, .rows = export_rows::failed});
        expect(file ==
               "email,Age,phone,extra,note\n"
               "bad@x,-0,0171,\"say \"\"hi\"\"\",\"two\nlines\"\n"
               "c@x,old,0172,,\n"
               "d@x,-5,0173,x,=1+1\n"
               "short\n"
               "bounce@x,31,0174,,@sum\n"s)
            << file;
        expect(w.last.rows == 5_u and w.last.file_name == "people-failed.csv"s);
        const auto again = w.run("import-people", file, w.last.file_name);
        expect(again.rows == bulk::row_counters{.total = 5, .processed = 5, .failed = 5});
        expect(w.write(again, {.kind = export_kind::data, .rows = export_rows::failed}) == file);
        const auto first = w.service.errors(done.id).value().items;
        const auto second = w.service.errors(again.id).value().items;
        expect(fatal(first.size() == second.size()));
        for (std::size_t i = 0; i < first.size(); ++i) {
            expect(first[i].row_id == second[i].row_id and first[i].failure == second[i].failure);
            expect(bulk::error_pattern(first[i].error_message) ==
                   bulk::error_pattern(second[i].error_message));
        }
    };

    "every format comes back in itself, extra keys and broken rows included"_test = [] {
        world w;
        const auto failed_of = [&](std::string content, std::string name, export_format format) {
            const auto done = w.run("tracked", std::move(content), std::move(name));
            return w.write(
                done, {.kind = export_kind::data, .format = format, .rows = export_rows::failed});
        };
        const auto lines = failed_of(
            "{\"value\":1}\n{\"value\":2, \"extra\":[1]}\n{\"value\":\n\n{\"value\":\"x\"}\n",
            "n.ndjson", export_format::ndjson);
        expect(lines == "{\"value\":2, \"extra\":[1]}\n{\"value\":\n{\"value\":\"x\"}\n"s) << lines;
        const auto array =
            failed_of("[{\"value\":1},\n {\"value\":2,\n  \"extra\":{}}, 7,{\"value\":3}]",
                      "n.json", export_format::json);
        expect(array == "[\n{\"value\":2,\n  \"extra\":{}},\n7\n]\n"s) << array;
        const auto tabs =
            failed_of("text\tvalue\textra\nx\t2\t,\ny\t3\t\n", "n.tsv.gz", export_format::csv);
        expect(tabs == "text\tvalue\textra\nx\t2\t,\n"s) << tabs;
        expect(w.last.file_name == "n-failed.tsv"s and
               w.last.content_type == "text/tab-separated-values; charset=utf-8"s);
    };

    "data for a spreadsheet has no formula, and is read as what it was"_test = [] {
        const std::string hostile =
            "email,Age,=cmd,phone,note\n"
            "=bad@x,-0,@x,+49,\"=1+\"\"1\"\"\"\n"
            "'=bad@x,31,,'-1,\uff1d1\n"
            "bad@x,=2,,,\"\n=3\"\n"
            "''bad@x,-5,x,,\"-2+3\"\n"
            "-bad,+short\n";
        world w;
        const auto first = w.run("import-people", hostile);
        const auto file =
            w.write(first, {.kind = export_kind::data, .rows = export_rows::failed, .guard = true});
        expect(file ==
               "email,Age,'=cmd,phone,note,bulk_guarded\n"
               "'=bad@x,-0,'@x,+49,\"'=1+\"\"1\"\"\",\n"
               "''=bad@x,31,,''-1,'\uff1d1,\n"
               "bad@x,'=2,,,\"'\n=3\",\n"
               "''bad@x,-5,x,,'-2+3,\n"
               "'-bad,'+short,\n"s)
            << file;
        const auto again = w.run("import-people", file);
        const bulk::export_options as_json{.kind = export_kind::data,
                                           .format = export_format::ndjson};
        expect(again.rows == first.rows);
        expect(w.write(again, as_json) == w.write(first, as_json));
        expect(w.write(again, {.kind = export_kind::data, .guard = true}) == file)
            << "what is guarded is not guarded twice";
        const auto from_json = w.run("import-people", w.write(first, as_json), "people.ndjson");
        const auto made = w.write(from_json, {.kind = export_kind::data, .guard = true});
        expect(made.starts_with("email,Age,phone,note,bulk_guarded\n'=bad@x,0,+49,")) << made;
        expect(w.write(w.run("import-people", made), as_json) == w.write(first, as_json));
    };

    "a row whose quotes do not match is one cell of a guarded file"_test = [] {
        world w;
        const auto done = w.run("tracked", "value,text\n1,a\n=2,\"b\"c\n3,d\n");
        const auto file =
            w.write(done, {.kind = export_kind::data, .rows = export_rows::failed, .guard = true});
        expect(file == "value,text,bulk_guarded\n\"'=2,\"\"b\"\"c\",\n"s) << file;
    };

    "only CSV with a header can be guarded"_test = [] {
        world w;
        const auto done = w.run("tracked", "value\n2\n");
        expect(
            w.write(done, {.kind = export_kind::data, .format = export_format::json, .guard = true})
                .starts_with("error: only CSV needs a guard"));
        world bare{{.dialect = {.header = false}}};
        const auto without = bare.run("tracked", "2\n");
        expect(bare.write(without, {.kind = export_kind::data, .guard = true})
                   .starts_with("error: a guarded export needs a header"));
    };

    "into another format goes what is declared; rows that cannot be read are counted"_test = [] {
        world w;
        const auto done = w.run("import-people", people);
        const auto lines = w.write(done, {.kind = export_kind::data,
                                          .format = export_format::ndjson,
                                          .rows = export_rows::failed});
        expect(lines == R"({"email":"bad@x","Age":0,"phone":"0171","note":"two\nlines"})"
                        "\n"
                        R"({"email":"d@x","Age":-5,"phone":"0173","note":"=1+1"})"
                        "\n"
                        R"({"email":"bounce@x","Age":31,"phone":"0174","note":"@sum"})"
                        "\n"s)
            << lines;
        expect(w.last.rows == 3_u and w.last.left_out == 2_u);
        const auto from_json = w.run("import-people", lines, "people.ndjson");
        const auto csv = w.write(from_json, {.kind = export_kind::data});
        expect(csv ==
               "email,Age,phone,note\nbad@x,0,0171,\"two\nlines\"\nd@x,-5,0173,=1+1\n"
               "bounce@x,31,0174,@sum\n"s)
            << csv;
    };

    "without a header there is none, and no delimiter but the file's"_test = [] {
        world w{{.dialect = {.delimiter = ';', .header = false}}};
        const auto done = w.run("tracked", "1;a\n2;\"b;c\"\n");
        expect(w.write(done, {.kind = export_kind::data, .rows = export_rows::failed}) ==
               "2;\"b;c\"\n"s);
    };

    "a row that was too long is counted, not written"_test = [] {
        world w{{.limits = {.row_bytes = 40}}};
        const auto done =
            w.run("tracked", "value,text\n1,\n2," + std::string(100, 'x') + "\n4,y\n");
        const auto file = w.write(done, {.kind = export_kind::data, .rows = export_rows::failed});
        expect(file == "value,text\n4,y\n"s) << file;
        expect(w.last.rows == 1_u and w.last.left_out == 1_u);
    };

    "a template is an empty file to fill in"_test = [] {
        expect(bulk::template_text<import_people>(export_format::csv) == "email,Age,phone,note\n"s);
        expect(bulk::template_text<import_people>(export_format::csv,
                                                  {.dialect = {.delimiter = ';'}}) ==
               "email;Age;phone;note\n"s);
        expect(bulk::template_text<import_people>(export_format::ndjson) ==
               "{\"email\":\"\",\"Age\":0,\"phone\":\"\",\"note\":null}\n"s);
        world w;
        const auto done = w.run("import-people",
                                bulk::template_text<import_people>(export_format::json), "t.json");
        expect(done.rows.successful == 1_u);
    };
};

suite<"what cannot be exported"> refused = [] {
    "an operation that does not exist, or is none of this program's"_test = [] {
        world w;
        const auto answer = w.write({.id = {.value = {1, 2}}}, {});
        expect(answer.starts_with("error: ")) << answer;
        const auto done = w.run("tracked", "value\n1\n");
        const auto other =
            bulk::export_operation(bulk::operations<import_people>, w.storage, done.id, {}, {}, {});
        expect(!other and other.error().code == bulk::errc::not_found);
    };

    "personal values are hidden in reports even if a record has them in clear"_test = [] {
        // As a program wrote it in which the column was not yet personal.
        bulk::memory::storage storage;
        const bulk::timestamp now{};
        const bulk::operation_record record{
            .id = {bulk::make_uuid(now, 1, 2)}, .name = "tracked-secrets", .file_name = "x.csv"};
        expect(storage.create(record, {}).has_value());
        const auto claimed =
            storage.claim({.owner = "o", .names = {record.name}, .now = now, .lease_time = 1min});
        expect(fatal(claimed.has_value() and claimed->has_value()));
        const auto& mine = **claimed;
        expect(storage
                   .record(mine.held, {.completed = {{bulk::row_number{1}, 1, bulk::step_index{0},
                                                      bulk::step_index{0}, now, now}},
                                       .records = {{.operation = record.id,
                                                    .row = bulk::row_number{1},
                                                    .state = bulk::row_state::completed,
                                                    .attempt = 1,
                                                    .row_data = R"({"State":"open","pin":4711})"}},
                                       .counted = {.processed = 1, .successful = 1}})
                   .has_value());
        auto ended = mine.operation;
        ended.state = bulk::operation_state::completed;
        ended.rows.total = 1;
        expect(storage.update(mine.held, ended, {}).has_value());
        for (const auto format : {export_format::csv, export_format::json}) {
            std::string report;
            const auto written = bulk::export_operation(
                known, storage, record.id, {.format = format}, {}, [&](std::string_view part) {
                    report += part;
                    return bulk::result<>{};
                });
            expect(fatal(written.has_value())) << written.error().message;
            expect(report.contains("open") and report.contains("***")) << report;
            expect(!report.contains("4711")) << report;
        }
    };

    "data that was not tracked and whose file is gone; its report has no columns"_test = [] {
        world w;
        const auto done = w.run("import-people", people);
        expect(w.storage.remove_file(done.file_id).has_value());
        const auto answer = w.write(done, {.kind = export_kind::data});
        expect(answer.contains("is gone") and answer.contains("track_row_data = true")) << answer;
        const auto report = w.write(done, {});
        expect(report.contains("retry_attempt,started_at,completed_at\n")) << report;
        expect(w.last.rows == 6_u);
    };

    "tracked rows are there without their file"_test = [] {
        world w;
        const auto done = w.run("tracked", "value,text\n1,a\n2,\"=b,c\"\n13,\nx,\n");
        expect(w.storage.remove_file(done.file_id).has_value());
        const auto file = w.write(done, {.kind = export_kind::data});
        expect(file == "value,text\n1,a\n2,\"=b,c\"\n13,\n"s) << file;
        expect(w.last.rows == 3_u and w.last.left_out == 1_u) << "nobody could read the last";
        const auto lines = w.write(done, {.kind = export_kind::data,
                                          .format = export_format::ndjson,
                                          .only = {bulk::row_number{2}}});
        expect(lines == "{\"value\":2,\"text\":\"=b,c\"}\n"s) << lines;
        const auto report = timeless(w.write(done, {.rows = export_rows::failed}));
        expect(report.contains("T,T,2,\"'=b,c\"\n") and report.ends_with(",T,T,,\n")) << report;
        const auto json =
            w.write(done, {.format = export_format::ndjson, .rows = export_rows::succeeded});
        expect(json.contains(R"("data":{"value":1,"text":"a"}})")) << json;
    };

    "personal data was never tracked in clear: nothing pretends that it was"_test = [] {
        world w;
        const auto done = w.run("tracked-secrets", "State,pin\nx,1\n");
        expect(w.storage.remove_file(done.file_id).has_value());
        expect(w.write(done, {.kind = export_kind::data}).contains("personal column 'pin'"));
        const auto report = timeless(w.write(done, {}));
        expect(report.ends_with("T,T,x,***\n")) << report;
    };

    "a file that cannot be read has a report, and says why there is no more"_test = [] {
        world w;
        const auto no_column = w.run("tracked", "wrong\n1\n");
        expect(w.write(no_column, {.kind = export_kind::data}).contains("no column 'value'"));
        expect(w.write(no_column, {}).starts_with("row,row_id"));
        expect(w.last.rows == 0_u and w.last.file_error.contains("no column 'value'"));
        const auto cut =
            w.run("tracked", R"([{"value":1,"text":"a"},{"value":3,"text":"b)", "people.json");
        expect(cut.state == bulk::operation_state::failed);
        const auto file =
            w.write(cut, {.kind = export_kind::data, .rows = export_rows::unprocessed});
        expect(file == "value,text\n1,a\n"s) << file;
        expect(w.last.file_error.contains("never closed"));
    };

    "a sink that says no, or throws, ends the export"_test = [] {
        world w;
        const auto done = w.run("tracked", "value\n1\n");
        auto written = bulk::export_operation(
            known, w.storage, done.id, {}, {},
            [](std::string_view) -> bulk::result<> { return bulk::fail("the disk is full"); });
        expect(!written and written.error().message == "the disk is full"s);
        written = bulk::export_operation(
            known, w.storage, done.id, {}, {},
            [](std::string_view) -> bulk::result<> { throw std::runtime_error{"hung up"}; });
        expect(!written and written.error().message == "hung up"s);
    };

    "a storage that does not answer is an error, never a short file"_test = [] {
        world w;
        const auto done = w.run("tracked", "value\n1\n2\n");
        for (const std::string call : {"get", "query", "open_file"}) {
            support::faulty_storage storage{w.storage,
                                            [&](const char* name) { return name == call; }};
            const auto written =
                bulk::export_operation(known, storage, done.id, {.kind = export_kind::data}, {},
                                       [](std::string_view) { return bulk::result<>{}; });
            expect(!written and written.error().code == bulk::errc::unavailable) << call;
        }
    };
};

suite<"many rows"> many = [] {
    "rows and records stay side by side over all pages"_test = [] {
        world w;
        std::string numbers = "value,text\n", failed = numbers;
        for (int i = 1; i <= 5'000; ++i) {
            const auto line = std::to_string(i) + ",row " + std::to_string(i) + '\n';
            numbers += line;
            if (i % 2 == 0 || i == 13) failed += line;
        }
        const auto done = w.run("tracked", numbers);
        expect(w.write(done, {.kind = export_kind::data, .rows = export_rows::failed}) == failed);
        expect(w.storage.remove_file(done.file_id).has_value());
        expect(w.write(done, {.kind = export_kind::data, .rows = export_rows::failed}) == failed);
        const auto groups = bulk::error_groups_of(w.storage, done.id).value();
        expect(fatal(groups.size() == 2_u));
        expect(groups[0].pattern == "it is even"s and groups[0].count == 2'500_u and
               groups[0].first_row == bulk::row_number{2});
        expect(groups[1].pattern == "# is not a number"s and
               groups[1].sample == "13 is not a number"s);
        expect(bulk::error_groups_of(w.storage, {.value = {1, 2}}).error().code ==
               bulk::errc::not_found);
    };

    "every row is one line with its last step, handed on in parts of bounded size"_test = [] {
        world w;
        constexpr int rows = 20'000;
        std::string file = "email,Age,phone,note\n";
        for (int i = 1; i <= rows; ++i)
            file += (i % 3 == 0 ? "bounce" : "ok") + std::to_string(i) + "@x,1,,\n";
        const auto done = w.run("import-people", file);
        std::size_t largest = 0, bytes = 0, sent = 0, completed = 0;
        std::string rest;
        const auto written = bulk::export_operation(
            known, w.storage, done.id, {}, w.reading, [&](std::string_view part) {
                largest = std::max(largest, part.size());
                bytes += part.size();
                rest += part;
                for (auto end = rest.find('\n'); end != std::string::npos; end = rest.find('\n')) {
                    const auto line = rest.substr(0, end);
                    rest.erase(0, end + 1);
                    sent += line.contains(",Send,") ? 1U : 0U;
                    completed += line.contains(",completed,") ? 1U : 0U;
                }
                return bulk::result<>{};
            });
        expect(written.has_value() and written->rows == std::uint64_t{rows});
        expect(sent == std::size_t{rows} and completed == std::size_t{rows - rows / 3});
        expect(largest < bytes / 4) << largest << bytes;
        expect(w.write(done, {.state = bulk::row_state::completed}).find("bounce") ==
               std::string::npos);
    };

    "the service has it all"_test = [] {
        world at;
        const auto done = at.run("tracked", "value,text\n1,\n2,\n4,\n13,\n");
        std::string out;
        const auto summary = at.service.export_rows(
            done.id, {.kind = export_kind::data, .rows = export_rows::failed},
            [&](std::string_view part) -> bulk::result<> {
                out += part;
                return {};
            });
        expect(summary.has_value() and summary->rows == 3_u);
        expect(out == "value,text\n2,\n4,\n13,\n") << out;
        const auto groups = at.service.error_groups(done.id).value();
        expect(groups.size() == 2_ul and groups[0].count == 2_u);
        expect(at.service.template_for("TRACKED").value() == "value,text\n");
        expect(at.service.template_for("none").error().code == bulk::errc::not_found);
    };
};

}  // namespace

int main() {}
