// A database as another program sees it.
#pragma once

#include <sqlite3.h>

#include <stdexcept>
#include <string>

namespace support {

class raw_database {
public:
    explicit raw_database(const std::string& path) {
        if (sqlite3_open(path.c_str(), &database_) != SQLITE_OK)
            throw std::runtime_error{"cannot open " + path};
        sqlite3_busy_timeout(database_, 1000);
    }
    raw_database(const raw_database&) = delete;
    raw_database& operator=(const raw_database&) = delete;
    ~raw_database() { sqlite3_close(database_); }

    /// The first column of the last row; throws what went wrong.
    std::string run(const std::string& sql) {
        std::string value;
        char* wrong = nullptr;
        const auto take = [](void* into, int, char** columns, char**) {
            *static_cast<std::string*>(into) = columns[0] == nullptr ? "NULL" : columns[0];
            return 0;
        };
        if (sqlite3_exec(database_, sql.c_str(), take, &value, &wrong) != SQLITE_OK) {
            const std::string message = wrong == nullptr ? "?" : wrong;
            sqlite3_free(wrong);
            throw std::runtime_error{message};
        }
        return value;
    }

private:
    sqlite3* database_ = nullptr;
};

}  // namespace support
