// Looks at everything that processes which were killed have left in a directory, when the work is done:
// records, counters, events, the effects of the steps, and files that nobody needs any more.
#pragma once

#include <bulk/storage/sqlite/doctor.hpp>
#include <bulk/storage/sqlite/storage.hpp>

#include <support/effects.hpp>
#include <support/operation_story.hpp>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace support {

class crash_audit {
public:
    using effect_map = std::map<std::tuple<std::string, std::uint64_t, int>, std::vector<effect>>;

    /// Of the database in a directory, and the plain file beside it. Nobody has it open.
    crash_audit(std::string directory, int last_step, std::set<int> ledger_steps)
        : directory_{std::move(directory)},
          last_step_{last_step},
          ledger_steps_{std::move(ledger_steps)} {
        const auto path = database_in(directory_);
        auto look = bulk::sqlite::connection::open(path, {});
        if (look) {
            const auto sound = (*look)->value<std::string>("PRAGMA integrity_check");
            if (sound.value() != "ok") wrong("the database is damaged: " + **sound);
            for (auto& each : read_ledger(**look)) put(ledger_, std::move(each));
        }
        if (auto health = bulk::sqlite::examine(path, {}, bulk::sqlite::examination::everything))
            for (const auto& each : health->damage) wrong("doctor: " + to_text(each));
        else
            wrong("doctor: " + health.error().message);
        for (auto& each : effects_file::read(effects_in(directory_)))
            put(effects_, std::move(each));
        auto opened = bulk::sqlite::storage::open(path);
        if (opened)
            storage_.emplace(std::move(*opened));
        else
            wrong(opened.error().message);
    }

    [[nodiscard]] static std::string database_in(const std::string& directory) {
        return directory + "/bulk.db";
    }
    [[nodiscard]] static std::string effects_in(const std::string& directory) {
        return directory + "/effects";
    }

    [[nodiscard]] std::vector<bulk::operation_record> operations() {
        std::vector<bulk::operation_record> all;
        if (!storage_) return all;
        bulk::operation_query query{.descending = false, .page_size = 1000};
        do {
            auto page = storage_->query(query).value();
            all.insert(all.end(), page.items.begin(), page.items.end());
            query.after = page.next;
        } while (!query.after.empty());
        return all;
    }

    /// How far a row is, and what its records say.
    struct standing {
        int last = -2;  ///< the last step that has a record; -1 is its validation
        bulk::row_state state{};
    };

    /// Everything about one operation that has ended; the rows' standings.
    std::vector<standing> check(const bulk::operation_record& operation, std::uint64_t rows) {
        about_ = "operation " + to_text(operation.id) + ": ";
        std::vector<standing> all;
        bulk::row_counters counted{.total = rows};
        for (std::uint64_t row = 1; row <= rows; ++row)
            all.push_back(check_row(operation, row, counted));
        if (!is_final(operation.state)) wrong(std::string{bulk::name_of(operation.state)});
        const bool is_whole = operation.state == bulk::operation_state::completed ||
                              operation.state == bulk::operation_state::completed_with_errors;
        if (!is_whole) counted.total = operation.rows.total;
        if (operation.rows != counted)
            wrong("counters say " + show(operation.rows) + ", records " + show(counted));
        if (is_whole && operation.state != final_state(counted)) wrong("ended in a wrong state");
        for (const auto& each : operation_story_problems(*storage_, operation)) wrong(each);
        about_.clear();
        return all;
    }

    /// What nobody needs any more is gone. Closes the storage.
    void check_files() {
        std::set<std::string> used;
        for (const auto& each : operations()) used.insert(each.file_id);
        std::set<std::string> there;
        if (storage_)
            for (const auto found = storage_->files({}, 1000).value(); const auto& each : found)
                there.insert(each.id);
        if (used != there)
            wrong(std::to_string(there.size()) + " uploads of " + std::to_string(used.size()) +
                  " operations");
        storage_.reset();
        const std::set<std::string> known{"bulk.db", "bulk.db-files", "effects"};
        for (const auto& each : std::filesystem::directory_iterator{directory_}) {
            const auto name = each.path().filename().string();
            if (!known.contains(name) && !name.starts_with("note-")) wrong("left behind: " + name);
        }
        for (const auto& each :
             std::filesystem::directory_iterator{directory_ + "/bulk.db-files"}) {
            const auto name = each.path().filename().string();
            if (!there.contains(name)) wrong("left behind in the uploads: " + name);
        }
    }

