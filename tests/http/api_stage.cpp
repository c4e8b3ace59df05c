#include <http/api_stage.hpp>

#include <bulk/bulk.hpp>
#include <bulk/feed.hpp>
#include <bulk/feed/service.hpp>
#include <bulk/http/api.hpp>
#include <bulk/storage/memory/records.hpp>

#include <support/article_feed.hpp>
#include <support/faulty_feeds.hpp>
#include <support/faulty_storage.hpp>
#include <support/seeded_executor.hpp>

#include <algorithm>
#include <atomic>
#include <span>
#include <string_view>
#include <utility>
#include <variant>

namespace api_stage {

namespace {

struct transfer {
    std::string account;
    int amount = 0;
    std::optional<bulk::pii<std::string>> iban;
};
BULK_ROW(transfer, (account, .row_id = true), amount, iban);

struct order {
    std::optional<std::string> requested_by;
    std::optional<bulk::pii<std::string>> secret;
};
BULK_METADATA(order, (requested_by, .description = "who ordered it"), secret);

struct transfers : bulk::operation<transfers, transfer, order> {
    BULK_OPERATION("transfers", .description = "Moves money", .track_row_data = true,
                   .retryable = true)
    bulk::result<> validate(const transfer& row, const order&) {
        if (row.amount < 0) return bulk::fail("an amount is not negative");
        return {};
    }
    BULK_STEP(approve, "Approve", .order = 1)
    (const transfer& row, const order&, bulk::context&) {
        if (row.account.starts_with('W'))
            return bulk::outcome::wait_for_signal("approve-" + row.account);
        return bulk::outcome::done();
    }
    BULK_STEP(book_it, "Book", .order = 2)
    (const transfer& row, const order&, bulk::context&) {
        return book ? book(row.account) : bulk::outcome::done();
    }
};

struct articles : support::article_feed<articles> {
    BULK_FEED("articles", .description = "What the shop has", .max_retries = 0)
};

using operation_storage = support::faulty_storage<bulk::memory::records>;
using feed_storage = support::faulty_feeds<bulk::memory::records>;

}  // namespace

struct stage::parts {
    parts(const bulk::http::api_options& options, bulk::service_options on, bool has_feeds,
          bool has_operations)
        : service{bulk::operations<transfers>,
                  operation_storage{records, [this](const char*) { return fails(); }},
                  named(std::move(on)), bulk::read_options{}, &jobs} {
        support::source_behaviour::now() = &source;
        source.on_fetch = [](std::uint32_t, std::uint64_t) {
            return fetch_page ? fetch_page() : bulk::result<>{};
        };
        source.on_map = [](const auto&) { return map_item ? map_item() : bulk::result<>{}; };
        if (has_feeds) {
            feed_storage faulty{records};
            faulty.faults().before = [this](std::string_view) { return fails(); };
            feeds.emplace(bulk::feeds<articles>, std::move(faulty),
                          bulk::feed_service_options{.worker_name = "test"}, &jobs);
            for (int i = 0; i < 20; ++i)
                source.data.put({"a" + std::to_string(100 + i), i * 10, 1,
                                 (jobs.now() - std::chrono::hours{24}).time_since_epoch().count()});
        }
        api = bulk::http::make_api(has_operations ? &service : nullptr, feeds ? &*feeds : nullptr,
                                   options);
    }
    ~parts() {
        api.reset();
        feeds.reset();
        jobs.drop_all();
    }

    [[nodiscard]] bool fails() {
        if (storage_fails) ++failed_calls;
        return storage_fails;
    }

    static bulk::service_options named(bulk::service_options on) {
        on.service_name = "test";
        return on;
    }

    std::atomic<bool> storage_fails = false;
    std::atomic<int> failed_calls = 0;
    support::source_behaviour source;
    support::seeded_executor jobs{1};
    bulk::memory::records records;
    bulk::any_storage storage{records};
    bulk::service service;
    std::optional<bulk::feed_service> feeds;
    std::shared_ptr<bulk::http::application> api;
};

stage::stage(bulk::http::api_options options, bulk::service_options service, bool has_feeds,
             bool has_operations)
    : parts_{std::make_unique<parts>(options, std::move(service), has_feeds, has_operations)} {
    book = {};
}
stage::~stage() {
    book = {};
    fetch_page = map_item = {};
}

bulk::http::application& stage::app() { return *parts_->api; }
bulk::service& stage::service() { return parts_->service; }
bulk::any_storage& stage::storage() { return parts_->storage; }
void stage::fail_storage() {
    parts_->failed_calls = 0;
    parts_->storage_fails = true;
}
int stage::failed_calls() const { return parts_->failed_calls; }

void stage::drive() { advance(std::chrono::milliseconds{1'500}); }

void stage::advance(std::chrono::microseconds time) {
    auto& jobs = parts_->jobs;
    const auto end = jobs.now() + time;
    jobs.submit_at(end, bulk::job{[] {}});  // the clock stops there
    while (jobs.now() < end && jobs.step()) {
    }
}

answer stage::send(method verb, std::string target, header_list headers, incoming body) {
    using namespace bulk::http;
    if (!headers.has("host")) headers.add("Host", "localhost:8080");
    request asked{.head = {.verb = verb,
                           .target = std::move(target),
                           .headers = std::move(headers),
                           .peer = "127.0.0.1"}};
    auto admitted = app().admit(asked.head);
    response said;
    if (const auto* already = std::get_if<response>(&admitted)) {
        said = *already;
    } else {
        auto& known = *std::get<std::unique_ptr<admitted_request>>(admitted);
        const auto& rule = known.rule();
        if (rule.kind == body_kind::whole) asked.body = body.body;
        if (rule.kind == body_kind::none && !body.body.empty())
            said = app().refuse(413, "no body is wanted");
        if (rule.kind == body_kind::streamed)
            asked.stream = [&body, given = std::size_t{0}](
                               std::span<char> into) mutable -> bulk::result<std::size_t> {
                const auto count = std::min({into.size(), body.piece, body.body.size() - given});
                if (count == 0 && body.broken) return std::unexpected{*body.broken};
                if (count > 0 && given + count == body.body.size() && body.before_last_piece)
                    body.before_last_piece();
                std::copy_n(body.body.data() + given, count, into.data());
                given += count;
                return count;
            };
        if (before_answer) before_answer();
        if (said.status == 200) said = known.answer(asked);
    }
    answer read{said.status, said.headers, said.body, said.events};
    std::vector<char> piece(1000);
    while (said.stream) {
        const auto count = said.stream(piece);
        read.is_cut = !count;
        if (!count || *count == 0) break;
        read.body.append(piece.data(), *count);
    }
    return read;
}

answer stage::upload(std::string content, std::string query, header_list headers) {
    if (!headers.has("content-type")) headers.add("Content-Type", "text/csv");
    return send(method::post, "/api/v1/operations?" + query, std::move(headers),
                {std::move(content)});
}

std::string stage::run(std::string content, std::string query) {
    const auto made = upload(std::move(content), std::move(query));
    drive();
    return made.json()["id"].text();
}

std::string stage::three() {
    book = [](std::string_view account) {
        return account == "A-2" ? bulk::outcome::fail("the account A-2 is closed")
                                : bulk::outcome::done();
    };
    return run(std::string{three_rows});
}

}  // namespace api_stage
