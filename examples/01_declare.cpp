// Declares an operation and prints what the compiler made of it: its columns and its step table.
#include <bulk/declare.hpp>

#include <iostream>
#include <optional>
#include <string>

struct user {
    std::string email;
    std::string name;
    std::optional<int> age;
};
BULK_ROW(user, (email, .column = "E-Mail", .row_id = true, .unique = true), name, age);

struct invitation {
    std::string team;
};
BULK_METADATA(invitation, team);

struct invite_users : bulk::operation<invite_users, user, invitation> {
    BULK_OPERATION("invite-users", .description = "Invites everybody in the file to a team")

    bulk::result<> validate(const user& row, const invitation&) {
        if (!row.email.contains('@')) return bulk::fail("'" + row.email + "' is no e-mail address");
        return {};
    }

    BULK_STEP(create, "Create Account", .order = 1, .max_retries = 3)
    (const user&, const invitation&, bulk::context&) {}

    BULK_STEP(invite, "Send Invitation", .order = 2, .allow_operation_retry = false)
    (const user&, const invitation&, bulk::context&) {}
};

int main() {
    const auto operation = bulk::operations<invite_users>.find("Invite-Users").value();
    std::cout << operation->name << ": " << operation->description << '\n';
    for (const auto& column : operation->columns)
        std::cout << "  column " << column.name << ": " << column.type
                  << (column.required ? ", required" : "") << (column.row_id ? ", row id" : "")
                  << '\n';
    for (const auto& step : operation->steps)
        std::cout << "  step " << step.index << " " << step.name << ": " << name_of(step.kind)
                  << ", " << step.max_retries << " retries\n";

    std::cout << bulk::operations<invite_users>.find("invite-user").error().message << '\n';
}
