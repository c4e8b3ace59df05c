// expect: the header of a backend has to include <bulk/storage/typed_records.hpp>
#include <bulk/storage/any_storage.hpp>
#ifndef BULK_EXPECT_FAIL
#include <bulk/storage/typed_records.hpp>
#endif

namespace {

/// A backend of the user's, which leaves all work to another.
class backend : bulk::any_storage {
public:
    explicit backend(const bulk::any_storage& other) : any_storage{other} {}

    using any_storage::create, any_storage::get, any_storage::query, any_storage::update,
        any_storage::claim, any_storage::renew, any_storage::release, any_storage::remove,
        any_storage::record, any_storage::move_steps, any_storage::progress,
        any_storage::row_numbers, any_storage::send, any_storage::signals, any_storage::close_wait,
        any_storage::retry, any_storage::retry_history, any_storage::flights, any_storage::crashes,
        any_storage::events, any_storage::event_position, any_storage::set_event_position,
        any_storage::save_worker, any_storage::remove_worker, any_storage::workers,
        any_storage::put_file, any_storage::file, any_storage::open_file, any_storage::remove_file,
        any_storage::files;
};

bulk::any_storage behind(const bulk::any_storage& other) { return backend{other}; }

}  // namespace

int main() { return &behind == nullptr ? 1 : 0; }
