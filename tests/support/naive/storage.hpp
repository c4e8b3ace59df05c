#pragma once

#include "feed_maps.hpp"

#include <bulk/storage/concepts.hpp>
#include <bulk/storage/feed_ledger.hpp>
#include <bulk/storage/operation_ledger.hpp>
#include <bulk/storage/typed_feeds.hpp>

#include <memory>
#include <mutex>

namespace bulk::naive {

struct all_tables {
    std::mutex mutex{};
    operation_maps of_operations{};
    feed_maps of_feeds{of_operations};
};

/// Transactions: one mutex, which reads take as well. Nothing is undone, since the ledgers check everything
/// before the first change, and maps fail only when memory is exhausted.
template <typename Tables>
class backend {
public:
    using tables = Tables;

    backend(std::shared_ptr<all_tables> all, tables all_tables::* used)
        : all_{std::move(all)}, used_{used} {}

    template <typename Change>
    auto write(std::string_view /*doing*/, Change change) {
        const std::scoped_lock lock{all_->mutex};
        return change((*all_).*used_);
    }
    /// Scans end early when the limit of this thread is reached: what they found by then is not the result.
    template <typename Look>
    auto read(std::string_view doing, Look look) -> std::invoke_result_t<Look, tables&> {
        if (auto over = read_scope::reached()) return std::unexpected{std::move(*over)};
        auto found = write(doing, std::move(look));
        if (auto over = read_scope::reached()) return std::unexpected{std::move(*over)};
        return found;
    }

private:
    std::shared_ptr<all_tables> all_;
    tables all_tables::* used_;
};

/// The shortest storage that does what concepts.hpp says: an example for a new backend. It keeps no
/// uploads: `any_storage` adds those of another storage. A handle: copies share what they hold.
class storage : public operation_ledger<backend<operation_maps>> {
public:
    explicit storage(std::shared_ptr<all_tables> all = std::make_shared<all_tables>())
        : operation_ledger{backend{all, &all_tables::of_operations}}, all_{std::move(all)} {}

    flight_recorder& flights() { return all_->of_operations.flights(); }
    feed_ledger<backend<feed_maps>> feeds() {
        return feed_ledger{backend{all_, &all_tables::of_feeds}};
    }

private:
    std::shared_ptr<all_tables> all_;
};
static_assert(record_store<storage> && feed_storage<storage>);

}  // namespace bulk::naive
