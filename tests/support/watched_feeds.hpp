// A ledger of feeds whose calls fail now and then, before or after they took effect, and whose answers
// somebody else hears, too, even if the caller does not.
#pragma once

#include <bulk/storage/feed_ledger.hpp>

#include <support/faulty_storage.hpp>
#include <support/ledger_reads.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace support {

enum class call_fate : std::uint8_t { done, refused, unheard };

/// `Watch` is told what has really happened: see simulation_audit.hpp.
template <typename Ledger, typename Watch>
class watched_feeds : public ledger_reads<Ledger> {
public:
    using fate = std::function<call_fate(const char* call)>;

    watched_feeds(Ledger ledger, Watch& watch, fate decides)
        : ledger_reads<Ledger>{std::move(ledger)}, watch_{&watch}, decides_{std::move(decides)} {}

    auto start_run(const bulk::feed_run& run, const std::vector<bulk::feed_partition>& parts) {
        return call("start_run", [&] {
            auto started = this->ledger_.start_run(run, parts);
            if (started) watch_->started(*started, parts);
            return started;
        });
    }
    auto cancel_run(bulk::run_id id, const std::string& why, bulk::timestamp now,
                    const std::string& who = {}) {
        return call("cancel_run", [&] {
            auto run = this->ledger_.cancel_run(id, why, now, who);
            if (run) watch_->cancelled(*run);
            return run;
        });
    }
    auto retry_partitions(bulk::run_id id, std::optional<std::uint32_t> number, bulk::timestamp now,
                          const std::string& who = {}) {
        return call("retry_partitions", [&] {
            auto retried = this->ledger_.retry_partitions(id, number, now, who);
            if (retried) watch_->revived(id);
            return retried;
        });
    }
    auto remove_run(bulk::run_id id) {
        return call("remove_run", [&] {
            auto removed = this->ledger_.remove_run(id);
            if (removed) watch_->removed(id);
            return removed;
        });
    }
    auto claim_page(const bulk::work_request& request) {
        return call("claim_page", [&] {
            auto work = this->ledger_.claim_page(request);
            if (work && *work) watch_->claimed(**work, request);
            return work;
        });
    }
    auto store_page(const bulk::page_work& work, const bulk::fetched_page& page,
                    const bulk::work_request& request) {
        return call("store_page", [&] {
            auto stored = this->ledger_.store_page(work, page, request);
            if (stored) watch_->stored(work, page, *stored, request);
            return stored;
        });
    }
    auto retry_page(const bulk::page_work& work, const std::string& why, bulk::timestamp at,
                    bulk::timestamp now) {
        return call("retry_page", [&] {
            auto put_off = this->ledger_.retry_page(work, why, at, now);
            if (put_off) watch_->let_go(work, *put_off, "retry_page");
            return put_off;
        });
    }
    auto fail_page(const bulk::page_work& work, const std::string& why, bulk::timestamp now,
                   bulk::retry_from from = bulk::retry_from::page) {
        return call("fail_page", [&] {
            auto failed = this->ledger_.fail_page(work, why, now, from);
            if (failed) watch_->let_go(work, *failed, "fail_page");
            return failed;
        });
    }
    auto return_page(const bulk::page_work& work, bulk::timestamp now) {
        return call("return_page", [&] {
            auto returned = this->ledger_.return_page(work, now);
            if (returned) watch_->let_go(work, watch_->holds(work), "return_page");
            return returned;
        });
    }
    auto consolidate(bulk::run_id id, bool force, bulk::timestamp now,
                     const std::string& who = {}) {
        return call("consolidate", [&] {
            auto run = this->ledger_.consolidate(id, force, now, who);
            if (run && is_active(*run)) watch_->revived(id);
            return run;
        });
    }
    auto claim_batch(const bulk::work_request& request, std::uint32_t most) {
        return call("claim_batch", [&] {
            auto batch = this->ledger_.claim_batch(request, most);
            if (batch) watch_->gave_up(request);
            if (batch && *batch) watch_->claimed(**batch, request);
            return batch;
        });
    }
    auto store_items(const bulk::item_batch& batch, const std::vector<bulk::mapped_item>& items,
                     const bulk::work_request& request) {
        return call("store_items", [&] {
            auto stored = this->ledger_.store_items(batch, items, request);
            if (stored) watch_->stored(batch, items, request);
            return stored;
        });
    }
    auto finish_batch(const bulk::item_batch& batch, bulk::timestamp now) {
        return call("finish_batch", [&] {
            auto run = this->ledger_.finish_batch(batch, now);
            if (run) watch_->finished(batch, *run);
            return run;
        });
    }
    auto return_batch(const bulk::item_batch& batch, bulk::timestamp now) {
        return call("return_batch", [&] {
            auto returned = this->ledger_.return_batch(batch, now);
            if (returned) watch_->returned(batch);
            return returned;
        });
    }
    auto resume_consolidation(bulk::run_id id, bulk::timestamp now, const std::string& who = {}) {
        return call("resume_consolidation", [&] {
            auto resumed = this->ledger_.resume_consolidation(id, now, who);
            if (resumed) watch_->resumed(id);
            return resumed;
        });
    }
    auto set_watermark(const std::string& feed, std::optional<bulk::timestamp> value,
                       const std::string& who, bulk::timestamp now) {
        return call("set_watermark", [&] {
            auto set = this->ledger_.set_watermark(feed, value, who, now);
            if (set) watch_->set_by_hand(*set);
            return set;
        });
    }

    template <typename Call>
    auto call(const char* name, Call&& made) -> std::invoke_result_t<Call> {
        const auto becomes = decides_(name);
        if (becomes != call_fate::refused) {
            auto answer = std::forward<Call>(made)();
            if (becomes == call_fate::done) return answer;
        }
        return bulk::fail(bulk::errc::unavailable, std::string{"no answer to "} + name);
    }

private:
    Watch* watch_;
    fate decides_;
};

/// A storage with such feeds.
template <typename Storage, typename Watch>
class watched_storage : public faulty_storage<Storage> {
public:
    using ledger = watched_feeds<decltype(std::declval<Storage&>().feeds()), Watch>;

    watched_storage(Storage storage, Watch& watch, typename ledger::fate decides)
        : faulty_storage<Storage>{storage,
                                  [decides](const char* name) {
                                      return decides(name) != call_fate::done;
                                  }},
          watch_{&watch},
          decides_{std::move(decides)} {}

    [[nodiscard]] ledger feeds() { return {this->storage_.feeds(), *watch_, decides_}; }

private:
    Watch* watch_;
    typename ledger::fate decides_;
};

}  // namespace support
