// The row of tests whose rows have a key of their own.
#pragma once

#include <bulk/operation/declare.hpp>

#include <string>

namespace support {

struct user {
    std::string email;
    int age = 0;
};
BULK_ROW(user, (email, .row_id = true), age);

}  // namespace support
