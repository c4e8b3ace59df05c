// Every combination of filters, orders and directions, compared with a plain list of all records.
#pragma once

#include "operations.hpp"
#include "retry.hpp"
#include "rows.hpp"

#include <bulk/core/names.hpp>
#include <bulk/core/reflect.hpp>
#include <bulk/storage/completed_run.hpp>
#include <bulk/storage/concepts.hpp>

#include <support/ut.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <ranges>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace conformance {

/// The values that one parameter of a query can have; the first leaves it unset.
template <typename Query>
using query_choices = std::vector<std::function<void(Query&)>>;

/// Calls `visit` with every combination.
template <typename Query, typename Visit>
void each_combination(const std::vector<query_choices<Query>>& parameters, const Query& query,
                      const Visit& visit, std::size_t next = 0) {
    if (next == parameters.size()) {
        visit(query);
        return;
    }
    for (const auto& choose : parameters[next]) {
        auto chosen = query;
        choose(chosen);
        each_combination(parameters, chosen, visit, next + 1);
    }
}

/// Unset, or each value of an enumeration.
template <typename Query, typename E>
query_choices<Query> each_value(std::optional<E> Query::* member) {
    query_choices<Query> choices{[](Query&) {}};
    for (const auto& entry : bulk::enumerators_of<E>)
        choices.push_back([member, value = entry.value](Query& q) { q.*member = value; });
    return choices;
}

template <typename Query, typename E>
query_choices<Query> each_order(E Query::* member) {
    query_choices<Query> choices;
    for (const auto& entry : bulk::enumerators_of<E>)
        for (const bool is_descending : {false, true})
            choices.push_back([=, value = entry.value](Query& q) {
                q.*member = value;
                q.descending = is_descending;
            });
    return choices;
}

inline std::string lower(std::string text) {
    std::ranges::transform(text, text.begin(), [](char c) { return bulk::lower_case(c); });
    return text;
}

/// Reads all pages; `ask` answers a query. A total is asked for with the first page only.
template <typename Query, typename Ask, typename Add>
std::string read_pages(Query query, std::uint64_t expected, const Ask& ask, const Add& add) {
    std::uint64_t count = 0;
    for (std::size_t pages = 0; pages < 100; ++pages) {
        const auto page = ask(query);
        if (!page) return page.error().message;
        if (pages == 0 && page->total != expected)
            return "total " + std::to_string(page->total) + ", not " + std::to_string(expected);
        if (!page->next.empty() && page->items.size() != query.page_size) return "a short page";
        for (const auto& each : page->items) add(each);
        count += page->items.size();
        if (page->next.empty()) return count == expected ? "" : "not as many as the total";
        query.after = page->next;
        if constexpr (requires { query.with_total; }) query.with_total = false;
    }
    return "paging does not end";
}

/// The records of one operation, as a list.
class row_model {
public:
    void add(const bulk::row_record& record) {
        all_[{to_number(record.row), to_number(record.step)}] = record;
    }
    void name(std::uint64_t number, const std::string& id) { ids_[number] = id; }

    [[nodiscard]] std::string id_of(const bulk::row_record& record) const {
        const auto found = ids_.find(to_number(record.row));
        return found == ids_.end() ? std::string{} : found->second;
    }

    [[nodiscard]] bool matches(const bulk::row_query& query, const bulk::row_record& record) const {
        using enum bulk::row_state;
        const auto& rows = query.rows;
        if (!rows.empty() && std::ranges::find(rows, record.row) == rows.end()) return false;
        if (query.from_row && record.row < *query.from_row) return false;
        if (query.to_row && record.row > *query.to_row) return false;
        if (!lower(id_of(record)).contains(lower(query.row_id_contains))) return false;
        if (!query.signal_key.empty() &&
            (record.state != waiting_for_completion || record.signal_key != query.signal_key))
            return false;
        if (query.awaits_signal &&
            (record.state != waiting_for_completion || record.signal_key.empty()))
            return false;
        if (query.step && record.step != *query.step) return false;
        if (query.state && record.state != *query.state) return false;
        if (query.failure && record.failure != query.failure) return false;
        if (query.errors_only && record.state != failed && record.state != timed_out) return false;
        return record.retry_attempt >= query.min_retry_attempt;
    }