    [[nodiscard]] const effect_map& effects() const { return effects_; }
    [[nodiscard]] const effect_map& ledger() const { return ledger_; }
    [[nodiscard]] bulk::sqlite::storage& storage() { return *storage_; }

    void wrong(const std::string& what) { problems_ += about_ + what + '\n'; }
    /// A line each; empty when all is well.
    [[nodiscard]] const std::string& problems() const { return problems_; }

private:
    static void put(effect_map& into, effect each) {
        auto& all = into[{each.operation, each.row, each.step}];
        all.push_back(std::move(each));
    }

    standing check_row(const bulk::operation_record& operation, std::uint64_t row,
                       bulk::row_counters& counted) {
        const auto name = "row " + std::to_string(row);
        standing at;
        bool has_ended = false;
        for (int step = -1; step <= last_step_; ++step) {
            const auto found = storage_->get(operation.id, bulk::row_number{row},
                                             static_cast<bulk::step_index>(step));
            const auto& record = found.value();
            check_effects(operation, row, step, record);
            if (!record) continue;
            if (at.last != step - 1) wrong(name + " has a gap before step " + std::to_string(step));
            if (has_ended) wrong(name + " goes on after its end");
            at = {step, record->state};
            has_ended = record->state != bulk::row_state::completed;
        }
        const bool is_failed = at.last >= -1 && (at.state == bulk::row_state::failed ||
                                                 at.state == bulk::row_state::timed_out);
        const bool is_done = at.last == last_step_ && at.state == bulk::row_state::completed;
        if (is_failed || is_done) count_row(counted, is_done);
        const bool may_be_open = operation.state == bulk::operation_state::cancelled;
        if (!is_failed && !is_done && !may_be_open) wrong(name + " is in no final state");
        return at;
    }

    /// Exactly one entry in the ledger of a step that is done, none of others; one line at least of
    /// either; and nothing was executed in a life after that in which it, or a later one, was stored.
    void check_effects(const bulk::operation_record& operation, std::uint64_t row, int step,
                       const std::optional<bulk::row_record>& record) {
        const auto name = "row " + std::to_string(row) + ", step " + std::to_string(step);
        const std::tuple key{to_text(operation.id), row, step};
        const bool is_done = record && record->state == bulk::row_state::completed;
        if (step >= 0 && is_done && !effects_.contains(key)) wrong(name + " was not executed");
        if (!ledger_steps_.contains(step)) return;
        const auto entries = ledger_.find(key);
        const auto count = entries == ledger_.end() ? 0 : entries->second.size();
        if (count != (is_done ? 1U : 0U))
            wrong(name + " is " + (record ? std::string{bulk::name_of(record->state)} : "nothing") +
                  " and has " + std::to_string(count) + " entries in the ledger");
        if (count == 0) return;
        for (int before = -1; before <= step; ++before)
            if (const auto lines = effects_.find({to_text(operation.id), row, before});
                lines != effects_.end())
                for (const auto& each : lines->second)
                    if (each.life > entries->second.front().life)
                        wrong("row " + std::to_string(row) + ", step " + std::to_string(before) +
                              " was executed in life " + std::to_string(each.life) +
                              ", stored in " + std::to_string(entries->second.front().life));
    }

    static std::string show(const bulk::row_counters& rows) {
        return std::to_string(rows.total) + '/' + std::to_string(rows.processed) + '/' +
               std::to_string(rows.successful) + '/' + std::to_string(rows.failed);
    }

    std::string directory_;
    int last_step_;
    std::set<int> ledger_steps_;
    effect_map effects_, ledger_;
    std::optional<bulk::sqlite::storage> storage_;
    std::string about_, problems_;
};

}  // namespace support
