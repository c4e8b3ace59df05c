// A file, one function for each row, and an answer for every row that failed.
#include <bulk/bulk.hpp>

#include <iostream>

struct user {
    std::string email;
    std::string name;
    int age = 0;
};
BULK_ROW(user, (email, .row_id = true), name, age);

struct import_users : bulk::operation<import_users, user> {
    BULK_OPERATION("import-users")

    bulk::result<> validate(const user& u, const bulk::no_metadata&) {
        if (!u.email.contains('@')) return bulk::fail("an address has an '@'");
        return {};
    }

    bulk::result<> process(const user& u, const bulk::no_metadata&, bulk::context&) {
        if (u.age < 18) return bulk::fail(u.name + " is not of age");
        return {};  // insert it into your database
    }
};

constexpr std::string_view file =
    "Email,Name,Age\n"
    "ann@example.org,Ann,31\n"
    "bob,Bob,42\n"
    "cid@example.org,Cid,seven\n"
    "dan@example.org,Dan,7\n";

int main() {
    bulk::service service{bulk::operations<import_users>, bulk::memory::storage{}};
    const auto id =
        service.create("import-users", bulk::upload{"users.csv", bulk::bytes_of_text(file)});
    const auto done = service.wait(id.value()).value();

    std::cout << name_of(done.state) << ": " << done.rows.successful << " of " << done.rows.total
              << " rows\n";
    for (const auto found = service.errors(done.id).value(); const auto& error : found.items)
        std::cout << "row " << to_number(error.row) << ' ' << error.row_id << ": "
                  << error.error_message << '\n';
}
