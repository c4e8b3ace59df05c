// The operations of a program as values, and a service whose storage is chosen at run time.
#include <bulk/bulk.hpp>
#include <bulk/service/catalog.hpp>
#include <bulk/service/service.hpp>
#include <bulk/storage/files/directory.hpp>
#include <bulk/storage/memory/storage.hpp>
#include <bulk/storage/sqlite/storage.hpp>

#include <support/temporary_directory.hpp>
#include <support/ut.hpp>

#include <string>
#include <utility>

using namespace boost::ut;
using namespace std::chrono_literals;
using namespace std::string_literals;

namespace {

struct person {
    std::string name;
    int age = 0;
};
BULK_ROW(person, name, age);

struct request {
    std::string by;
    bulk::pii<std::string> phone;
};
BULK_METADATA(request, by, phone);

struct greet : bulk::operation<greet, person, request> {
    BULK_OPERATION("greet")
    void process(const person&, const request&, bulk::context&) {}
};

struct count : bulk::operation<count, person> {
    BULK_OPERATION("count")
    bulk::result<> validate(const person& each, const bulk::no_metadata&) {
        if (each.age < 0) return bulk::fail("age is negative");
        return {};
    }
    void process(const person&, const bulk::no_metadata&, bulk::context&) {}
};

/// Made when it is used: tests run when the objects of the file are gone.
bulk::catalog known() { return bulk::operations<greet, count>; }

bulk::upload text(std::string content) {
    return {.name = "people.csv", .bytes = bulk::bytes_of_text(std::move(content))};
}

suite<"catalog"> catalog = [] {
    "operations are found by name in any case, in the order of the program"_test = [] {
        const auto all = known();
        expect(fatal(all.all().size() == 2_ul));
        expect(all.all()[0].name == "greet" and all.all()[1].name == "count");
        const auto found = all.operation("COUNT");
        expect(fatal(found.has_value()));
        expect((*found)->description().name == "count");
        expect((*found)->metadata_type() == typeid(bulk::no_metadata));
        expect(known().find("greet").value()->name == "greet");
        const auto none = known().operation("gret");
        expect(!none and none.error().code == bulk::errc::not_found);
        expect(none.error().message == "no operation is named 'gret'; did you mean 'greet'?"s);
        expect(!known().find("gret") and !known().same_metadata("gret", "{}"));
        expect(!known().template_for("gret", bulk::export_format::csv));
    };

    "metadata is written as the operation would, without personal values for others"_test = [] {
        const auto all = known().same_metadata("greet", R"({ "phone":"1", "by":"ops" })");
        expect(all.value() == R"({"by":"ops","phone":"1"})"s) << all.value();
        const auto shown = known().same_metadata("greet", R"({"by":"ops","phone":"1"})", false);
        expect(!shown.value().contains("\"1\"")) << shown.value();
        expect(!known().same_metadata("greet", "[]").has_value());
    };

    "a template and a dry run need no storage"_test = [] {
        expect(known().template_for("count", bulk::export_format::csv).value() == "name,age\n"s);
        const auto report =
            known().validate("count", text("name,age\nAda,36\nBob,-1\n"), "{}", {}, {}).value();
        expect(report.rows.total == 2_u and report.rows.failed == 1_u);
        expect(!known().validate("count", text("name,age\n"), "[", {}, {}).value().is_valid);
    };
};

/// Runs one file on a storage that is known at run time only.
void run_on(bulk::any_storage storage) {
    bulk::service service{known(), std::move(storage)};
    const auto id = service.create("count", text("name,age\nAda,36\nBob,-1\n"));
    expect(fatal(id.has_value())) << id.error().message;
    const auto done = service.wait(*id, 1min).value();
    expect(done.state == bulk::operation_state::completed_with_errors);
    expect(done.rows.successful == 1_u and done.rows.failed == 1_u);
    expect(service.files().value().size() == 1_ul);
    const auto wrong = service.create("count", text("name,age\n"), bulk::create_options<request>{});
    expect(!wrong and wrong.error().message.contains("of another type")) << "at run time, too";
}

suite<"storage at run time"> storages = [] {
    "one service type runs on every storage, and on two at once"_test = [] {
        const support::temporary_directory folder;
        run_on(bulk::memory::storage{});
        run_on(bulk::sqlite::storage::open(folder.path("bulk.db")).value());
        bulk::memory::storage records;
        run_on(bulk::any_storage{records,
                                 bulk::files::directory::open(folder.path("uploads")).value()});
        expect(records.query(bulk::operation_query{}).value().items.size() == 1_ul);
        expect(records.files("", 10).value().empty()) << "the file is in the directory";
    };
};

}  // namespace

int main() {}
