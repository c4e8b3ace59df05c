// Looks at everything that is kept of a feed whose runs have ended: what they counted, told and left.
#pragma once

#include <bulk/core/event.hpp>
#include <bulk/core/feed_item.hpp>
#include <bulk/core/feed_partition.hpp>
#include <bulk/core/feed_query.hpp>
#include <bulk/core/feed_run.hpp>
#include <bulk/core/id.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace support {

/// Of a storage whose calls do not fail; `value()` throws if they do.
template <typename Storage>
class feed_audit {
public:
    feed_audit(Storage& storage, std::string feed) : storage_{storage}, feed_{std::move(feed)} {}

    /// A line for each thing that is wrong; empty when all is well.
    [[nodiscard]] std::string problems() const { return problems_; }
    void wrong(const std::string& what) { problems_ += what + '\n'; }

    /// The set is exactly this: payloads by key; those that are deleted are these.
    void check_set(const std::map<std::string, std::string>& wanted,
                   const std::set<std::string>& deleted) {
        std::map<std::string, std::string> found;
        std::set<std::string> gone;
        bulk::item_query query{.feed = feed_, .with_deleted = true, .page_size = 1000};
        do {
            auto page = storage_.feeds().items(query).value();
            for (auto& each : page.items) {
                if (each.is_deleted)
                    gone.insert(each.key);
                else
                    found.emplace(each.key, each.payload);
            }
            query.after = page.next;
        } while (!query.after.empty());
        for (const auto& [key, payload] : wanted) {
            const auto at = found.find(key);
            if (at == found.end())
                wrong("item " + key + " is " + (gone.contains(key) ? "deleted" : "missing"));
            else if (at->second != payload)
                wrong("item " + key + " is " + at->second + ", not " + payload);
        }
        for (const auto& [key, payload] : found)
            if (!wanted.contains(key)) wrong("item " + key + " is not in the source");
        if (gone != deleted)
            wrong(std::to_string(gone.size()) + " items are deleted, not " +
                  std::to_string(deleted.size()));
    }

    /// Oldest first.
    [[nodiscard]] std::vector<bulk::feed_run> runs() {
        std::vector<bulk::feed_run> all;
        bulk::run_query query{.feed = feed_, .page_size = 1000};
        do {
            auto page = storage_.feeds().runs(query).value();
            all.insert(all.begin(), page.items.rbegin(), page.items.rend());
            query.after = page.next;
        } while (!query.after.empty());
        return all;
    }

    /// Every run by itself, and the watermark, which is the one that the last of them has left.
    void check_runs() {
        std::optional<bulk::timestamp> mark;
        for (const auto& run : runs()) {
            check(run);
            if (run.watermark_after) {
                if (mark && *run.watermark_after < *mark) wrong("the watermark went back");
                mark = run.watermark_after;
            }
        }
        if (storage_.feeds().watermark_of(feed_).value().value != mark)
            wrong("the watermark is not the one of the last run");
    }

    /// One that has ended.
    void check(const bulk::feed_run& run) {
        about_ = "run " + std::to_string(run.number) + ": ";
        if (bulk::is_active(run)) wrong(about_ + "is still active");
        std::uint32_t completed = 0, failed = 0;
        std::uint64_t records = 0;
        std::vector<std::uint32_t> finished;
        for (const auto found = storage_.feeds().partitions(run.id).value();
             const auto& part : found) {
            completed += part.state == bulk::partition_state::completed;
            failed += part.state == bulk::partition_state::failed;
            records += part.records;
            if (part.leased_until) wrong(about_ + bulk::partition_name(part.number) + " is leased");
            if (!is_finished(part.state))
                wrong(about_ + bulk::partition_name(part.number) + " is not finished");
            if (part.state == bulk::partition_state::completed) finished.push_back(part.number);
        }
        if (completed != run.completed || failed != run.failed)
            wrong(about_ + "counts " + std::to_string(run.completed) + " completed partitions of " +
                  std::to_string(completed) + ", " + std::to_string(run.failed) +
                  " failed ones of " + std::to_string(failed));
        if (records != run.records)
            wrong(about_ + std::to_string(run.records) + " records, its partitions have " +
                  std::to_string(records));
        if (run.open_batches != 0) wrong(about_ + "has open batches");
        if (run.completed_at) check_completed(run);
        check_events(run, finished);
    }

private:
    void check_completed(const bulk::feed_run& run) {
        if (run.consolidated + run.bad_items != run.changed + run.keyless)
            wrong(about_ + std::to_string(run.consolidated) + " items consolidated of " +
                  std::to_string(run.changed) + " that changed");
        const bool is_whole = run.failed == 0 && !run.is_capped;
        if (is_whole && run.watermark_after != run.window.to)
            wrong(about_ + "is completed, but the watermark is not the end of its window");
    }

    /// What happens once is told once.
    void check_events(const bulk::feed_run& run, const std::vector<std::uint32_t>& finished) {
        std::map<bulk::event_kind, int> told;
        std::map<std::string, int> completed;
        std::uint64_t after = 0;
        while (true) {
            const auto some =
                storage_.events(bulk::operation_id{run.id.value}, after, 1000).value();
            if (some.empty()) break;
            after = some.back().sequence;
            for (const auto& each : some) {
                ++told[each.kind];
                if (each.kind == bulk::event_kind::partition_completed)
                    ++completed[each.message.substr(0, each.message.find(' '))];
            }
        }
        using kinds = bulk::event_kind;
        const auto expect = [&](bulk::event_kind kind, int times) {
            if (told[kind] != times)
                wrong(about_ + std::string{bulk::name_of(kind)} + " was told " +
                      std::to_string(told[kind]) + " times, not " + std::to_string(times));
        };
        expect(kinds::run_started, 1);
        expect(kinds::run_completed, run.completed_at ? 1 : 0);
        expect(kinds::run_cancelled, run.cancelled_at ? 1 : 0);
        if (completed.size() != finished.size()) wrong(about_ + "partitions completed untold");
        for (const auto number : finished)
            if (completed[bulk::partition_name(number)] != 1)
                wrong(about_ + bulk::partition_name(number) + " completed " +
                      std::to_string(completed[bulk::partition_name(number)]) + " times");
        if (run.completed_at && told[kinds::consolidation_started] == 0)
            wrong(about_ + "consolidation was never started");
    }

    Storage& storage_;
    std::string feed_, about_, problems_;
};

}  // namespace support
