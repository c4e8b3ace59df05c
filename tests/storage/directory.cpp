#include "../conformance/events_and_files.hpp"

#include <bulk/storage/files/directory.hpp>

#include <support/faulty_calls.hpp>
#include <support/temporary_directory.hpp>
#include <support/ut.hpp>

#include <csignal>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace boost::ut;
using namespace std::string_literals;

namespace {

using bulk::errc;
using bulk::files::directory;
using conformance::at;
using conformance::pull_of;
using conformance::read_all;
using faulty_directory = bulk::files::basic_directory<support::faulty_calls>;

/// Text of more than one block.
std::string long_text() {
    std::string text;
    for (int i = 0; i < 60'000; ++i) text += std::to_string(i) + ";row\n";
    return text;
}

std::string content_path(const support::temporary_directory& base, const std::string& id) {
    return base.path(id + "/content");
}

std::string read_file(const std::string& path) {
    std::ifstream file{path, std::ios::binary};
    return {std::istreambuf_iterator<char>{file}, {}};
}

void write_file(const std::string& path, std::string_view text) {
    std::ofstream{path, std::ios::binary | std::ios::trunc} << text;
}

/// What another process did; its exit code, 128 and the signal if it was killed.
template <typename Body>
int in_another_process(Body body) {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(body());
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/// Whether all that is in the directory is an upload, whole.
bool is_clean(const support::temporary_directory& base) {
    auto store = directory::open(base.path()).value();
    return std::ranges::all_of(base.names(),
                               [&](const std::string& id) { return store.verify(id).has_value(); });
}

suite<"directory"> conforming = [] {
    const support::temporary_directory base;
    conformance::check_files(
        [&] { return std::make_unique<directory>(directory::open(base.path()).value()); });
    "nothing is left but what was stored"_test = [&] {
        expect(base.names().size() == 77_ul and is_clean(base));
    };
};

suite<"directory: where"> where = [] {
    "it is made, with all that leads to it"_test = [] {
        const support::temporary_directory base;
        auto store = directory::open(bulk::directory_options{.base_path = base.path("a/b/../c/")});
        expect(fatal(store.has_value()));
        expect(store->base_path() == base.path("a/c/"));
        const auto stored = store->put_file("x", pull_of("text"), 0, at(1)).value();
        auto again = directory::open(base.path("a/c")).value();
        expect(again.file(stored.id).value() == stored) << "known to the next process";
        expect(read_all(again.open_file(stored.id, 0).value()) == "text"s);
    };

    "a relative path stays where it was when the program goes elsewhere"_test = [] {
        const support::temporary_directory base;
        const int code = in_another_process([&] {
            std::filesystem::current_path(base.path());
            auto store = directory::open("here").value();
            std::filesystem::current_path("/");
            return store.put_file("x", pull_of("text"), 0, at(1)).has_value() ? 0 : 1;
        });
        expect(code == 0_i and base.names() == std::vector{"here"s});
    };

    "what cannot be one is refused, with its name and the reason"_test = [] {
        const support::temporary_directory base;
        expect(directory::open(" ").error().code == errc::invalid_argument);
        write_file(base.path("file"), "text");
        for (const auto& path : {base.path("file"), base.path("file/below")}) {
            const auto refused = directory::open(path);
            expect(fatal(!refused.has_value()));
            expect(refused.error().message.contains(path)) << refused.error().message;
            expect(refused.error().message.contains("ot a directory")) << refused.error().message;
        }
        std::filesystem::create_directory(base.path("closed"));
        std::filesystem::permissions(base.path(), std::filesystem::perms::all);
        const int code = in_another_process([&] {
            if (::geteuid() == 0 && ::setuid(65534) != 0) return 2;
            std::filesystem::path closed = base.path("closed");
            const auto refused = directory::open(closed);
            return !refused && refused.error().message ==
                                   "cannot write to the directory " + closed.string() +
                                       ": Permission denied; let this program read and write "
                                       "there, or choose another base_path"
                       ? 0
                       : 1;
        });
        if (::geteuid() == 0) expect(code == 0_i);
    };

    "uploads of version 1 are read, listed and removed"_test = [] {
        const support::temporary_directory base;
        auto store = directory::open(base.path()).value();
        const auto now = store.put_file("b.csv", pull_of("text"), 0, at(9)).value();
        // As the first version wrote it.
        const std::string id = "00000000-0001-7000-8000-000000000000", folder = base.path(id);
        std::filesystem::create_directory(folder);
        write_file(folder + "/content", "a,b\n");
        const auto sum = bulk::files::hexadecimal;
        std::string text = "bulk file 1\nsize 4\nchecksum " + sum(bulk::content_hash("a,b\n")) +
                           "\nstored_at 5000000\nname 6\nx\ncsv \n";
        text += "sum " + sum(bulk::content_hash(text)) + '\n';
        write_file(folder + "/description", text);
        const bulk::stored_file old{.id = id,
                                    .name = "x\ncsv ",
                                    .size = 4,
                                    .checksum = bulk::content_hash("a,b\n"),
                                    .stored_at = bulk::timestamp{std::chrono::seconds{5}}};
        expect(fatal(store.file(id).has_value())) << store.file(id).error().message;
        expect(store.file(id).value() == old);
        expect(bool{store.files("", 10).value() == std::vector{old, now}});
        expect(bool{store.files("", 10, "x").value() == std::vector{old}});
        expect(read_all(store.open_file(id, 0).value()) == "a,b\n" and
               store.verify(id).has_value());
        expect(store.remove_file(id).has_value());
        expect(base.names() == std::vector{now.id});
    };

    "a description that is not as it was written is refused, wherever it was changed"_test = [] {
        const support::temporary_directory base;
        auto store = directory::open(base.path()).value();
        const auto about = store
                               .put_file("a.csv", pull_of("text"), 0, at(9),
                                         {.content_type = "text/csv", .uploaded_by = "anna"})
                               .value();
        const std::string path = base.path(about.id) + "/description";
        const std::string whole = bulk::files::description_text(about);
        const auto read = [&](std::string text, bool sign) {
            if (sign) {
                constexpr std::size_t sum_size = 21;
                text.erase(text.size() - std::min(text.size(), sum_size));
                text += "sum " + bulk::files::hexadecimal(bulk::content_hash(text)) + '\n';
            }
            return bulk::files::description_reader::read(about.id, text);
        };
        expect(read(whole, false) == about and read(whole, true) == about);
        for (std::size_t at = 0; at < whole.size(); ++at) {
            auto changed = whole;
            changed[at] = static_cast<char>(changed[at] ^ 1);
            expect(!read(changed, false)) << at;
            expect(!read(whole.substr(0, at), false)) << at;
        }
        // With a checksum that fits: what the lines say must still hold together.
        for (const auto& [from, to] : {std::pair{"bulk file 2"s, "bulk file 3"s},
                                       {"bulk file 2"s, "bulk file 1"s},
                                       {"content_type 8"s, "content_type 9"s},
                                       {"content_type 8"s, "content_type 800"s},
                                       {"uploaded_by 4"s, "uploaded_by 3"s},
                                       {"uploaded_by 4"s, "uploaded_by -1"s},
                                       {"uploaded_by 4"s, "uploaded_by 18446744073709551615"s},
                                       {"name 5"s, "name 4"s},
                                       {"name 5"s, "name 6"s},
                                       {"size 4"s, "size "s}}) {
            auto changed = whole;
            changed.replace(changed.find(from), from.size(), to);
            expect(!read(changed, true)) << to;
        }
        write_file(path, whole.substr(1));
        expect(store.file(about.id).error().code == errc::conflict);
    };

    "the name that a user gave is text, and nothing else"_test = [] {
        const support::temporary_directory base;
        auto store = directory::open(base.path("in")).value();
        for (const auto& name : {"../../evil"s, "/etc/passwd"s, ""s, "."s, "a\nsize 5\nname 1\nb"s,
                                 "\0\xff\n"s, std::string(100'000, 'n')}) {
            const auto stored = store.put_file(name, pull_of("text"), 0, at(1)).value();
            expect(stored.name == name and store.file(stored.id).value() == stored);
        }
        expect(base.names() == std::vector{"in"s});
    };

    "an id that is not ours never becomes a path"_test = [] {
        const support::temporary_directory base;
        auto store = directory::open(base.path("in")).value();
        const auto id = store.put_file("x", pull_of("text"), 0, at(1)).value().id;
        std::filesystem::copy(base.path("in/" + id), base.path("out"));
        auto upper = id;
        for (auto& c : upper)
            if (c >= 'a' && c <= 'f') c = static_cast<char>(c - 'a' + 'A');
        for (const auto& wrong :
             {""s, "."s, ".."s, "../out"s, base.path("out"), id + "/", id + "/../../out", "./" + id,
              id + '\0', upper, ".incoming-" + id, std::string(1'000'000, '/')}) {
            const auto file = store.file(wrong);
            expect(fatal(!file.has_value()));
            expect(file.error().code == errc::not_found and file.error().message.size() < 100_ul);
            expect(store.open_file(wrong, 0).error().code == errc::not_found);
            expect(store.remove_file(wrong).error().code == errc::not_found);
            expect(store.verify(wrong).error().code == errc::not_found);
        }
        expect(std::filesystem::exists(base.path("out/content")));
        expect(store.verify(id).has_value());
    };
};

suite<"directory: changed from outside"> changed = [] {
    struct kept {
        support::temporary_directory base{};
        directory store = directory::open(base.path()).value();
        std::string text = long_text();
        bulk::stored_file about = store.put_file("a.csv", pull_of(text), 0, at(1)).value();
        std::string path = content_path(base, about.id);

        [[nodiscard]] std::string blame(const std::string& how) const {
            return "file 'a.csv' (id " + about.id + ") was changed since it was stored: " + how +
                   "; put back what was stored, or upload it as a new operation";
        }
    };

    "deleted"_test = [] {
        kept on;
        std::filesystem::remove(on.path);
        for (const auto& said :
             {on.store.file(on.about.id).error(), on.store.open_file(on.about.id, 0).error(),
              on.store.verify(on.about.id).error()}) {
            expect(said.code == errc::not_found);
            expect(said.message == "file 'a.csv' (id " + on.about.id +
                                       ") was deleted since it was stored: put its " +
                                       std::to_string(on.text.size()) +
                                       " bytes back, or upload it as a new operation")
                << said.message;
        }
        write_file(on.path, on.text);
        expect(on.store.verify(on.about.id).has_value()) << "and goes on once it is back";
        std::filesystem::remove(on.path);
        expect(on.store.remove_file(on.about.id).has_value());
        expect(on.base.names().empty());
    };

    "cut off or longer, before it is opened"_test = [] {
        kept on;
        for (const std::size_t size : {std::size_t{0}, on.text.size() - 1, on.text.size() + 1}) {
            std::filesystem::resize_file(on.path, size);
            const auto opened = on.store.open_file(on.about.id, 7);
            expect(fatal(!opened.has_value()));
            expect(opened.error().code == errc::conflict);
            expect(opened.error().message ==
                   on.blame("it has " + std::to_string(size) + " bytes instead of " +
                            std::to_string(on.text.size())))
                << opened.error().message;
        }
    };

    "cut off or longer, while it is read"_test = [] {
        for (const bool is_longer : {false, true}) {
            kept on;
            auto pull = on.store.open_file(on.about.id, 0).value();
            char part[1000];
            expect(pull(part).value() == 1000_ul);
            std::filesystem::resize_file(on.path, is_longer ? on.text.size() + 9 : 1000);
            const std::string all = std::to_string(on.text.size());
            const auto said = on.blame(is_longer ? "it has " + std::to_string(on.text.size() + 9) +
                                                       " bytes instead of " + all
                                                 : "it ends after 1000 bytes instead of " + all);
            expect(read_all(pull) == said);
            expect(pull(part).error().message == said) << "for ever";
        }
    };

    "one bit, whoever reads it all"_test = [] {
        kept on;
        auto other = on.text;
        other[300'000] ^= 1;
        write_file(on.path, other);
        const auto hexadecimal = [](std::string_view text) {
            bulk::checksum sum;
            sum.add(text);
            char digits[17];
            std::snprintf(digits, sizeof digits, "%016llx",
                          static_cast<unsigned long long>(sum.value()));
            return std::string{digits};
        };
        const auto said = on.blame("its checksum is " + hexadecimal(other) + " instead of " +
                                   hexadecimal(on.text));
        expect(on.store.verify(on.about.id).error().message == said);
        auto pull = on.store.open_file(on.about.id, 0).value();
        std::string given;
        std::vector<char> part(4096);
        auto got = pull(part);
        for (; got && *got > 0; got = pull(part)) given.append(part.data(), *got);
        expect(!got.has_value() and given.size() < on.text.size()) << "before the last bytes";
        expect(got.error().message == said and pull(part).error().message == said);
        expect(read_all(on.store.open_file(on.about.id, 1).value()) == other.substr(1))
            << "a part has no checksum";
    };

    "its description"_test = [] {
        kept on;
        const auto path = on.base.path(on.about.id + "/description");
        const auto text = read_file(path);
        for (std::size_t i = 0; i < text.size(); ++i) {
            auto other = text;
            other[i] ^= 4;
            write_file(path, other);
            const auto said = on.store.file(on.about.id);
            expect(fatal(!said.has_value()));
            expect(said.error().code == errc::conflict and
                   said.error().message.contains(on.about.id));
            write_file(path, text.substr(0, i));
            expect(!on.store.file(on.about.id).has_value());
        }
        const auto next = on.store.put_file("b.csv", pull_of("text"), 0, at(2)).value();
        expect(on.store.files("", 1).value().at(0) == next) << "passed over in a list";
        std::filesystem::remove(path);
        expect(on.store.file(on.about.id).error().code == errc::not_found);
        expect(on.store.files("", 1).value().at(0) == next);
        expect(on.store.remove_file(on.about.id).has_value()) << "it can be removed";
    };
};

suite<"directory: foreign entries"> foreign = [] {
    "a list of a folder that is gone fails, and not as if there were none"_test = [] {
        const support::temporary_directory base;
        auto store =
            directory::open(bulk::directory_options{.base_path = base.path("uploads")}).value();
        std::filesystem::remove_all(base.path("uploads"));
        expect(store.files("", 10).error().code == errc::unavailable);
    };

    "what is no upload is not listed, hides no upload, and stays"_test = [] {
        const support::temporary_directory base;
        auto store = directory::open(base.path()).value();
        const auto first = store.put_file("a.csv", pull_of("text"), 0, at(1)).value();
        const auto second = store.put_file("b.csv", pull_of("text"), 0, at(2)).value();
        const auto id_before_all = "00000000-0000-7000-8000-00000000000"s;  // and a last digit
        auto upper = second.id;
        for (auto& c : upper)
            if (c >= 'a' && c <= 'f') c = static_cast<char>(c - 'a' + 'A');
        if (upper == second.id) upper.front() = 'A';

        namespace fs = std::filesystem;
        write_file(base.path("notes.txt"), "text");
        write_file(base.path(".hidden"), "text");
        write_file(base.path(".incoming-file"), "text");
        write_file(base.path(".removed-file"), "text");
        write_file(base.path(id_before_all + '0'), "a file, not a folder");
        fs::create_directory(base.path("lost+found"));
        fs::create_directory(base.path(id_before_all + '1'));
        fs::create_symlink("nowhere", base.path(id_before_all + '2'));
        fs::create_symlink("notes.txt", base.path(id_before_all + '3'));
        fs::copy(base.path(first.id), base.path("copy of " + first.id));
        fs::copy(base.path(second.id), base.path(upper));
        fs::copy(base.path(second.id), base.path(second.id + "~"));

        const auto names = base.names();
        auto again = directory::open(base.path());
        expect(fatal(again.has_value()));
        const auto listed = again->files("", 100);
        expect(fatal(listed.has_value())) << listed.error().message;
        expect(bool{*listed == std::vector{first, second}});
        expect(bool{again->files("", 1).value() == std::vector{first}}) << "uploads fill a page";
        expect(bool{again->files(first.id, 1).value() == std::vector{second}});
        for (const char last : {'0', '2', '3'}) {
            const auto id = id_before_all + last;
            expect(again->file(id).error().code == errc::not_found) << id;
            expect(again->open_file(id, 0).error().code == errc::not_found) << id;
            expect(again->remove_file(id).error().code == errc::not_found) << id;
        }
        expect(base.names() == names) << "nothing foreign is removed";
    };
};

suite<"directory: faults"> faults = [] {
    "whatever call fails, the upload is whole or there is none"_test = [] {
        const support::temporary_directory base;
        const support::faulty_calls calls;
        auto store = faulty_directory::open(base.path(), calls).value();
        int refused = 0;
        for (const int code : {ENOSPC, EIO, EDQUOT, EROFS}) {
            bool is_reached = true;
            for (int k = 1; is_reached; ++k) {
                calls.plan->fail_once(k, code);
                const auto stored = store.put_file("a.csv", pull_of(long_text()), 0, at(1));
                is_reached = calls.plan->calls >= k;
                calls.plan->fault = nullptr;
                if (stored) {
                    expect(store.verify(stored->id).has_value());
                    expect(store.remove_file(stored->id).has_value());
                } else {
                    ++refused;
                    const auto& said = stored.error().message;
                    expect(stored.error().code == errc::unavailable);
                    expect(said.starts_with("the file 'a.csv' was not stored: cannot ")) << said;
                    expect(said.contains(base.path()) and said.contains(std::strerror(code)) and
                           said.contains("; "))
                        << said;
                }
                expect(base.names().empty()) << "call" << k;
            }
        }
        expect(refused >= 60_i) << "each of these calls was made and failed";
    };

    "a disk that is full from then on, too"_test = [] {
        const support::temporary_directory base;
        const support::faulty_calls calls;
        auto store = faulty_directory::open(base.path(), calls).value();
        calls.plan->fault = [](std::string_view call) { return call == "write" ? ENOSPC : 0; };
        expect(store.put_file("a.csv", pull_of("text"), 0, at(1))
                   .error()
                   .message.ends_with(
                       "/content: No space left on device; free some space there, and try again"));
        expect(base.names().empty());
        calls.plan->fault = nullptr;
        expect(store.put_file("a.csv", pull_of("text"), 0, at(1)).has_value());
    };

    "a limit of the system is met for real"_test = [] {
        const support::temporary_directory base;
        const int code = in_another_process([&] {
            auto store = directory::open(base.path()).value();
            std::signal(SIGXFSZ, SIG_IGN);
            const rlimit most{.rlim_cur = 100'000, .rlim_max = 100'000};
            ::setrlimit(RLIMIT_FSIZE, &most);
            const auto stored = store.put_file("a.csv", pull_of(long_text()), 0, at(1));
            return !stored && stored.error().message.contains("File too large") &&
                           base.names().empty()
                       ? 0
                       : 1;
        });
        expect(code == 0_i);
    };

    "calls that do less, or are interrupted, are made again"_test = [] {
        const support::temporary_directory base;
        const support::faulty_calls calls;
        auto store = faulty_directory::open(base.path(), calls).value();
        calls.plan->most_at_once = 977;
        std::string last;
        calls.plan->fault = [&](std::string_view call) {
            const bool is_interrupted = last != call && call != "mkdir" && call != "rename" &&
                                        call != "fstat" && call != "unlink" && call != "rmdir";
            last = is_interrupted ? call : "";
            return is_interrupted ? EINTR : 0;
        };
        const auto text = long_text();
        const auto stored = store.put_file("a.csv", pull_of(text), 0, at(1));
        expect(fatal(stored.has_value()));
        expect(read_all(store.open_file(stored->id, 0).value()) == text);
    };

    "a file that cannot be read now is read later"_test = [] {
        const support::temporary_directory base;
        const support::faulty_calls calls;
        auto store = faulty_directory::open(base.path(), calls).value();
        const auto id = store.put_file("a.csv", pull_of(long_text()), 0, at(1)).value().id;
        auto pull = store.open_file(id, 0).value();
        char part[1000];
        std::string all;
        for (bool is_failing = true;; is_failing = !is_failing) {
            calls.plan->fail_once(is_failing ? 1 : 0, EIO);
            const auto got = pull(part);
            if (got && *got == 0) break;
            if (got)
                all.append(part, *got);
            else
                expect(got.error().code == errc::unavailable and
                       got.error().message.starts_with("cannot read " + content_path(base, id)));
        }
        expect(all == long_text());
        bool is_reached = true;
        for (int k = 1; is_reached; ++k) {
            calls.plan->fail_once(k, EIO);
            const auto opened = store.open_file(id, 0);
            is_reached = calls.plan->calls >= k;
            expect(opened.has_value() != is_reached);
            if (is_reached) expect(opened.error().code == errc::unavailable);
        }
    };

    "what cannot be removed says so, and is none all the same"_test = [] {
        const support::temporary_directory base;
        const support::faulty_calls calls;
        auto store = faulty_directory::open(base.path(), calls).value();
        for (int k = 1; k <= 4; ++k) {
            const auto id = store.put_file("a.csv", pull_of("text"), 0, at(1)).value().id;
            calls.plan->fail_once(k, EIO);
            const auto removed = store.remove_file(id);
            expect(fatal(!removed.has_value()));
            expect(removed.error().code == errc::unavailable and
                   removed.error().message.contains(id));
            calls.plan->fault = nullptr;
            expect(store.file(id).has_value() == (k == 1));
            if (k == 1) expect(store.remove_file(id).has_value());
            expect(faulty_directory::open(base.path(), calls).has_value());
            expect(base.names().empty()) << "the next start tries again";
        }
    };
};

suite<"directory: processes"> processes = [] {
    "killed at any call, a process leaves a whole upload or nothing"_test = [] {
        const support::temporary_directory base;
        constexpr int not_reached = 7;
        std::size_t whole = 0;
        int killed = 0;
        for (int k = 1, code = 0; code != not_reached; ++k) {
            code = in_another_process([&] {
                const support::faulty_calls calls;
                auto store = faulty_directory::open(base.path(), calls).value();
                calls.plan->interrupt(k, [] { ::kill(::getpid(), SIGKILL); });
                (void)store.put_file("a.csv", pull_of(long_text()), 0, at(k));
                return not_reached;
            });
            killed += code == 128 + SIGKILL ? 1 : 0;
            expect(is_clean(base)) << "call" << k;
            expect(base.names().size() == whole or base.names().size() == whole + 1);
            whole = base.names().size();
        }
        expect(killed > 15_i and whole >= 2_ul) << "before and after the rename";
    };

    "killed at any call while it removes, it leaves all or nothing"_test = [] {
        const support::temporary_directory base;
        auto store = directory::open(base.path()).value();
        const auto kill_at = [&](int k) {
            const auto id = store.put_file("a.csv", pull_of("text"), 0, at(k)).value().id;
            return in_another_process([&] {
                const support::faulty_calls calls;
                auto same = faulty_directory::open(base.path(), calls).value();
                calls.plan->interrupt(k, [] { ::kill(::getpid(), SIGKILL); });
                return same.remove_file(id) ? 0 : 1;
            });
        };
        for (int k = 1; k <= 4; ++k) {
            expect(kill_at(k) == 128 + SIGKILL);
            expect(is_clean(base) and base.names().size() == 1_ul) << "only the first is kept";
        }
        expect(kill_at(5) == 0_i);
    };

    "a process that starts takes nothing from one that writes"_test = [] {
        const support::temporary_directory base;
        const support::faulty_calls calls;
        auto store = faulty_directory::open(base.path(), calls).value();
        bool is_reached = true;
        std::size_t stored = 0;
        for (int k = 1; is_reached; ++k) {
            bool is_started = false;
            calls.plan->interrupt(k,
                                  [&] { is_started = directory::open(base.path()).has_value(); });
            expect(store.put_file("a.csv", pull_of(long_text()), 0, at(k)).has_value())
                << "call" << k;
            is_reached = calls.plan->calls >= k;
            expect(is_started == is_reached);
            expect(base.names().size() == ++stored and is_clean(base));
        }
        expect(stored > 15_ul);
    };

    "without locks nothing is taken away, and all else works"_test = [] {
        const support::temporary_directory base;
        const support::faulty_calls calls;
        calls.plan->fault = [](std::string_view call) { return call == "lock" ? ENOLCK : 0; };
        auto store = faulty_directory::open(base.path(), calls).value();
        int opened = 0;
        const auto stored = store.put_file(
            "a.csv",
            [&, pull = pull_of("text")](std::span<char> into) {
                opened += faulty_directory::open(base.path(), calls).has_value() ? 1 : 100;
                return pull(into);
            },
            0, at(1));
        expect(opened == 2_i) << "once before each piece, the end included";
        expect(stored.has_value() and store.verify(stored->id).has_value());
        expect(read_all(store.open_file(stored->id, 0).value()) == "text"s);
    };
};

}  // namespace

int main() {}
