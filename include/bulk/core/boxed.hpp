// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <utility>

namespace bulk {

/// A `std::optional` for a member that few of many objects have: an empty one is the size of a
/// pointer. Copies and comparisons are of the value.
template <typename T>
class boxed {
public:
    boxed() = default;
    boxed(T value) : held_{std::make_unique<T>(std::move(value))} {}  // as std::optional does
    boxed(const boxed& other) : held_{other ? std::make_unique<T>(*other) : nullptr} {}
    boxed(boxed&&) noexcept = default;
    boxed& operator=(const boxed& other) {
        if (this != &other) held_ = other ? std::make_unique<T>(*other) : nullptr;
        return *this;
    }
    boxed& operator=(boxed&&) noexcept = default;
    ~boxed() = default;

    [[nodiscard]] explicit operator bool() const { return held_ != nullptr; }
    [[nodiscard]] bool has_value() const { return held_ != nullptr; }
    [[nodiscard]] const T& operator*() const { return *held_; }
    [[nodiscard]] T& operator*() { return *held_; }
    [[nodiscard]] const T* operator->() const { return held_.get(); }
    [[nodiscard]] T* operator->() { return held_.get(); }
    [[nodiscard]] T& emplace() { return *(held_ = std::make_unique<T>()); }

    [[nodiscard]] bool operator==(const boxed& other) const {
        return held_ && other.held_ ? *held_ == *other.held_ : !held_ && !other.held_;
    }

private:
    std::unique_ptr<T> held_;
};

}  // namespace bulk
