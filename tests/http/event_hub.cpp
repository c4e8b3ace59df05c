// Events for listeners: none is lost or told twice, whenever it comes.
#include <bulk/http/api/event_hub.hpp>

#include <support/ut.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

using namespace boost::ut;
using bulk::event;
using bulk::http::api::event_hub;
using bulk::http::api::event_listener;

namespace {

constexpr bulk::operation_id ours{bulk::uuid{1}}, another{bulk::uuid{2}};

event made(std::uint64_t sequence, bulk::operation_id of = ours) {
    return {.sequence = sequence, .operation = of, .message = "e"};
}

/// A storage of events, and a service that tells of them when the test wants it to.
struct origin {
    std::vector<event> stored;
    std::function<void()> while_reading;
    bulk::event_handler tell;
    int ends = 0;

    std::shared_ptr<event_hub> hub(event_hub::limits most = {}) {
        bulk::http::api::event_origin from;
        from.read = [this](std::optional<bulk::operation_id> of, std::optional<std::uint64_t> after,
                           std::uint32_t limit) -> bulk::result<std::vector<event>> {
            std::vector<event> found;
            for (const auto& each : stored)
                if (each.sequence > after.value_or(0) && (!of || each.operation == *of))
                    found.push_back(each);
            if (!after && found.size() > limit)
                found.erase(found.begin(), found.end() - static_cast<std::ptrdiff_t>(limit));
            if (found.size() > limit) found.resize(limit);
            if (auto then = std::exchange(while_reading, {})) then();
            return found;
        };
        from.subscribe.push_back([this](bulk::event_handler handler) {
            tell = std::move(handler);
            return [this] { ++ends; };
        });
        return std::make_shared<event_hub>(std::move(from), most);
    }
    void happen(event what) {
        stored.push_back(what);
        tell(what);
    }
};

std::vector<std::string> ids_of(const std::string& text) {
    std::vector<std::string> ids;
    for (auto at = text.find("id: "); at != std::string::npos; at = text.find("id: ", at + 1))
        ids.push_back(text.substr(at + 4, text.find('\n', at) - at - 4));
    return ids;
}

using numbers = std::vector<std::string>;

}  // namespace

suite<"event hub"> hub = [] {
    "what comes while the storage is read is told next"_test = [] {
        origin from;
        from.stored = {made(1, another), made(2, another)};
        const auto hub = from.hub();
        std::uint64_t position = 0;
        from.while_reading = [&] { from.happen(made(3)); };
        std::promise<void> woken;
        const auto none = hub->next(&from, position, ours, [&woken] { woken.set_value(); }).value();
        expect(ids_of(none).empty()) << none;
        expect(woken.get_future().wait_for(std::chrono::seconds{30}) == std::future_status::ready)
            << "nobody else would wake us";
        expect(ids_of(hub->next(&from, position, ours, [] {}).value()) == numbers{"3"});
    };

    "what happened before anything was told is read from the storage"_test = [] {
        origin from;
        from.stored = {made(10)};
        const auto hub = from.hub();
        from.stored.push_back(made(11));  // of another process, before the subscription began
        from.happen(made(12));
        std::uint64_t position = 10;
        expect(ids_of(hub->next(&from, position, std::nullopt, [] {}).value()) ==
               numbers{"11", "12"});
        expect(hub->next(&from, position, std::nullopt, [] {}).value().empty());
    };

    "events that were removed keep nobody busy"_test = [] {
        origin from;
        from.stored = {made(1), made(2)};
        const auto hub = from.hub();
        from.stored.clear();
        std::uint64_t position = 0;
        expect(hub->next(&from, position, std::nullopt, [] {}).value().empty());
        expect(position == 2_ul) << "there is nothing to be asked for again";
    };

    "a listener goes on from the storage into the ring"_test = [] {
        origin from;
        const auto hub = from.hub({.ring = 3});
        for (std::uint64_t i = 1; i <= 500; ++i) from.happen(made(i));
        numbers seen, wanted;
        std::uint64_t position = 0;
        for (std::string text = "-"; !text.empty();) {
            text = hub->next(&from, position, std::nullopt, [] {}).value();
            for (auto& each : ids_of(text)) seen.push_back(std::move(each));
        }
        for (int i = 1; i <= 500; ++i) wanted.push_back(std::to_string(i));
        expect(seen == wanted);
    };

    "who is too far behind is told to begin anew, and no more"_test = [] {
        origin from;
        const auto hub = from.hub({.ring = 3, .most_behind = 100});
        from.happen(made(1));
        event_listener slow{hub, 1, std::nullopt}, quick{hub, 150, std::nullopt};
        from.happen(made(200));
        expect(slow.next([] {}).value().starts_with("retry:"));
        expect(slow.next([] {}).value() == "id: 200\nevent: reset\ndata: {}\n\n");
        expect(!slow.next([] {}).has_value());
        (void)quick.next([] {});
        expect(ids_of(quick.next([] {}).value()) == numbers{"200"});
    };

    "one piece is bounded, however much there is"_test = [] {
        origin from;
        const auto hub = from.hub();
        auto large = made(1);
        large.message = std::string(10'000, 'x');
        for (large.sequence = 1; large.sequence <= 100; ++large.sequence) from.happen(large);
        std::uint64_t position = 0;
        const auto text = hub->next(&from, position, std::nullopt, [] {}).value();
        expect(text.size() > 60'000_u and text.size() < 90'000_u) << text.size();
        expect(position < 10_ul);
    };

    "a service that tells on when the hub is gone tells nobody"_test = [] {
        for (int round = 0; round < 50; ++round) {
            origin from;
            auto hub = from.hub();
            std::uint64_t position = 0;
            bool is_woken = false;
            expect(
                hub->next(&from, position, std::nullopt, [&] { is_woken = true; }).value().empty());
            for (int i = 0; i < round; ++i) std::this_thread::yield();  // its thread begins to wait
            const std::weak_ptr gone = hub;
            hub.reset();
            expect(from.ends == 1_i and gone.expired()) << "its subscription has ended";
            from.happen(made(1));
            expect(!is_woken) << "who had waited is told nothing";
        }
    };
};

int main() {}
