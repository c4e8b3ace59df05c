// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/error.hpp>
#include <bulk/core/names.hpp>
#include <bulk/operation/description.hpp>
#include <bulk/operation/registry.hpp>
#include <bulk/rows/format.hpp>
#include <bulk/service/any_operation.hpp>
#include <bulk/service/typed_operation.hpp>
#include <bulk/service/upload.hpp>

#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace bulk {

/// The operations of a program as a value: `bulk::operations<a, b>` without the types.
class catalog {
public:
    template <typename... Ops, typename Formats = decltype(formats<>)>
    catalog(operation_list<Ops...> known,  // NOLINT(google-explicit-constructor): the same list
            Formats = {})
        : operations_{&constant<Ops, std::remove_const_t<Formats>>...},
          descriptions_{known.descriptions} {}

    [[nodiscard]] std::span<const operation_description> all() const { return descriptions_; }
    [[nodiscard]] std::span<const any_operation* const> operations() const { return operations_; }

    /// By name, in any case. Fails with `errc::not_found` and the name that was probably meant.
    [[nodiscard]] result<const any_operation*> operation(std::string_view name) const {
        for (const any_operation* each : operations_)
            if (same_name(each->description().name, name)) return each;
        return std::unexpected{unknown_operation(name, descriptions_)};
    }
    [[nodiscard]] result<const operation_description*> find(std::string_view name) const {
        const auto found = operation(name);
        if (!found) return std::unexpected{found.error()};
        return &(*found)->description();
    }
    /// Metadata as the operation itself would write it: equal metadata has equal text.
    [[nodiscard]] result<std::string> same_metadata(std::string_view name, std::string_view json,
                                                    bool reveal_pii = true) const {
        const auto found = operation(name);
        if (!found) return std::unexpected{found.error()};
        return (*found)->same_metadata(json, reveal_pii);
    }
    /// An empty file for an operation, to be filled in.
    [[nodiscard]] result<std::string> template_for(std::string_view name, export_format format,
                                                   const read_options& reading = {}) const {
        const auto found = operation(name);
        if (!found) return std::unexpected{found.error()};
        return (*found)->template_text(format, reading);
    }
    /// Reads and validates a file, and stores nothing.
    [[nodiscard]] result<dry_run_report> validate(std::string_view name, upload file,
                                                  std::string_view metadata,
                                                  const read_options& reading,
                                                  const dry_run_options& options) const {
        const auto found = operation(name);
        if (!found) return std::unexpected{found.error()};
        return (*found)->dry_run(metadata, std::move(file.bytes), file.name, reading, options);
    }

private:
    template <typename Op, typename Formats>
    static constexpr typed_operation<Op, Formats> constant{};

    std::vector<const any_operation*> operations_;
    std::span<const operation_description> descriptions_;
};

}  // namespace bulk
