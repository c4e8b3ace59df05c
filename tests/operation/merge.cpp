#include <bulk/operation/merge.hpp>

#include <support/ut.hpp>

#include <array>
#include <optional>
#include <string>

using namespace boost::ut;
using namespace std::string_literals;

namespace {

constexpr bulk::declared_step method(std::string_view name, std::optional<int> order = {}) {
    return {.options = {.name = name, .order = order}};
}

constexpr bulk::declared_step listed(std::string_view name, std::optional<int> order = {}) {
    return {.options = {.name = name, .order = order}, .is_class = true};
}

template <typename... Steps>
std::string merged(Steps... steps) {
    const auto all = bulk::merge(std::array{steps...});
    std::string names;
    for (std::size_t i = 0; i < all.size; ++i)
        names.append(i == 0 ? "" : " ").append(all.steps[i].options.name);
    return names;
}

suite<"merge"> merge = [] {
    "methods run by order, ties as written"_test = [] {
        expect(merged(method("c", 3), method("a", 1), method("b1", 2), method("b2", 2)) ==
               "a b1 b2 c"s);
        expect(merged(method("x"), method("y"), method("z", -1)) == "z x y"s)
            << "no order is order 0";
    };

    "classes without order come first, as listed"_test = [] {
        expect(merged(listed("push"), listed("approve"), method("sim", 1), method("net", -5)) ==
               "push approve net sim"s);
    };

    "order interleaves classes and methods"_test = [] {
        expect(merged(listed("push", 3), listed("approve", 4), method("sim", 1), method("net", 2),
                      method("notify", 5)) == "sim net push approve notify"s);
        expect(merged(listed("push", 2), method("sim", 2)) == "push sim"s) << "ties as declared";
    };

    "a class replaces the method of its name"_test = [] {
        expect(merged(listed("Push", 9), method("PUSH", 1), method("sim", 2)) == "sim Push"s);
    };

    "twins are two of one kind"_test = [] {
        const auto twins = [](auto... steps) { return bulk::has_twin_steps(std::array{steps...}); };
        expect(twins(method("a"), method("b"), method("A")));
        expect(twins(listed("a"), listed("a")));
        expect(!twins(listed("a"), method("a")));
        expect(!twins(listed("a"), listed("b")));
    };

    "nothing merges to nothing"_test = [] {
        expect(bulk::merge(std::array<bulk::declared_step, 0>{}).size == 0_ul);
    };
};

}  // namespace

int main() {}
