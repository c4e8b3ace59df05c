// What a failing test shows of ranges, chunks and partitions.
#pragma once

#include <bulk/feed/density.hpp>
#include <bulk/feed/partitioner.hpp>

#include <ostream>

namespace bulk {

inline std::ostream& operator<<(std::ostream& out, const key_range& range) {
    return out << range.first << ".." << range.last;
}

inline std::ostream& operator<<(std::ostream& out, const density_chunk& chunk) {
    return out << chunk.range << " has " << chunk.count;
}

inline std::ostream& operator<<(std::ostream& out, const planned_partition& partition) {
    out << partition.range << " has " << partition.estimated;
    return partition.most_records ? out << " of at most " << *partition.most_records : out;
}

}  // namespace bulk
