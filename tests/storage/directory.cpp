#include "../conformance/events_and_files.hpp"

#include <bulk/storage/files/directory.hpp>

#include <support/temporary_directory.hpp>
#include <support/ut.hpp>

#include <memory>

using namespace boost::ut;

namespace {

suite<"directory"> conforming = [] {
    const support::temporary_directory base;
    conformance::check_files([&] {
        return std::make_unique<bulk::files::directory>(
            bulk::files::directory::open(base.path()).value());
    });
    expect(base.names().size() == 3_ul) << "nothing is left but what was stored";
};

}  // namespace

int main() {}
