// SPDX-License-Identifier: MIT
#pragma once

#include <sys/resource.h>

namespace bench {

/// The most memory that the process had, in KiB.
inline long peak_memory() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

}  // namespace bench
