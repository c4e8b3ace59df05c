#include <bulk/run/owned_operation.hpp>
#include <bulk/storage/memory/storage.hpp>

#include <support/ut.hpp>

#include <chrono>
#include <utility>

using namespace boost::ut;
using namespace std::chrono_literals;
using bulk::operation_record, bulk::operation_state, bulk::timestamp;

namespace {

constexpr bulk::operation_id id{{0, 1}};

bulk::owned_operation claim(bulk::any_storage& storage, timestamp now) {
    auto claimed =
        storage.claim(id, {.owner = "test", .names = {"work"}, .now = now, .lease_time = 30s});
    expect(fatal(claimed.has_value() && claimed->has_value()));
    return {storage, std::move(**claimed)};
}

/// A new operation, which its owner has begun to validate.
bulk::owned_operation create_and_claim(bulk::any_storage& storage) {
    expect(fatal(storage.create({.id = id, .name = "work"}, {}).has_value()));
    auto owned = claim(storage, timestamp{});
    expect(owned.move(operation_state::validating, timestamp{1s}).has_value());
    return owned;
}

const auto complete = [](operation_record& operation, timestamp now) {
    return bulk::complete(operation, now);
};
const auto fail = [](operation_record& operation, timestamp now) {
    return bulk::fail_operation(operation, "too late", now);
};

suite<"owned operation"> owned_operation = [] {
    "an operation that has ended stays as it is, however its owner would end it"_test = [] {
        bulk::any_storage storage{bulk::memory::storage{}};
        auto first = create_and_claim(storage);

        auto second = claim(storage, timestamp{60s});
        expect(second.move(operation_state::running, timestamp{61s}).has_value());
        expect(second.close(complete, timestamp{62s}).has_value());
        const auto ended = storage.get(id).value();
        const auto told = storage.events(id, std::nullopt, 100).value().size();
        expect(ended.state == operation_state::completed);

        for (auto* owner : {&first, &second}) {
            expect(owner->close(complete, timestamp{70s}).has_value());
            expect(owner->close(fail, timestamp{80s}).has_value());
        }
        expect(storage.get(id).value() == ended);
        expect(storage.events(id, std::nullopt, 100).value().size() == told);
    };

    "whoever lost the lease cannot end what another works on"_test = [] {
        bulk::any_storage storage{bulk::memory::storage{}};
        auto first = create_and_claim(storage);
        auto second = claim(storage, timestamp{60s});
        expect(second.was_orphaned() && !first.was_orphaned());

        expect(first.close(fail, timestamp{70s}).error().code == bulk::errc::conflict);
        expect(storage.get(id).value().state == operation_state::validating);
    };
};

}  // namespace

int main() {}
