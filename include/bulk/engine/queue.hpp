// SPDX-License-Identifier: MIT
#pragma once

#if __has_include(<concurrentqueue/concurrentqueue.h>)
#include <concurrentqueue/concurrentqueue.h>
#else
#include <concurrentqueue/moodycamel/concurrentqueue.h>
#endif

#include <cstddef>
#include <utility>

namespace bulk {

/// Any number of threads put in, any number take out, none ever waits for a lock. What one thread
/// put in comes out in order; between threads there is none.
template <typename T>
class work_queue {
public:
    void push(T item) { queue_.enqueue(std::move(item)); }

    [[nodiscard]] bool try_pop(T& item) { return queue_.try_dequeue(item); }

    /// About how many there are; exact when nobody else is at it.
    [[nodiscard]] std::size_t size() const { return queue_.size_approx(); }

private:
    moodycamel::ConcurrentQueue<T> queue_;
};

}  // namespace bulk
