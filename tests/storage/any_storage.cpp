// Every backend is the same behind `any_storage`: the conformance suites run through it, too.
#include "../conformance/storage.hpp"

#include <bulk/storage/any_storage.hpp>
#include <bulk/storage/files/directory.hpp>
#include <bulk/storage/memory/records.hpp>
#include <bulk/storage/sqlite/connection.hpp>
#include <bulk/storage/sqlite/records.hpp>
#include <bulk/storage/sqlite/storage.hpp>

#include <support/temporary_directory.hpp>
#include <support/ut.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <typeinfo>
#include <utility>

using namespace boost::ut;

namespace {

/// Records alone, as a backend of the caller's would have them: no uploads, no feeds, no transactions.
class only_records {
public:
    auto create(const auto&... all) { return kept_.create(all...); }
    auto get(const auto&... all) { return kept_.get(all...); }
    auto query(const bulk::operation_query& query) { return kept_.query(query); }
    auto query(const bulk::row_query& query) { return kept_.query(query); }
    auto update(const auto&... all) { return kept_.update(all...); }
    auto claim(const auto&... all) { return kept_.claim(all...); }
    auto renew(const auto&... all) { return kept_.renew(all...); }
    auto release(const auto&... all) { return kept_.release(all...); }
    auto remove(const auto&... all) { return kept_.remove(all...); }
    auto record(const auto&... all) { return kept_.record(all...); }
    auto move_steps(const auto&... all) { return kept_.move_steps(all...); }
    auto progress(const auto&... all) { return kept_.progress(all...); }
    auto row_numbers(const auto&... all) { return kept_.row_numbers(all...); }
    auto send(const auto&... all) { return kept_.send(all...); }
    auto signals(const auto&... all) { return kept_.signals(all...); }
    auto close_wait(const auto&... all) { return kept_.close_wait(all...); }
    auto retry(const auto&... all) { return kept_.retry(all...); }
    auto retry_history(const auto&... all) { return kept_.retry_history(all...); }
    bulk::flight_recorder& flights() { return kept_.flights(); }
    auto crashes(const auto&... all) { return kept_.crashes(all...); }
    auto events(const auto&... all) { return kept_.events(all...); }
    auto event_position(const auto&... all) { return kept_.event_position(all...); }
    auto set_event_position(const auto&... all) { return kept_.set_event_position(all...); }
    auto save_worker(const auto&... all) { return kept_.save_worker(all...); }
    auto remove_worker(const auto&... all) { return kept_.remove_worker(all...); }
    auto workers() { return kept_.workers(); }

private:
    bulk::memory::records kept_;
};
static_assert(bulk::record_store<only_records> && !bulk::file_store<only_records>);

/// An upload of one letter, "x".
auto put_letter(bulk::any_storage& in) {
    bool is_read = false;
    return in.put_file("a.csv",
                       [&](std::span<char> into) -> bulk::result<std::size_t> {
                           if (std::exchange(is_read, true)) return std::size_t{0};
                           into[0] = 'x';
                           return std::size_t{1};
                       },
                       0, {});
}

suite<"any_storage"> erased = [] {
    const auto make = [] { return std::make_unique<bulk::any_storage>(bulk::memory::records{}); };
    conformance::check_storage(make);

    "copies share what they hold"_test = [] {
        bulk::any_storage one{bulk::memory::records{}};
        bulk::any_storage other = one;
        expect(one.create(conformance::operation(1), {}).has_value());
        expect(other.get(conformance::operation(1).id).has_value());
    };

    "a backend of the caller's is used where it is"_test = [] {
        bulk::memory::records mine;
        bulk::any_storage erased{std::ref(mine)};
        expect(erased.create(conformance::operation(1), {}).has_value());
        expect(mine.get(conformance::operation(1).id).has_value());
    };

    "records in one backend, uploads in another"_test = [] {
        const support::temporary_directory folder;
        bulk::any_storage both{only_records{},
                               bulk::files::directory::open(folder.path() + "/uploads").value()};
        expect(both.create(conformance::operation(1), {}).has_value());
        const auto stored = put_letter(both);
        expect(fatal(stored.has_value())) << stored.error().message;
        expect(bulk::files::directory::open(folder.path() + "/uploads")
                   .value()
                   .file(stored->id)
                   .has_value())
            << "it is in the directory";
        expect(both.file_memory(stored->id) == nullptr);
    };

    "records in SQLite, uploads in memory: files are in their own backend alone"_test = [] {
        const support::temporary_directory folder;
        bulk::any_storage both{bulk::sqlite::records::open(folder.path() + "/a.db").value(),
                               bulk::memory::records{}};
        expect(both.create(conformance::operation(1), {}).has_value());
        expect(both.connection_type() != nullptr) << "steps write through SQLite";
        const auto stored = put_letter(both);
        expect(fatal(stored.has_value())) << stored.error().message;
        expect(fatal(both.file_memory(stored->id) != nullptr));
        expect(*both.file_memory(stored->id) == "x");
        const auto reopened = bulk::sqlite::records::open(folder.path() + "/a.db");
        expect(fatal(reopened.has_value()));
        expect(bulk::any_storage{*reopened, bulk::memory::records{}}
                   .get(conformance::operation(1).id)
                   .has_value());
    };

    "what a backend does not have is said"_test = [] {
        bulk::any_storage poor{only_records{}, bulk::memory::records{}};
        expect(poor.connection_type() == nullptr);
        expect(!poor.is_full() && !poor.may_use("a").value());
        const auto runs = poor.feeds()->runs({});
        expect(!runs && runs.error().message.starts_with("the storage keeps no feeds"));
        expect(runs.error().code == bulk::errc::unavailable) << "no client did anything wrong";
        expect(poor.begin({}).error().code == bulk::errc::invalid_argument);
    };

    "a step writes through the connection of its backend"_test = [] {
        const support::temporary_directory folder;
        bulk::any_storage store{bulk::sqlite::storage::open(folder.path() + "/a.db").value()};
        expect(fatal(store.connection_type() != nullptr));
        expect(*store.connection_type() == typeid(bulk::sqlite::connection));
        expect(store.create(conformance::operation(1), {}).has_value());
        const auto held = store.claim(conformance::request(0)).value().value().held;
        const auto write = [&](int number, bool is_kept) {
            auto open = store.begin(held);
            expect(fatal(open.has_value()));
            auto& connection = *static_cast<bulk::sqlite::connection*>((*open)->connection());
            expect(connection.execute("CREATE TABLE IF NOT EXISTS mine (number)").has_value());
            expect(connection.execute("INSERT INTO mine VALUES (?1)", number).has_value());
            expect(!(*open)->overdue().has_value());
            bulk::row_batch batch{.counted = {.processed = 1, .successful = 1}};
            expect((*open)->record(batch).has_value());
            if (is_kept) expect((*open)->commit().has_value());
        };
        write(1, true);
        write(2, false);
        expect(store.get(held.operation).value().rows.processed == 1_u);
    };
};

}  // namespace

int main() {}
