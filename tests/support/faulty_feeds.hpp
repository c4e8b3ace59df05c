// A storage whose calls about feeds fail where a test wants them to: before they have done anything, or
// after, so that only the answer is lost.
#pragma once

#include <bulk/core/error.hpp>
#include <bulk/core/feed_item.hpp>
#include <bulk/core/feed_partition.hpp>
#include <bulk/core/feed_query.hpp>
#include <bulk/core/feed_run.hpp>

#include <support/ledger_reads.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace support {

/// Which calls fail, by name. Both are asked for each call that is made, in that order.
struct feed_faults {
    std::function<bool(std::string_view call)> before{};  ///< it is not made
    std::function<bool(std::string_view call)> after{};  ///< it is made; the answer does not arrive
};

/// Every function of a `bulk::feed_ledger`.
template <typename Ledger>
class faulty_ledger : public ledger_reads<Ledger> {
public:
    faulty_ledger(Ledger ledger, std::shared_ptr<feed_faults> faults)
        : ledger_reads<Ledger>{std::move(ledger)}, faults_{std::move(faults)} {}

    auto start_run(const bulk::feed_run& run, const std::vector<bulk::feed_partition>& parts) {
        return call("start_run", [&] { return this->ledger_.start_run(run, parts); });
    }
    auto cancel_run(bulk::run_id id, const std::string& reason, bulk::timestamp now,
                    const std::string& who = {}) {
        return call("cancel_run", [&] { return this->ledger_.cancel_run(id, reason, now, who); });
    }
    auto retry_partitions(bulk::run_id id, std::optional<std::uint32_t> number, bulk::timestamp now,
                          const std::string& who = {}) {
        return call("retry_partitions",
                    [&] { return this->ledger_.retry_partitions(id, number, now, who); });
    }
    auto remove_run(bulk::run_id id) {
        return call("remove_run", [&] { return this->ledger_.remove_run(id); });
    }
    auto claim_page(const bulk::work_request& request) {
        return call("claim_page", [&] { return this->ledger_.claim_page(request); });
    }
    auto store_page(const bulk::page_work& work, const bulk::fetched_page& page,
                    const bulk::work_request& request) {
        return call("store_page", [&] { return this->ledger_.store_page(work, page, request); });
    }
    auto retry_page(const bulk::page_work& work, const std::string& why, bulk::timestamp at,
                    bulk::timestamp now) {
        return call("retry_page", [&] { return this->ledger_.retry_page(work, why, at, now); });
    }
    auto fail_page(const bulk::page_work& work, const std::string& why, bulk::timestamp now,
                   bulk::retry_from from = bulk::retry_from::page) {
        return call("fail_page", [&] { return this->ledger_.fail_page(work, why, now, from); });
    }
    auto return_page(const bulk::page_work& work, bulk::timestamp now) {
        return call("return_page", [&] { return this->ledger_.return_page(work, now); });
    }
    auto consolidate(bulk::run_id id, bool force, bulk::timestamp now,
                     const std::string& who = {}) {
        return call("consolidate", [&] { return this->ledger_.consolidate(id, force, now, who); });
    }
    auto claim_batch(const bulk::work_request& request, std::uint32_t most) {
        return call("claim_batch", [&] { return this->ledger_.claim_batch(request, most); });
    }
    auto store_items(const bulk::item_batch& batch, const std::vector<bulk::mapped_item>& items,
                     const bulk::work_request& request) {
        return call("store_items",
                    [&] { return this->ledger_.store_items(batch, items, request); });
    }
    auto finish_batch(const bulk::item_batch& batch, bulk::timestamp now) {
        return call("finish_batch", [&] { return this->ledger_.finish_batch(batch, now); });
    }
    auto return_batch(const bulk::item_batch& batch, bulk::timestamp now) {
        return call("return_batch", [&] { return this->ledger_.return_batch(batch, now); });
    }
    auto resume_consolidation(bulk::run_id id, bulk::timestamp now, const std::string& who = {}) {
        return call("resume_consolidation",
                    [&] { return this->ledger_.resume_consolidation(id, now, who); });
    }
    auto set_watermark(const std::string& feed, std::optional<bulk::timestamp> value,
                       const std::string& who, bulk::timestamp now) {
        return call("set_watermark",
                    [&] { return this->ledger_.set_watermark(feed, value, who, now); });
    }

    template <typename Call>
    auto call(std::string_view name, Call&& call) -> std::invoke_result_t<Call> {
        const auto lost = [&] {
            return bulk::fail(bulk::errc::unavailable, "no answer to " + std::string{name});
        };
        if (faults_->before && faults_->before(name)) return lost();
        auto answer = std::forward<Call>(call)();
        if (faults_->after && faults_->after(name)) return lost();
        return answer;
    }

private:
    std::shared_ptr<feed_faults> faults_;
};

template <typename Storage>
class faulty_feeds : public Storage {
public:
    explicit faulty_feeds(Storage real = Storage{}) : Storage{std::move(real)} {}

    [[nodiscard]] auto feeds() { return faulty_ledger{Storage::feeds(), faults_}; }
    /// As they really are.
    [[nodiscard]] auto real_feeds() { return Storage::feeds(); }
    [[nodiscard]] feed_faults& faults() { return *faults_; }

private:
    std::shared_ptr<feed_faults> faults_ = std::make_shared<feed_faults>();
};

}  // namespace support
