#include "../../conformance/feeds.hpp"

#include <bulk/storage/sqlite/storage.hpp>

#include <support/temporary_directory.hpp>
#include <support/ut.hpp>

namespace {

/// A storage on a file of its own, which is gone with it.
class fresh_storage {
public:
    bulk::sqlite::storage* operator->() { return &storage_; }
    bulk::sqlite::storage& operator*() { return storage_; }

private:
    support::temporary_directory directory_;
    bulk::sqlite::storage storage_ =
        bulk::sqlite::storage::open(directory_.path("bulk.db")).value();
};

boost::ut::suite<"feeds on sqlite"> feeds_on_sqlite = [] {
    conformance::check_feeds([] { return fresh_storage{}; }, 100);
};

}  // namespace

int main() {}
