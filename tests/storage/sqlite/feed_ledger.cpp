#include "../../conformance/feeds.hpp"

#include <bulk/storage/sqlite/storage.hpp>

#include <support/temporary_directory.hpp>
#include <support/ut.hpp>

#include <optional>
#include <string>

namespace {

/// A storage on a file of its own, which is gone with it.
class fresh_storage {
public:
    bulk::sqlite::storage* operator->() { return &*storage_; }
    bulk::sqlite::storage& operator*() { return *storage_; }

    void reopen() {
        storage_.reset();
        storage_.emplace(bulk::sqlite::storage::open(path_).value());
    }

private:
    support::temporary_directory directory_;
    std::string path_ = directory_.path("bulk.db");
    std::optional<bulk::sqlite::storage> storage_ = bulk::sqlite::storage::open(path_).value();
};

boost::ut::suite<"feeds on sqlite"> feeds_on_sqlite = [] {
    conformance::check_feeds([] { return fresh_storage{}; }, 100);
};

}  // namespace

int main() {}
