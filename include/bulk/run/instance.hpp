// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/error.hpp>
#include <bulk/operation/checks.hpp>
#include <bulk/operation/step_table.hpp>
#include <bulk/run/guard.hpp>

#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace bulk {

/// An operation that has validators beside its own: `auto validators() { return std::tuple{…}; }`,
/// each with `validate(const metadata&)`, `validate(const row&, const metadata&)`, or both.
template <typename Op>
concept lists_validators = requires(Op& op) { std::tuple_size<decltype(op.validators())>::value; };

/// One object of an operation for one run, shared by all rows of it: its steps and validators.
template <typename Op>
class operation_instance {
public:
    using row_type = typename Op::row_type;
    using metadata_type = typename Op::metadata_type;

    explicit operation_instance(metadata_type metadata) : metadata_{std::move(metadata)} {}

    [[nodiscard]] const metadata_type& metadata() const { return metadata_; }
    [[nodiscard]] step_table<Op>& steps() { return table_; }

    /// Those of the list first, as listed, then the operation's own; the first that refuses counts.
    [[nodiscard]] result<> validate_metadata() {
        return validate_all([&]<typename Validator>(Validator& validator) -> result<> {
            if constexpr (requires { validator.validate(metadata_); })
                return guarded([&] { return validator.validate(metadata_); });
            else
                return {};
        });
    }

    /// What each of them has against the metadata.
    [[nodiscard]] std::vector<std::string> metadata_errors() {
        std::vector<std::string> all;
        (void)validate_all([&]<typename Validator>(Validator& validator) -> result<> {
            if constexpr (requires { validator.validate(metadata_); })
                if (auto valid = guarded([&] { return validator.validate(metadata_); }); !valid)
                    all.push_back(std::move(valid).error().message);
            return {};
        });
        return all;
    }

    static constexpr bool has_row_validators = validates_rows<Op> || lists_validators<Op>;

    [[nodiscard]] result<> validate_row(const row_type& row) {
        return validate_all([&]<typename Validator>(Validator& validator) -> result<> {
            if constexpr (requires { validator.validate(row, metadata_); })
                return guarded([&] { return validator.validate(row, metadata_); });
            else
                return {};
        });
    }

private:
    template <typename Validate>
    [[nodiscard]] result<> validate_all(Validate validate) {
        result<> answer;
        if constexpr (lists_validators<Op>)
            std::apply([&](auto&... each) { (void)((answer = validate(each)).has_value() && ...); },
                       validators_);
        if (answer) answer = validate(operation_);
        return answer;
    }

    static auto listed(Op& op) {
        if constexpr (lists_validators<Op>)
            return op.validators();
        else
            return std::tuple<>{};
    }

    metadata_type metadata_;
    Op operation_{};
    decltype(listed(std::declval<Op&>())) validators_{listed(operation_)};
    step_table<Op> table_{operation_};
};

}  // namespace bulk
