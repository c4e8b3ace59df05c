// What a failing test shows of ranges and chunks.
#pragma once

#include <bulk/feed/density.hpp>

#include <ostream>

namespace bulk {

inline std::ostream& operator<<(std::ostream& out, const key_range& range) {
    return out << range.first << ".." << range.last;
}

inline std::ostream& operator<<(std::ostream& out, const density_chunk& chunk) {
    return out << chunk.range << " has " << chunk.count;
}

}  // namespace bulk
