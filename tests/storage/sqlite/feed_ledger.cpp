#include "../../conformance/feeds.hpp"

#include <support/sqlite_backend.hpp>
#include <support/temporary_directory.hpp>
#include <support/ut.hpp>

#include <optional>
#include <string>

namespace {

/// A storage on a file of its own, which is gone with it.
class fresh_storage {
public:
    support::sqlite_backend* operator->() { return &*storage_; }
    support::sqlite_backend& operator*() { return *storage_; }

    void reopen() {
        storage_.reset();
        storage_.emplace(support::sqlite_backend::open(path_).value());
    }

private:
    support::temporary_directory directory_;
    std::string path_ = directory_.path("bulk.db");
    std::optional<support::sqlite_backend> storage_ = support::sqlite_backend::open(path_).value();
};

boost::ut::suite<"feeds on sqlite"> feeds_on_sqlite = [] {
    conformance::check_feeds([] { return fresh_storage{}; }, 100);
};

}  // namespace

int main() {}
