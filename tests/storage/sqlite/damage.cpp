// Single bits of a database that change, one in each copy: whatever answer is then another one must come
// with an error that says so, or be found by what `doctor --check` calls.
// `damage FLIPS FIRST_SEED` flips other bits, one for each seed; a seed that is not noticed is printed.
#include <bulk/bulk.hpp>
#include <bulk/storage/sqlite/doctor.hpp>
#include <bulk/storage/sqlite/storage.hpp>

#include <support/raw_database.hpp>
#include <support/stage.hpp>
#include <support/temporary_directory.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <optional>
#include <random>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

using namespace std::chrono_literals;
using bulk::errc;
using bulk::sqlite::storage;

namespace {

struct order {
    std::string number;
    std::string kind;
};
BULK_ROW(order, (number, .row_id = true), kind);

struct approval {
    static constexpr bulk::step_options options{.name = "Approve", .order = 2, .timeout = 24h};
    void execute(const order&, const bulk::no_metadata&, bulk::context&) {}
    std::string signal_key(const order& row, const bulk::no_metadata&) const {
        return "approve-" + row.number;
    }
};

struct ordering : bulk::operation<ordering, order> {
    BULK_OPERATION("ordering", .track_row_data = true, .retryable = true)
    bulk::result<> validate(const order& row, const bulk::no_metadata&) {
        if (row.kind == "invalid") return bulk::fail("order " + row.number + " is invalid");
        return {};
    }
    auto steps() { return bulk::steps(approval{}); }
    BULK_STEP(send, "Send", .order = 1, .max_retries = 1)
    (const order& row, const bulk::no_metadata&, bulk::context& ctx)->bulk::result<> {
        if (row.kind == "hopeless" || (row.kind == "flaky" && ctx.attempt() == 1))
            return bulk::fail("order " + row.number + " cannot be sent");
        return {};
    }
};

using operations = std::remove_const_t<decltype(bulk::operations<ordering, support::pipeline>)>;

std::string orders(int count) {
    std::string all = "number,kind\n";
    for (int i = 1; i <= count; ++i)
        all += "A-" + std::to_string(1000 + i) +
               (i % 11 == 0   ? ",invalid\n"
                : i % 7 == 0  ? ",hopeless\n"
                : i % 13 == 0 ? ",flaky\n"
                              : ",plain\n");
    return all;
}

/// Operations that ended, that were retried and that wait, with everything that a database keeps of them.
std::vector<bulk::operation_id> fill(const std::string& path) {
    support::script script;
    script.second = [](const support::number& row, bulk::context&) -> bulk::outcome {
        if (row.value % 500 == 0) return bulk::outcome::fail("the number is round");
        return bulk::outcome::done();
    };
    support::stage<operations, storage> stage{{}, storage::open(path).value()};
    std::vector<bulk::operation_id> ids;
    ids.push_back(stage.run(support::numbers(4200)).id);
    (void)stage.service->retry(ids[0]);
    (void)stage.finish(ids[0]);
    for (const int count : {300, 200}) {
        const auto id = stage.create(orders(count), "ordering");
        ids.push_back(id);
        stage.drive_for(1h);
        for (int i = 1; i <= count; ++i)
            if (count == 300 || i % 2 == 0)
                (void)(i % 5 == 0
                           ? stage.service->fail_signal(id, "approve-A-" + std::to_string(1000 + i),
                                                        "refused")
                           : stage.service->signal(id, "approve-A-" + std::to_string(1000 + i)));
        (void)stage.service->signal(id, "approve-nobody");
        stage.drive_for(1h);
    }
    (void)stage.service->retry(ids[1]);
    stage.drive_for(1h);
    ids.push_back(stage.create(support::numbers(3)));
    (void)stage.storage.set_event_position("mail", 7);
    return ids;
}

struct answers {
    std::vector<bulk::result<std::vector<bulk::operation_record>>> operations{};
    std::vector<bulk::result<std::vector<bulk::row_record>>> rows{};
    std::vector<bulk::result<std::vector<std::optional<bulk::row_progress>>>> progress{};
    std::vector<bulk::result<std::vector<bulk::event>>> events{};
    std::vector<bulk::result<std::vector<bulk::given_signal>>> signals{};
    std::vector<bulk::result<std::vector<bulk::retry_entry>>> retries{};
    std::vector<bulk::result<std::uint64_t>> numbers{};

    bool operator==(const answers&) const = default;

