// SPDX-License-Identifier: MIT
#pragma once

// A whole program as in main.hpp, among whose declarations are feeds: `int main(int argc, char** argv)
// { return bulk::main<provisioning, diamonds>(argc, argv); }`. A header of its own, since it takes a
// tenth longer to read (13.5 s to 15 s).

#include <bulk/cli/feed_program.hpp>
#include <bulk/feed.hpp>
#include <bulk/main.hpp>
