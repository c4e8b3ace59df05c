// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/error.hpp>
#include <bulk/core/recipient.hpp>
#include <bulk/rows/byte_source.hpp>
#include <bulk/storage/stored_file.hpp>

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace bulk {

/// What goes in: bytes, and the name that says which format they are in.
struct upload {
    std::string name{};
    byte_source bytes;
    std::string content_type{};  ///< as the sender says; empty: by the name
};

/// A file by its path.
[[nodiscard]] inline result<upload> file(const std::string& path) {
    auto bytes = bytes_of_file(path);
    if (!bytes) return std::unexpected{std::move(bytes).error()};
    return upload{.name = path.substr(path.find_last_of('/') + 1), .bytes = std::move(*bytes)};
}

/// What is said about a new operation. `Metadata` is the operation's, or its JSON.
template <typename Metadata = std::string>
struct create_options {
    Metadata metadata{};
    std::string created_by{};
    std::string idempotency_key{};  ///< asked for twice, the first operation is the answer
    std::vector<recipient> recipients{};
    /// The idempotency key of a file whose content is known only when it is stored, such as a stream.
    std::function<result<std::string>(const stored_file&)> key_of_file{};
};

}  // namespace bulk
