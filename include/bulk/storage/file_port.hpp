// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/core/error.hpp>
#include <bulk/storage/stored_file.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace bulk {

/// The functions of `file_store` (storage/concepts.hpp, which says what they mean) without the type of
/// the backend.
class file_port {
public:
    file_port() = default;
    file_port(const file_port&) = delete;
    file_port& operator=(const file_port&) = delete;
    virtual ~file_port() = default;

    virtual result<stored_file> put_file(std::string name, const byte_pull& pull,
                                         std::uint64_t most, timestamp now, file_origin from) = 0;
    virtual result<stored_file> file(const std::string& id) = 0;
    virtual result<byte_pull> open_file(const std::string& id, std::uint64_t offset) = 0;
    virtual result<> remove_file(const std::string& id) = 0;
    virtual result<std::vector<stored_file>> files(const std::string& after, std::uint32_t limit,
                                                   std::string_view prefix) = 0;
    /// The content of a file that is in memory anyway; null: it is not.
    [[nodiscard]] virtual std::shared_ptr<const std::string> file_memory(const std::string& id) = 0;
};

/// A backend behind that interface.
template <typename Backend>
class typed_files final : public file_port {
public:
    explicit typed_files(std::shared_ptr<Backend> backend) : backend_{std::move(backend)} {}

    result<stored_file> put_file(std::string name, const byte_pull& pull, std::uint64_t most,
                                 timestamp now, file_origin from) override {
        return backend_->put_file(std::move(name), pull, most, now, std::move(from));
    }
    result<stored_file> file(const std::string& id) override { return backend_->file(id); }
    result<byte_pull> open_file(const std::string& id, std::uint64_t offset) override {
        return backend_->open_file(id, offset);
    }
    result<> remove_file(const std::string& id) override { return backend_->remove_file(id); }
    result<std::vector<stored_file>> files(const std::string& after, std::uint32_t limit,
                                           std::string_view prefix) override {
        return backend_->files(after, limit, prefix);
    }
    [[nodiscard]] std::shared_ptr<const std::string> file_memory(const std::string& id) override {
        if constexpr (requires { backend_->file_memory(id); }) return backend_->file_memory(id);
        return nullptr;
    }

private:
    std::shared_ptr<Backend> backend_;
};

}  // namespace bulk
