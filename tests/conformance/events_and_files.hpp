// What an event store and a file store must do.
#pragma once

#include "operations.hpp"

#include <bulk/storage/concepts.hpp>

#include <support/ut.hpp>

#include <algorithm>
#include <chrono>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace conformance {

template <typename Make>
void check_events(Make make) {
    using namespace boost::ut;

    "events have one growing order, and are asked for from a place on"_test = [&] {
        auto store = make();
        for (const int number : {1, 2, 1, 2, 1}) {
            auto record = store->get(operation(number).id);
            if (!record)
                (void)store->create(operation(number), {created_event(operation(number))});
            else
                (void)store->update(*record, {status_changed_event(*record, record->state, at(9))});
        }
        const auto all = store->events(std::nullopt, 0, 100).value();
        expect(fatal(all.size() == 5_ul));
        for (std::size_t i = 1; i < all.size(); ++i) expect(all[i].sequence > all[i - 1].sequence);
        const auto later = store->events(std::nullopt, all[2].sequence, 100).value();
        expect(later.size() == 2_ul and later[0] == all[3] and later[1] == all[4]);
        expect(store->events(std::nullopt, all[4].sequence, 100).value().empty());
        expect(store->events(std::nullopt, 0, 2).value()[1] == all[1]);
        const auto newest = store->events(std::nullopt, std::nullopt, 2).value();
        expect(newest.size() == 2_ul and newest[0] == all[3] and newest[1] == all[4]);
        const auto of_two = store->events(operation(2).id, 0, 100).value();
        expect(of_two.size() == 2_ul and of_two[0] == all[1] and of_two[1] == all[3]);
        expect(store->events(operation(3).id, std::nullopt, 100).value().empty());
        expect(store->events(std::nullopt, 0, 0).value().size() == 1_ul) << "at least one is given";
    };

    "an event keeps all that it was given, whatever its kind"_test = [&] {
        auto store = make();
        auto record = operation(1);
        record.file_name = "a b.csv";
        record.created_by = "anna";
        std::vector<bulk::event> given{created_event(record, R"({"region":"north"})"),
                                       created_event(operation(1))};
        given.push_back(status_changed_event(record, bulk::operation_state::retrying, at(2)));
        given.push_back(requested_event(record, "Pause", "ben", at(3)));
        given.push_back(row_failed_event(record,
                                         {.row = bulk::row_number{7},
                                          .failure = bulk::error_type::timeout,
                                          .error_message = "late: by far"},
                                         at(4)));
        record.rows = {.total = 9, .processed = 8, .successful = 5, .failed = 3};
        record.error_message = "no: not like this";
        record.run_started_at = at(1);
        record.completed_at = at(7) + std::chrono::microseconds{13};
        for (const bool validated : {false, true})
            for (const auto state :
                 {bulk::operation_state::completed, bulk::operation_state::completed_with_errors,
                  bulk::operation_state::failed, bulk::operation_state::cancelled}) {
                record.state = state;
                record.validated = validated;
                given.push_back(final_event(record, at(7)).value());
            }
        (void)store->create(operation(1), given);
        const auto kept = store->events(operation(1).id, 0, 100).value();
        expect(fatal(kept.size() == given.size()));
        for (std::size_t i = 0; i < given.size(); ++i) {
            given[i].sequence = kept[i].sequence;
            expect(fatal(bool{kept[i] == given[i]})) << given[i].message;
        }
        expect(kept[0].created->metadata == R"({"region":"north"})");
        expect(kept[1].created.has_value() and kept[1].created->file_name.empty());
        expect(kept[4].error_message() == "late: by far");
        expect(!kept[5].ended->total.has_value() and kept[5].ended->processed == 8_u);
        expect(kept.back().ended->total == 9U and
               kept.back().ended->duration == std::chrono::microseconds{6'000'013});
    };

    "how far somebody has read is kept by their name, and nobody goes back"_test = [&] {
        auto store = make();
        expect(!store->event_position("mail").value().has_value());
        expect(store->set_event_position("mail", 0).has_value());
        expect(store->event_position("mail").value() == 0U);
        expect(store->set_event_position("mail", 7).has_value());
        expect(store->set_event_position("Mail", 3).has_value());
        expect(store->set_event_position("mail", 5).has_value()) << "late, and no error";
        expect(store->event_position("mail").value() == 7U);
        expect(store->event_position("Mail").value() == 3U);
    };
}

