// SPDX-License-Identifier: MIT
#pragma once

#include "../support.hpp"
#include "workload.hpp"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

namespace bench {

/// The readers of one file. All of them must read the same rows.
template <typename Row>
class contest {
public:
    /// `file` is how messages name the file.
    explicit contest(std::string file) : file_{std::move(file)} {}

    /// `read(visit)` reads the file once and calls `visit` with each row.
    template <typename Read>
    void enter(const char* who, Read read) {
        checksum sum;
        read([&](const Row& row) { add_all(sum, row); });
        if (contenders_.empty()) expected_ = sum.value();
        if (sum.value() != expected_) {
            std::printf("%s reads another %s file than the others\n", who, file_.c_str());
            std::exit(1);
        }
        contenders_.push_back({who, [read] {
                                   std::uint64_t rows = 0;
                                   read([&](const Row& row) {
                                       asm volatile("" : : "r"(&row) : "memory");
                                       ++rows;
                                   });
                                   if (rows == 0) std::abort();
                               }});
    }

    /// Each with its best time.
    const std::vector<contender>& race(int rounds) {
        bench::race(contenders_, rounds);
        return contenders_;
    }

private:
    std::string file_;
    std::vector<contender> contenders_;
    std::uint64_t expected_ = 0;
};

}  // namespace bench
