// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/names.hpp>
#include <bulk/core/operation_record.hpp>
#include <bulk/core/operation_state.hpp>
#include <bulk/core/query.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace bulk {

/// Which operations a query asks for.
class operation_filter {
public:
    explicit operation_filter(const operation_query& query)
        : query_{query},
          name_{folded(query.name_contains)},
          created_by_{folded(query.created_by_contains)} {}

    [[nodiscard]] bool is_everything() const { return !query_.state && !has_more(); }
    /// The state, if it asks for nothing else.
    [[nodiscard]] std::optional<operation_state> only_state() const {
        return has_more() ? std::nullopt : query_.state;
    }

    [[nodiscard]] bool matches(const operation_record& record) const {
        const auto contains = [](std::string_view text, const std::string& part) {
            return part.empty() || folded(text).contains(part);
        };
        return (!query_.state || record.state == *query_.state) &&
               (!query_.created_from || record.created_at >= *query_.created_from) &&
               (!query_.created_to || record.created_at <= *query_.created_to) &&
               (query_.source.empty() || record.source == query_.source) &&
               contains(record.name, name_) && contains(record.created_by, created_by_);
    }

private:
    [[nodiscard]] bool has_more() const {
        return !name_.empty() || !created_by_.empty() || !query_.source.empty() ||
               query_.created_from || query_.created_to;
    }

    const operation_query& query_;
    std::string name_;
    std::string created_by_;
};

}  // namespace bulk
