// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/event.hpp>
#include <bulk/core/feed_item.hpp>
#include <bulk/core/feed_partition.hpp>
#include <bulk/core/feed_query.hpp>
#include <bulk/core/feed_run.hpp>
#include <bulk/core/page.hpp>
#include <bulk/storage/feed_consolidation.hpp>
#include <bulk/storage/feed_cursors.hpp>
#include <bulk/storage/feed_pages.hpp>
#include <bulk/storage/feed_runs.hpp>
#include <bulk/storage/feed_tables.hpp>
#include <bulk/storage/read_page.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace bulk {

/// How a backend runs a transaction: `write(doing, change)` and `read(doing, look)` call back with the
/// tables and answer with what that returns, a `result`. A change that fails has changed nothing.
template <typename Backend>
concept feed_backend = requires { requires feed_tables<typename Backend::tables>; };

/// Runs of feeds, what they fetch and what they make of it: every rule of theirs, on any backend. A
/// handle: copies share what they hold. Every function may be called from any thread; each that changes
/// something is one transaction, with the events that tell of it.
template <feed_backend Backend>
class feed_ledger {
public:
    explicit feed_ledger(Backend backend) : backend_{std::move(backend)} {}

    // --- runs ------------------------------------------------------------------------------------

    /// Begins a run with all its partitions, which are numbered as they are listed. `conflict`: its feed has a run that is active, or the
    /// watermark has moved since the run was planned.
    [[nodiscard]] result<feed_run> start_run(const feed_run& run,
                                             const std::vector<feed_partition>& partitions) {
        return backend_.write("starting a run",
                              [&](tables& in) { return feed_runs{in}.start(run, partitions); });
    }
    [[nodiscard]] result<feed_run> run(run_id id) {
        return backend_.read("reading a run", [&](tables& in) { return feed_runs{in}.find(id); });
    }
    [[nodiscard]] result<page<feed_run>> runs(const run_query& query) {
        if (auto valid = validate(query); !valid) return std::unexpected{valid.error()};
        return backend_.read("looking for runs", [&](tables& in) {
            return read_page(
                query, [](const std::string& text) { return parse_run_cursor(text); },
                [&](const run_query& asked, std::optional<std::uint64_t> before) {
                    return in.find_runs(asked, before);
                },
                [](const feed_run& last) { return cursor_of(last); });
        });
    }
    [[nodiscard]] result<std::vector<feed_partition>> partitions(run_id id) {
        return backend_.read("reading partitions",
                             [&](tables& in) -> result<std::vector<feed_partition>> {
                                 const auto run = feed_runs{in}.find(id);
                                 if (!run) return std::unexpected{run.error()};
                                 return in.partitions(*run);
                             });
    }
    /// Partitions that are not finished are cancelled with it; pages that are in flight are skipped.
    /// `who` asks for it stands in the event; so in those below.
    [[nodiscard]] result<feed_run> cancel_run(run_id id, const std::string& reason, timestamp now,
                                              const std::string& who = {}) {
        return backend_.write("cancelling a run", [&](tables& in) {
            return feed_runs{in}.cancel(id, reason, now, who);
        });
    }
    /// Failed partitions go on at the page at which they failed; one of them, or all. How many.
    [[nodiscard]] result<std::uint32_t> retry_partitions(run_id id,
                                                         std::optional<std::uint32_t> number,
                                                         timestamp now,
                                                         const std::string& who = {}) {
        return backend_.write("retrying partitions", [&](tables& in) {
            return feed_runs{in}.retry(id, number, now, who);
        });
    }
    /// Forgets a run that is not active, with everything of it but what is canonical.
    [[nodiscard]] result<> remove_run(run_id id) {
        return backend_.write("removing a run",
                              [&](tables& in) { return feed_runs{in}.remove(id); });
    }

    // --- pages -----------------------------------------------------------------------------------

    /// The next page that somebody should fetch, leased to the caller.
    [[nodiscard]] result<std::optional<page_work>> claim_page(const work_request& request) {
        return backend_.write("claiming a page",
                              [&](tables& in) { return feed_pages{in}.claim(request); });
    }
    /// Takes over what was fetched, and says where the next page begins: the items, the offset, the
    /// counters and the next work item are one transaction. A page that comes twice, late or out of
    /// order changes nothing.
    [[nodiscard]] result<stored_page> store_page(const page_work& work, const fetched_page& page,
                                                 const work_request& request) {
        return backend_.write("storing a page", [&](tables& in) {
            return feed_pages{in}.store(work, page, request);
        });
    }
    /// The page could not be fetched and is tried again then. False: it is not the caller's any more.
    [[nodiscard]] result<bool> retry_page(const page_work& work, const std::string& why,
                                          timestamp at, timestamp now) {
        return backend_.write("putting a page off", [&](tables& in) {
            return feed_pages{in}.put_off(work, why, at, now);
        });
    }
    /// The page cannot be fetched: its partition has failed. False: it is not the caller's any more.
    [[nodiscard]] result<bool> fail_page(const page_work& work, const std::string& why,
                                         timestamp now, retry_from from = retry_from::page) {
        return backend_.write("failing a partition", [&](tables& in) {
            return feed_pages{in}.fail(work, why, now, from);
        });
    }
    /// Somebody else can have it at once.
    [[nodiscard]] result<> return_page(const page_work& work, timestamp now) {
        return backend_.write("giving a page back",
                              [&](tables& in) { return feed_pages{in}.give_back(work, now); });
    }