    using place = std::pair<std::uint64_t, int>;

    [[nodiscard]] std::vector<place> find(const bulk::row_query& query) const {
        std::vector<std::tuple<std::int64_t, std::string, place>> found;
        for (const auto& [at, record] : all_) {
            if (!matches(query, record)) continue;
            const bool by_id = query.sort == bulk::row_sort::row_id;
            found.emplace_back(key(query.sort, record), by_id ? id_of(record) : std::string{}, at);
        }
        std::ranges::sort(found);
        if (query.descending) std::ranges::reverse(found);
        std::vector<place> places;
        for (const auto& each : found) places.push_back(std::get<place>(each));
        return places;
    }

private:
    [[nodiscard]] static std::int64_t key(bulk::row_sort sort, const bulk::row_record& record) {
        using enum bulk::row_sort;
        switch (sort) {
            case step:
                return to_number(record.step);
            case state:
                return std::to_underlying(record.state);
            case failure:
                return record.failure ? 1 + std::to_underlying(*record.failure) : 0;
            case started_at:
                return record.started_at ? record.started_at->time_since_epoch().count() : 0;
            default:
                return 0;
        }
    }

    std::map<place, bulk::row_record> all_;
    std::map<std::uint64_t, std::string> ids_;
};

/// Rows on two pages: packed ones, and others of each state, failure and attempt.
inline bulk::row_batch various_rows(row_model& model) {
    using enum bulk::row_state;
    constexpr auto edge = bulk::rows_per_page;
    bulk::row_batch batch{.completed = {{row(1), 12, step(-1), step(-1), at(0), at(1)},
                                        {row(1), 4, step(0), step(2), at(20), at(21)},
                                        {row(edge - 1), 4, step(-1), step(1), at(9), at(10)}}};
    for (const auto& run : batch.completed)
        for (std::uint64_t i = 0; i < run.rows; ++i)
            for (int at_step = to_number(run.first_step); at_step <= to_number(run.last_step);
                 ++at_step) {
                auto packed = record_of(to_number(run.first_row) + i, at_step, completed);
                packed.started_at = run.started_at;
                model.add(packed);
            }
    const auto& failures = bulk::enumerators_of<bulk::error_type>;
    std::size_t count = 0;
    for (const auto& [number, at_step] : std::vector<row_model::place>{
             {3, 2},        {5, 0},         {6, 0},         {6, 1},         {7, 0},
             {8, 0},        {9, 0},         {10, 0},        {11, 0},        {12, -1},
             {12, 0},       {13, -1},       {14, 1},        {15, 0},        {edge - 1, 1},
             {edge, 2},     {edge + 1, -1}, {edge + 1, 2},  {edge + 2, 0},  {edge + 3, 0},
             {edge + 3, 1}, {edge + 4, 0},  {edge + 5, -1}, {edge + 6, -1}, {edge + 7, 1}}) {
        auto record = record_of(number, at_step, static_cast<bulk::row_state>(count % 6));
        record.started_at = at(static_cast<int>(count * 7 % 5));
        record.retry_attempt = count % 4 == 0 ? 2 : 0;
        if (record.state == failed || record.state == timed_out)
            record.failure = failures[count % failures.size()].value;
        if (count % 5 == 0)
            record.failure = bulk::error_type::step_failure;  // of an earlier attempt
        if (count % 3 == 2) record.signal_key = count % 2 == 0 ? "key" : "other";
        model.add(record);
        batch.records.push_back(record);
        ++count;
    }
    for (const auto& [number, id] :
         std::vector<std::pair<std::uint64_t, std::string>>{{1, "Zed"},
                                                            {2, "anna"},
                                                            {3, "Annabel"},
                                                            {6, "Joanna"},
                                                            {8, "bob"},
                                                            {9, "ANNA"},
                                                            {edge, "Susanna"},
                                                            {edge + 3, "anna"},
                                                            {edge + 5, "zed"}}) {
        batch.row_ids.emplace_back(row(number), id);
        model.name(number, id);
    }
    return batch;
}

