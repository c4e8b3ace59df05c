// expect: BULK_ROW(user): the column 'colour' has a type that cannot be read from text
#include <bulk/declare.hpp>

struct rgb {
    int red = 0;
    int green = 0;
    int blue = 0;
};

#ifndef BULK_EXPECT_FAIL
bulk::result<rgb> from_text(std::type_identity<rgb>, std::string_view) { return rgb{}; }
#endif

struct user {
    std::string name;
    rgb colour;
};
BULK_ROW(user, name, (colour, .column = "Colour"));

int main() {}
