// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace bulk::memory {

/// A sorted set of small values: as `std::set`, in a third of its memory. The values stand in
/// chunks; one more moves those behind it in its chunk, and a full chunk is cut in two.
template <typename T>
class sorted_list {
public:
    void insert(const T& value) {
        place(value);
        newest_ = value;
    }

    bool erase(const T& value) {
        const auto into = chunk_of(value);
        if (into == chunks_.end()) return false;
        const auto at = std::ranges::lower_bound(into->values, value);
        if (at == into->values.end() || *at != value) return false;
        into->values.erase(at);
        if (into->values.empty()) chunks_.erase(into);
        return true;
    }

    /// Those from `first` on, in order, until `visit` says false.
    template <typename Visit>
    void visit_from(const T& first, Visit visit) const {
        auto from = std::ranges::lower_bound(chunks_, first, {}, &chunk::limit);
        if (from == chunks_.end()) return;
        auto at = std::ranges::lower_bound(from->values, first);
        while (true) {
            for (; at != from->values.end(); ++at)
                if (!visit(*at)) return;
            if (++from == chunks_.end()) return;
            at = from->values.begin();
        }
    }

private:
    struct chunk {
        T limit{};  ///< none of its values is greater; beside the others, so that it is found fast
        std::vector<T> values{};
    };
    static constexpr std::size_t most = 256;

    /// The first that may have the value.
    auto chunk_of(const T& value) {
        return std::ranges::lower_bound(chunks_, value, {}, &chunk::limit);
    }

    auto add_chunk(std::vector<chunk>::const_iterator before, const T& limit) {
        const auto made = chunks_.insert(before, chunk{.limit = limit});
        made->values.reserve(most);
        return made;
    }

    void place(const T& value) {
        auto into = chunk_of(value);
        if (into == chunks_.end()) {  // greater than all
            if (chunks_.empty() || chunks_.back().values.size() == most)
                add_chunk(chunks_.end(), value);
            chunks_.back().limit = value;
            chunks_.back().values.push_back(value);
            return;
        }
        auto at = std::ranges::lower_bound(into->values, value);
        if (at != into->values.end() && *at == value) return;
        if (into->values.size() == most) {
            // What comes in order leaves full chunks behind it; what comes anywhere, halves.
            const auto before = at - into->values.begin();
            const bool is_in_order = before > 0 && *(at - 1) == newest_;
            const auto kept = is_in_order ? before : static_cast<std::ptrdiff_t>(most) / 2;
            const auto upper = add_chunk(into + 1, into->limit);  // moves the chunks
            into = upper - 1;
            upper->values.assign(into->values.begin() + kept, into->values.end());
            into->values.resize(static_cast<std::size_t>(kept));
            into->limit = into->values.back();
            if (value > into->limit) into = upper;
            at = std::ranges::lower_bound(into->values, value);
        }
        into->values.insert(at, value);
    }

    std::vector<chunk> chunks_;  ///< none is empty
    T newest_{};
};

}  // namespace bulk::memory
