// What another thread sees of changes while they are made.
#pragma once

#include <atomic>
#include <stop_token>
#include <thread>

namespace conformance {

/// Makes `change(0)` to `change(count - 1)` while another thread looks; how often what it saw did not
/// fit together. After a few changes somebody must have looked, so that neither thread leaves the other
/// behind. `fits` asks for one thing after the other, so each answer may only be as old as the one
/// before it or newer.
template <typename Change, typename Fits>
[[nodiscard]] int torn_views(int count, Change change, Fits fits) {
    std::atomic<int> looks = 0, torn = 0;
    {
        const std::jthread reader{[&](const std::stop_token& is_over) {
            while (!is_over.stop_requested()) {
                if (!fits()) ++torn;
                ++looks;
            }
        }};
        for (int made = 0; made < count; ++made) {
            if (made % 4 == 0)
                for (const int before = looks; looks == before;) std::this_thread::yield();
            change(made);
        }
    }
    return torn;
}

}  // namespace conformance
