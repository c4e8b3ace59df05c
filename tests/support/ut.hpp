// SPDX-License-Identifier: MIT
#pragma once

#include <boost/ut.hpp>

// Boost.UT keeps its runner in an inline variable template, whose initialization is unordered:
// clang with libstdc++ 12 builds it before std::cout and crashes. An explicit specialization is
// initialized in order.
template <>
auto boost::ut::cfg<boost::ut::override> =
    boost::ut::runner<boost::ut::reporter<boost::ut::printer>>{};
