#include <bulk/bulk.hpp>
#include <bulk/service/service.hpp>
#include <bulk/storage/memory/storage.hpp>

#include <support/ut.hpp>

#include <atomic>
#include <chrono>
#include <string>
#include <vector>

using namespace boost::ut;
using namespace std::chrono_literals;
using namespace std::string_literals;

namespace {

struct user {
    std::string email;
    int age = 0;
};
BULK_ROW(user, (email, .row_id = true), age);

struct request {
    std::string by;
};
BULK_METADATA(request, by);

struct import_users : bulk::operation<import_users, user, request> {
    BULK_OPERATION("import-users")
    bulk::result<> validate(const request& r) {
        if (r.by == "nobody") return bulk::fail("nobody may import");
        return {};
    }
    bulk::result<> validate(const user& u, const request&) {
        if (u.age < 0) return bulk::fail("nobody is younger than 0");
        return {};
    }
    bulk::result<> process(const user& u, const request&, bulk::context&) {
        if (u.email == "bad") return bulk::fail("no such address");
        if (u.email == "throw") throw std::runtime_error{"thrown"};
        if (u.email == "odd") throw 7;
        return {};
    }
};

bulk::upload text(std::string content, std::string name = "users.csv") {
    auto kept = std::make_shared<std::string>(std::move(content));
    return {.name = std::move(name), .bytes = bulk::byte_source{std::string_view{*kept}, kept}};
}

auto make_service(const bulk::service_options& options = {}) {
    return std::make_unique<bulk::service<
        std::remove_const_t<decltype(bulk::operations<import_users>)>, bulk::memory::storage>>(
        bulk::operations<import_users>, bulk::memory::storage{}, options);
}

suite<"service"> services = [] {
    "a file goes through an operation"_test = [] {
        auto service = make_service();
        const auto id = service->create(
            "Import-Users", text("email,age\na,1\nb,x\nbad,2\nc,-1\nthrow,3\nodd,4\nd,5\n"),
            {.metadata = R"({"by":"ann"})", .created_by = "ann"});
        expect(fatal(id.has_value())) << id.error().message;
        const auto done = service->wait(*id, 10s);
        expect(fatal(done.has_value())) << done.error().message;
        expect(done->state == bulk::operation_state::completed_with_errors);
        expect(done->rows ==
               bulk::row_counters{.total = 7, .processed = 7, .successful = 2, .failed = 5});
        std::string all;
        for (const auto& each : service->errors(*id).value().items)
            all += std::to_string(to_number(each.row)) + ' ' + each.row_id + ' ' +
                   std::string{bulk::name_of(*each.failure)} + ": " + each.error_message + '\n';
        expect(all ==
               "2  parse: line 3, column 'age', 'x': it is not a whole number\n"
               "3 bad processing: no such address\n"
               "4 c validation: nobody is younger than 0\n"
               "5 throw processing: thrown\n"
               "6 odd processing: something was thrown that is no std::exception\n"s)
            << all;
        std::string kinds;
        for (const auto& each : service->events(*id, 0).value())
            kinds += std::string{bulk::name_of(each.kind)} + ' ' + each.message + '\n';
        expect(kinds.contains("created Operation created")) << kinds;
        expect(kinds.contains("completed 2/7 rows succeeded")) << kinds;
    };
};

}  // namespace

int main() {}