inline bulk::byte_pull pull_of(std::string text) {
    return [text = std::move(text),
            at = std::size_t{0}](std::span<char> into) mutable -> bulk::result<std::size_t> {
        const auto count = std::min({into.size(), text.size() - at, std::size_t{1000}});
        std::copy_n(text.data() + at, count, into.data());
        at += count;
        return count;
    };
}

inline std::string read_all(bulk::byte_pull pull) {
    std::string all;
    char part[700];
    while (true) {
        const auto got = pull(part);
        if (!got) return got.error().message;
        if (*got == 0) return all;
        all.append(part, *got);
    }
}

template <typename Make>
void check_files(Make make) {
    using namespace boost::ut;
    using bulk::errc;

    "a file is read as it was stored, from any place on"_test = [&] {
        auto store = make();
        std::string text;
        for (int i = 0; i < 30000; ++i) text += std::to_string(i) + '\n';
        const auto stored = store->put_file("a.csv", pull_of(text), 0, at(1));
        expect(fatal(stored.has_value()));
        expect(stored->name == "a.csv" and stored->size == text.size() and
               stored->stored_at == at(1));
        bulk::checksum sum;
        sum.add(text);
        expect(stored->checksum == sum.value());
        expect(store->file(stored->id).value() == *stored);
        expect(read_all(store->open_file(stored->id, 0).value()) == text);
        expect(read_all(store->open_file(stored->id, 5000).value()) == text.substr(5000));
        expect(read_all(store->open_file(stored->id, text.size() + 5).value()).empty());
        const auto other = store->put_file("a.csv", pull_of("b"), 0, at(2)).value();
        expect(other.id != stored->id) << "names need not differ";
    };

    "too much is refused while it comes, and nothing is kept"_test = [&] {
        auto store = make();
        expect(store->put_file("a", pull_of(std::string(5000, 'x')), 5000, at(1)).has_value());
        const auto refused = store->put_file("a", pull_of(std::string(5001, 'x')), 5000, at(1));
        expect(fatal(!refused.has_value()));
        expect(refused.error().code == errc::invalid_argument);
        expect(refused.error().message.contains("5000"));
    };

    "a source that fails, fails the upload"_test = [&] {
        auto store = make();
        int pulls = 0;
        const auto stored = store->put_file(
            "a",
            [&](std::span<char> into) -> bulk::result<std::size_t> {
                if (++pulls > 2) return bulk::fail(errc::unavailable, "the line is dead");
                return into.size() > 3 ? 3 : into.size();
            },
            0, at(1));
        expect(stored.error().message == "the line is dead");
    };

    "what is removed is gone; what was opened is read to its end"_test = [&] {
        auto store = make();
        const auto stored = store->put_file("a", pull_of("text"), 0, at(1)).value();
        auto open = store->open_file(stored.id, 0).value();
        expect(store->remove_file(stored.id).has_value());
        expect(read_all(open) == "text");
        expect(store->file(stored.id).error().code == errc::not_found);
        expect(store->open_file(stored.id, 0).error().code == errc::not_found);
        expect(store->remove_file(stored.id).error().code == errc::not_found);
    };

    "files are listed from any of them on, oldest first"_test = [&] {
        auto store = make();
        std::vector<bulk::stored_file> all;
        for (int i = 1; i <= 12; ++i)
            all.push_back(
                store->put_file(std::to_string(i), pull_of("text"), 0, at(1000 + i)).value());
        std::vector<bulk::stored_file> listed;
        std::string after;
        while (true) {
            const auto part = store->files(after, 5);
            expect(fatal(part.has_value()));
            expect(part->size() <= 5_ul);
            if (part->empty()) break;
            for (const auto& each : *part)
                if (each.stored_at > at(1000)) listed.push_back(each);
            after = part->back().id;
        }
        expect(std::ranges::equal(listed, all));
        expect(store->remove_file(all[3].id).has_value());
        const auto behind = store->files(all[3].id, 100).value();
        expect(std::ranges::equal(behind, std::span{all}.subspan(4))) << "of one that is gone, too";
        expect(store->files(all[2].id, 1).value().at(0) == all[4]);
        expect(store->files(all[2].id, 0).value().size() == 1_ul) << "at least one is given";
        expect(store->files(all.back().id, 5).value().empty());
    };
}

}  // namespace conformance