    // --- consolidation -----------------------------------------------------------------------------

    /// Asks for it, now. With failed partitions it must be forced.
    [[nodiscard]] result<feed_run> consolidate(run_id id, bool force, timestamp now,
                                               const std::string& who = {}) {
        return backend_.write("asking for consolidation", [&](tables& in) {
            return feed_consolidation{in}.ask(id, force, now, who);
        });
    }
    /// The next items that somebody should consolidate, leased to the caller; maybe none at all, which
    /// then have to be finished like any others.
    [[nodiscard]] result<std::optional<item_batch>> claim_batch(const work_request& request,
                                                                std::uint32_t most) {
        return backend_.write("claiming items", [&](tables& in) {
            return feed_consolidation{in}.claim(request, most);
        });
    }
    /// Some of a batch; keeps it for longer. `conflict`: it is not the caller's any more.
    [[nodiscard]] result<> store_items(const item_batch& batch,
                                       const std::vector<mapped_item>& items,
                                       const work_request& request) {
        return backend_.write("storing items", [&](tables& in) {
            return feed_consolidation{in}.store(batch, items, request);
        });
    }
    /// All of a batch is stored. With the last one the run is completed, in the same transaction: the
    /// watermark moves, the set gets its version, and what is gone is deleted.
    [[nodiscard]] result<feed_run> finish_batch(const item_batch& batch, timestamp now) {
        return backend_.write("finishing a batch", [&](tables& in) {
            return feed_consolidation{in}.finish(batch, now);
        });
    }
    [[nodiscard]] result<> return_batch(const item_batch& batch, timestamp now) {
        return backend_.write("giving a batch back", [&](tables& in) {
            return feed_consolidation{in}.give_back(batch, now);
        });
    }
    /// Bad items are tried again, and what others hold is taken from them; how many items that are.
    [[nodiscard]] result<std::uint64_t> resume_consolidation(run_id id, timestamp now,
                                                             const std::string& who = {}) {
        return backend_.write("resuming consolidation", [&](tables& in) {
            return feed_consolidation{in}.resume(id, now, who);
        });
    }
    /// Behind that key, by key.
    [[nodiscard]] result<std::vector<bad_item>> bad_items(run_id id, const std::string& after,
                                                          std::uint32_t limit) {
        return backend_.read("reading bad items", [&](tables& in) -> result<std::vector<bad_item>> {
            const auto run = feed_runs{in}.find(id);
            if (!run) return std::unexpected{run.error()};
            return in.bad_items(*run, after, std::clamp<std::uint32_t>(limit, 1, largest_page));
        });
    }

    // --- the canonical set ---------------------------------------------------------------------------

    [[nodiscard]] result<watermark> watermark_of(const std::string& feed) {
        return backend_.read("reading a watermark",
                             [&](tables& in) -> result<watermark> { return in.standing(feed); });
    }
    /// By a person: it may go back, or be none, which makes the next run a full one.
    [[nodiscard]] result<watermark> set_watermark(const std::string& feed,
                                                  std::optional<timestamp> value,
                                                  const std::string& who, timestamp now) {
        return backend_.write("setting a watermark", [&](tables& in) {
            return feed_runs{in}.set_watermark(feed, value, who, now);
        });
    }
    [[nodiscard]] result<std::optional<canonical_item>> item(const std::string& feed,
                                                             const std::string& key) {
        return backend_.read("reading an item",
                             [&](tables& in) -> result<std::optional<canonical_item>> {
                                 return in.find_item(feed, key);
                             });
    }
    [[nodiscard]] result<page<canonical_item>> items(const item_query& query) {
        if (auto valid = validate(query); !valid) return std::unexpected{valid.error()};
        return backend_.read("reading items", [&](tables& in) {
            return read_page(
                query, [](const std::string& text) { return parse_item_cursor(text); },
                [&](const item_query& asked, const std::optional<std::string>& after) {
                    return in.find_items(asked, after);
                },
                [](const canonical_item& last) { return cursor_of(last); });
        });
    }

    /// When there is something to do for these feeds, maybe long ago; none: nothing at all.
    [[nodiscard]] result<std::optional<timestamp>> next_due(const std::vector<std::string>& feeds) {
        return backend_.read(
            "looking for work",
            [&](tables& in) -> result<std::optional<timestamp>> { return in.next_due(feeds); });
    }

private:
    using tables = typename Backend::tables;

    Backend backend_;
};

}  // namespace bulk