inline std::vector<query_choices<bulk::row_query>> row_parameters() {
    using bulk::row_query;
    constexpr auto edge = bulk::rows_per_page;
    return {{[](row_query&) {},
             [](row_query& q) {
                 q.rows = {row(edge + 3), row(3), row(6), row(8), row(3), row(edge), row(777)};
             }},
            {[](row_query&) {},
             [](row_query& q) {
                 q.from_row = row(3);
                 q.to_row = row(edge + 4);
             }},
            {[](row_query&) {}, [](row_query& q) { q.row_id_contains = "aNNa"; }},
            {[](row_query&) {}, [](row_query& q) { q.signal_key = "key"; },
             [](row_query& q) { q.awaits_signal = true; }},
            {[](row_query&) {}, [](row_query& q) { q.step = step(0); }},
            each_value(&row_query::state),
            {[](row_query&) {}, [](row_query& q) { q.failure = bulk::error_type::step_failure; }},
            {[](row_query&) {}, [](row_query& q) { q.errors_only = true; }},
            {[](row_query&) {}, [](row_query& q) { q.min_retry_attempt = 1; }}};
}

inline std::string described(const bulk::row_query& q) {
    return "rows " + std::to_string(q.rows.size()) + ", range " +
           std::to_string(q.from_row.has_value()) + ", id '" + q.row_id_contains + "', key '" +
           q.signal_key + (q.awaits_signal ? "' or any, step " : "', step ") +
           std::to_string(q.step.has_value()) + ", state " +
           std::string{q.state ? bulk::name_of(*q.state) : "any"} + ", failure " +
           std::to_string(q.failure.has_value()) + ", errors " + std::to_string(q.errors_only) +
           ", retries " + std::to_string(q.min_retry_attempt) + ", sort " +
           std::string{bulk::name_of(q.sort)} + (q.descending ? " descending" : "");
}

/// Many combinations are wrong at once: one message says how many, and which the first is.
class combination_tally {
public:
    template <typename Describe>
    void add(const std::string& trouble, const Describe& describe) {
        ++count_;
        if (!trouble.empty() && wrong_++ == 0) first_ = describe() + ": " + trouble;
    }
    void report() const {
        using namespace boost::ut;
        expect(wrong_ == 0_u) << wrong_ << "of" << count_ << "combinations; the first:" << first_;
    }

private:
    std::uint64_t count_ = 0, wrong_ = 0;
    std::string first_;
};