    /// Whether one of them says that it cannot be given. That an operation is not found says nothing.
    [[nodiscard]] bool is_refused() const {
        const auto any = [](const auto& all) {
            return std::ranges::any_of(all, [](const auto& each) {
                return !each && each.error().code != errc::not_found;
            });
        };
        const auto is_marked = [](const bulk::operation_record& each) {
            return each.error_message.contains("is damaged");
        };
        for (const auto& each : operations)
            if (each && std::ranges::any_of(*each, is_marked)) return true;
        return any(operations) || any(rows) || any(progress) || any(events) || any(signals) ||
               any(retries) || any(numbers);
    }
};

/// All pages of a query.
template <typename T, typename Query, typename Ask>
bulk::result<std::vector<T>> all_of(Query query, Ask ask, std::uint64_t& total) {
    std::vector<T> all;
    query.page_size = 1000;
    do {
        auto page = ask(query);
        if (!page) return std::unexpected{page.error()};
        if constexpr (requires { page->total; }) total = page->total;
        all.insert(all.end(), page->items.begin(), page->items.end());
        query.after = page->next;
    } while (!query.after.empty() && all.size() < 100'000);
    return all;
}

answers ask(storage& store, const std::vector<bulk::operation_id>& ids) {
    answers said;
    std::uint64_t total = 0;
    const auto find = [&](const auto& query) { return store.query(query); };
    for (const auto sort : {bulk::operation_sort::created_at, bulk::operation_sort::name,
                            bulk::operation_sort::state})
        said.operations.push_back(
            all_of<bulk::operation_record>(bulk::operation_query{.sort = sort}, find, total));
    said.events.push_back(store.events(std::nullopt, 0, 1000));
    const auto position = store.event_position("mail");
    said.numbers.push_back(position ? bulk::result<std::uint64_t>{position->value_or(0)}
                                    : std::unexpected{position.error()});
    for (const auto id : ids) {
        const auto one = store.get(id);
        said.operations.push_back(one ? bulk::result<std::vector<bulk::operation_record>>{{*one}}
                                      : std::unexpected{one.error()});
        const auto rows = [&](bulk::row_query query) {
            query.operation = id;
            said.rows.push_back(all_of<bulk::row_record>(query, find, total));
            said.numbers.push_back(total);
        };
        rows({});
        rows({.errors_only = true});
        rows({.state = bulk::row_state::waiting_for_completion});
        rows({.row_id_contains = "A-10"});
        said.progress.push_back(store.progress(id, bulk::row_number{1}, 4300));
        said.events.push_back(store.events(id, 0, 1000));
        said.signals.push_back(store.signals(id, 0, 1000));
        said.retries.push_back(all_of<bulk::retry_entry>(
            bulk::retry_history_query{.operation = id},
            [&](const auto& query) { return store.retry_history(query); }, total));
    }
    return said;
}

enum class finding : std::uint8_t { by_reading, by_check, changed_until_check, harmless, silent };

/// What becomes of a copy of the database with one bit changed.
class laboratory {
public:
    laboratory() {
        const auto path = directory_.path("bulk.db");
        ids_ = fill(path);
        support::raw_database{path}.run(
            "VACUUM; PRAGMA wal_checkpoint(TRUNCATE)");  // unused space takes no harm
        std::ifstream file{path, std::ios::binary};
        bytes_.assign(std::istreambuf_iterator<char>{file}, {});
        auto store = open().value();
        wanted_ = ask(store, ids_);
    }

    /// What is wrong with the copy before any bit has changed.
    [[nodiscard]] std::string complaints() {
        std::string all = wanted_.is_refused() ? "an undamaged database is refused\n" : "";
        const auto health = check();
        if (!health) return all + health.error().message;
        for (const auto& each : health->damage) all += to_text(each) + '\n';
        return all;
    }

    [[nodiscard]] finding flip(std::uint64_t bit) {
        auto& byte = bytes_[bit / 8];
        byte = static_cast<char>(byte ^ (1 << bit % 8));
        const auto found = look();
        byte = static_cast<char>(byte ^ (1 << bit % 8));
        return found;
    }

    [[nodiscard]] std::uint64_t bits() const { return bytes_.size() * 8; }

private:
    [[nodiscard]] std::string copy() const { return directory_.path("copy.db"); }

    void write_copy() const {
        for (const auto* end : {"-wal", "-shm"}) std::remove((copy() + end).c_str());
        std::ofstream{copy(), std::ios::binary | std::ios::trunc}.write(
            bytes_.data(), static_cast<std::streamsize>(bytes_.size()));
    }

    [[nodiscard]] bulk::result<storage> open() const {
        write_copy();
        return storage::open(copy(), {.files_directory = directory_.path("bulk.db-files")});
    }

    [[nodiscard]] bulk::result<bulk::store_health> check() const {
        write_copy();  // whoever opens a database may write to it
        return bulk::sqlite::examine(copy(), {.files_directory = directory_.path("bulk.db-files")},
                                     bulk::sqlite::examination::everything);
    }

    [[nodiscard]] finding look() {
        bool is_same = false;
        {
            auto store = open();
            if (!store) return finding::by_reading;
            const auto said = ask(*store, ids_);
            if (said.is_refused()) return finding::by_reading;
            is_same = said == wanted_;
        }
        const auto health = check();
        if (!health || !health->damage.empty())
            return is_same ? finding::by_check : finding::changed_until_check;
        return is_same ? finding::harmless : finding::silent;
    }

    support::temporary_directory directory_;
    std::vector<bulk::operation_id> ids_;
    std::string bytes_;
    answers wanted_;
};

}  // namespace

int main(int argc, char** argv) {
    support::prefer_memory();
    const std::uint64_t flips = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 100;
    const std::uint64_t first = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
    laboratory place;
    if (const auto wrong = place.complaints(); !wrong.empty()) {
        std::printf("%s\n", wrong.c_str());
        return 1;
    }
    std::uint64_t found[5] = {};
    for (std::uint64_t seed = first; seed < first + flips; ++seed) {
        const auto bit = std::mt19937_64{seed}() % place.bits();
        const auto what = place.flip(bit);
        ++found[static_cast<std::size_t>(what)];
        if (what == finding::silent)
            std::printf("seed %llu: bit %llu of byte %llu is not noticed\n",
                        static_cast<unsigned long long>(seed),
                        static_cast<unsigned long long>(bit % 8),
                        static_cast<unsigned long long>(bit / 8));
    }
    const auto count = [&](finding what) {
        return static_cast<unsigned long long>(found[static_cast<std::size_t>(what)]);
    };
    std::printf(
        "%llu flips in %llu bytes: noticed by reads %llu, by the check alone %llu (changed answers "
        "until then %llu), harmless %llu, silent %llu\n",
        static_cast<unsigned long long>(flips), static_cast<unsigned long long>(place.bits() / 8),
        count(finding::by_reading), count(finding::by_check) + count(finding::changed_until_check),
        count(finding::changed_until_check), count(finding::harmless), count(finding::silent));
    return count(finding::silent) == 0 ? 0 : 1;
}
