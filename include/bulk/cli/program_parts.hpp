// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/cli/storage_settings.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/options.hpp>
#include <bulk/core/store_health.hpp>
#include <bulk/service/catalog.hpp>
#include <bulk/storage/any_storage.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace bulk {

class any_feed;
class feed_service;

}  // namespace bulk

namespace bulk::cli {

class invocation;
class verb;

/// A service that works on the feeds of a program, or one that only answers for them.
using open_feeds =
    std::function<result<std::unique_ptr<bulk::feed_service>>(const invocation&, scheduling)>;

/// What a storage does with a copy of itself; says what it left beside it.
using copy_function =
    std::function<result<std::string>(const storage_settings&, const std::string& copy)>;

/// What a storage says of itself; with `check` it reads everything.
using doctor_function = std::function<result<store_health>(const storage_settings&, bool check)>;

/// What a program consists of, without the types of its operations, feeds and storage.
struct program_parts {
    std::optional<catalog> operations{};
    /// The feeds of the program; null: none.
    std::vector<std::unique_ptr<any_feed>> (*make_feeds)() = nullptr;
    std::function<result<any_storage>(const storage_settings&)> open_storage{};
    copy_function backup{};     ///< unset: the storage cannot be copied
    copy_function restore{};    ///< unset: nor restored
    doctor_function examine{};  ///< unset: nor examined
    /// The verb `serve`; null: the program does not link `bulk_http`.
    std::unique_ptr<verb> (*make_serve_verb)(bool has_operations, open_feeds feeds) = nullptr;
};

}  // namespace bulk::cli