template <typename Make>
void check_combinations(Make make) {
    using namespace boost::ut;

    const auto with_various_rows = [&](row_model& model) {
        auto store = make();
        (void)store->create(operation(1), {});
        const auto held = store->claim(request(0)).value().value().held;
        expect(fatal(store->record(held, various_rows(model)).has_value()));
        return store;
    };

    "every combination of row filters, orders and directions answers"_test = [&] {
        row_model model;
        auto store = with_various_rows(model);
        auto parameters = row_parameters();
        parameters.push_back(each_order(&bulk::row_query::sort));
        combination_tally tally;
        each_combination(parameters, bulk::row_query{.operation = operation(1).id, .page_size = 7},
                         [&](const bulk::row_query& query) {
                             const auto wanted = model.find(query);
                             std::vector<row_model::place> found;
                             auto trouble = read_pages(
                                 query, wanted.size(),
                                 [&](const auto& q) { return store->query(q); },
                                 [&](const bulk::row_record& each) {
                                     found.emplace_back(to_number(each.row), to_number(each.step));
                                 });
                             if (trouble.empty() && found != wanted) trouble = "other records";
                             tally.add(trouble, [&] { return described(query); });
                         });
        tally.report();
    };

    "every combination of row filters gives the numbers of its rows"_test = [&] {
        row_model model;
        auto store = with_various_rows(model);
        auto parameters = row_parameters();
        parameters.push_back(
            {[](bulk::row_query&) {}, [](bulk::row_query& q) { q.descending = true; }});
        combination_tally tally;
        each_combination(parameters, bulk::row_query{.operation = operation(1).id, .page_size = 5},
                         [&](const bulk::row_query& query) {
                             std::vector<std::uint64_t> wanted, found;
                             for (const auto& [number, at_step] : model.find(query))
                                 wanted.push_back(number);
                             const auto twice = std::ranges::unique(wanted);
                             wanted.erase(twice.begin(), twice.end());
                             auto trouble = read_pages(
                                 query, wanted.size(),
                                 [&](const auto& q) { return store->row_numbers(q); },
                                 [&](bulk::row_number each) { found.push_back(to_number(each)); });
                             if (trouble.empty() && found != wanted) trouble = "other rows";
                             tally.add(trouble, [&] { return described(query); });
                         });
        tally.report();
    };

    "every combination of operation filters, orders and directions answers"_test = [&] {
        using bulk::operation_query, bulk::operation_record, bulk::operation_sort;
        auto store = make();
        std::vector<operation_record> all;
        const std::array<std::string, 3> names{"Import users", "export", "import"};
        const auto& states = bulk::enumerators_of<bulk::operation_state>;
        for (int i = 0; i < 27; ++i) {
            const auto number = static_cast<std::uint64_t>(i);
            auto record = operation(i * 5 % 27, names[number % names.size()]);
            record.created_by = number % 2 == 0 ? "Anna" : "ops";
            record.source = number % 4 < 2 ? "desk" : "";
            record.state = states[number % states.size()].value;
            record.created_at = at(i % 9);
            record.rows = {.total = number % 5, .processed = number % 3};
            expect(fatal(store->create(record, {}).has_value()));
            all.push_back(record);
        }
        const auto matches = [](const operation_query& q, const operation_record& each) {
            return lower(each.name).contains(lower(q.name_contains)) &&
                   lower(each.created_by).contains(lower(q.created_by_contains)) &&
                   (q.source.empty() || each.source == q.source) &&
                   (!q.state || each.state == *q.state) &&
                   (!q.created_from || each.created_at >= *q.created_from) &&
                   (!q.created_to || each.created_at <= *q.created_to);
        };
        const auto key = [](operation_sort sort, const operation_record& each) {
            const auto number = [&]() -> std::int64_t {
                switch (sort) {
                    case operation_sort::name:
                        return 0;
                    case operation_sort::state:
                        return std::to_underlying(each.state);
                    case operation_sort::total_rows:
                        return static_cast<std::int64_t>(each.rows.total);
                    case operation_sort::processed_rows:
                        return static_cast<std::int64_t>(each.rows.processed);
                    default:
                        return each.created_at.time_since_epoch().count();
                }
            };
            return std::tuple{
                number(), sort == operation_sort::name ? lower(each.name) : std::string{}, each.id};
        };
        const std::vector<query_choices<operation_query>> parameters{
            {[](operation_query&) {}, [](operation_query& q) { q.name_contains = "IMP"; }},
            {[](operation_query&) {}, [](operation_query& q) { q.created_by_contains = "nn"; }},
            {[](operation_query&) {}, [](operation_query& q) { q.source = "desk"; }},
            each_value(&operation_query::state),
            {[](operation_query&) {}, [](operation_query& q) { q.created_from = at(2); }},
            {[](operation_query&) {}, [](operation_query& q) { q.created_to = at(6); }},
            each_order(&operation_query::sort)};
        combination_tally tally;
        each_combination(
            parameters, operation_query{.page_size = 4}, [&](const operation_query& query) {
                std::vector<bulk::operation_id> wanted, found;
                auto chosen = all;
                std::erase_if(chosen, [&](const auto& each) { return !matches(query, each); });
                std::ranges::sort(chosen, {},
                                  [&](const auto& each) { return key(query.sort, each); });
                if (query.descending) std::ranges::reverse(chosen);
                for (const auto& each : chosen) wanted.push_back(each.id);
                auto trouble = read_pages(
                    query, wanted.size(), [&](const auto& q) { return store->query(q); },
                    [&](const operation_record& each) { found.push_back(each.id); });
                if (trouble.empty() && found != wanted) trouble = "other operations";
                tally.add(trouble, [&] { return std::string{bulk::name_of(query.sort)}; });
            });
        tally.report();
    };

    "every combination of filters of the retry history answers"_test = [&] {
        using bulk::retry_history_query, bulk::operation_state;
        using place = std::tuple<std::uint64_t, int, std::uint32_t>;
        auto store = make();
        (void)store->create(operation(1), {});
        std::vector<place> all;
        for (std::uint32_t attempt = 0; attempt < 3; ++attempt) {
            auto claimed = store->claim(request(static_cast<int>(attempt) * 100)).value().value();
            bulk::row_batch batch;
            for (std::uint64_t number = 1 + attempt; number <= 6; ++number) {
                const int at_step = static_cast<int>((number + attempt) % 2);
                batch.records.push_back(failed_row(number, at_step));
                batch.records.back().retry_attempt = attempt;
                all.emplace_back(number, at_step, attempt);
            }
            batch.counted = {.processed = 6 - attempt, .failed = 6 - attempt};
            expect(fatal(store->record(claimed.held, batch).has_value()));
            claimed.operation = store->get(operation(1).id).value();
            claimed.operation.state = operation_state::completed_with_errors;
            claimed.operation.completed_at = at(99);
            expect(fatal(store->update(claimed.held, claimed.operation, {}).has_value()));
            auto again = store->get(operation(1).id).value();
            (void)move_to(again, operation_state::retrying, at(100));
            expect(fatal(store->retry(again, {}, {}, {}).has_value()));
        }
        std::ranges::sort(all);
        const std::vector<query_choices<retry_history_query>> parameters{
            {[](retry_history_query&) {}, [](retry_history_query& q) { q.row = row(3); },
             [](retry_history_query& q) { q.row = row(77); }},
            {[](retry_history_query&) {}, [](retry_history_query& q) { q.step = step(1); }},
            {[](retry_history_query&) {}, [](retry_history_query& q) { q.retry_attempt = 1; }}};
        each_combination(
            parameters, retry_history_query{.operation = operation(1).id, .page_size = 2},
            [&](const retry_history_query& query) {
                auto wanted = all;
                std::erase_if(wanted, [&](const place& each) {
                    const auto& [number, at_step, attempt] = each;
                    return (query.row && to_number(*query.row) != number) ||
                           (query.step && to_number(*query.step) != at_step) ||
                           (query.retry_attempt && *query.retry_attempt != attempt);
                });
                std::vector<place> found;
                const auto trouble = read_pages(
                    query, wanted.size(), [&](const auto& q) { return store->retry_history(q); },
                    [&](const bulk::retry_entry& each) {
                        found.emplace_back(to_number(each.row), to_number(each.step),
                                           each.retry_attempt);
                    });
                expect(trouble.empty()) << trouble;
                expect(fatal(found.size() == wanted.size()));
                expect(std::ranges::equal(found, wanted)) << "other entries";
            });
    };

    "every combination of an operation and a position finds its events"_test = [&] {
        auto store = make();
        std::vector<bulk::event> all;
        for (int i = 0; i < 12; ++i) {
            const auto record = operation(i);
            expect(fatal(store->create(record, {created_event(record)}).has_value()));
        }
        all = store->events(std::nullopt, 0, 100).value();
        expect(fatal(all.size() == 12_ul));
        for (const auto& id : {std::optional<bulk::operation_id>{}, std::optional{operation(5).id},
                               std::optional{operation(77).id}})
            for (const auto& after :
                 {std::optional<std::uint64_t>{}, std::optional{all[0].sequence},
                  std::optional{all[6].sequence}})
                for (const std::uint32_t limit : {1U, 4U, 100U}) {
                    auto wanted = all;
                    std::erase_if(wanted, [&](const auto& each) {
                        return (id && each.operation != *id) || (after && each.sequence <= *after);
                    });
                    // Without a position the newest are given, in the order in which they happened.
                    if (wanted.size() > limit && !after)
                        wanted.erase(wanted.begin(), wanted.end() - limit);
                    if (wanted.size() > limit) wanted.resize(limit);
                    expect(store->events(id, after, limit).value() == wanted);
                }
    };
}

}  // namespace conformance
