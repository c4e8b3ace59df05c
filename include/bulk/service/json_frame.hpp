// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/service/export_options.hpp>

#include <cstdint>
#include <string>

namespace bulk {

/// What stands around the objects of a JSON array, one a line, or of NDJSON.
class json_frame {
public:
    explicit json_frame(export_format format) : is_array_{format == export_format::json} {}

    /// Before an object.
    void begin(std::string& out) {
        if (is_array_) out += count_ == 0 ? "[\n" : ",\n";
        ++count_;
    }
    /// Behind it.
    void end(std::string& out) const {
        if (!is_array_) out += '\n';
    }
    /// Behind the last.
    void close(std::string& out) const {
        if (is_array_) out += count_ == 0 ? "[]\n" : "\n]\n";
    }

private:
    bool is_array_;
    std::uint64_t count_ = 0;
};

}  // namespace bulk
