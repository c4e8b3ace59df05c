// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/declare.hpp>

#include "user.hpp"

/// An operation of one step class, which is what a case has wrong.
template <typename Step>
struct pushing : bulk::operation<pushing<Step>, user> {
    using self_type = pushing;
    BULK_OPERATION("pushing")
    auto steps() { return bulk::steps(Step{}); }
};
