// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/error.hpp>
#include <bulk/operation/description.hpp>
#include <bulk/operation/registry.hpp>
#include <bulk/rows/format.hpp>
#include <bulk/rows/json/metadata.hpp>
#include <bulk/service/dry_run.hpp>
#include <bulk/service/export_options.hpp>
#include <bulk/service/template_text.hpp>
#include <bulk/service/upload.hpp>

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace bulk::cli {

/// The operations of a program without their types: all that can be asked of them before there is a
/// storage.
class catalog {
public:
    catalog() = default;
    catalog(const catalog&) = delete;
    catalog& operator=(const catalog&) = delete;
    virtual ~catalog() = default;

    [[nodiscard]] virtual std::span<const operation_description> all() const = 0;
    [[nodiscard]] virtual result<const operation_description*> find(
        std::string_view name) const = 0;
    /// Metadata as the operation itself would write it: the same for whoever says the same.
    [[nodiscard]] virtual result<std::string> same_metadata(std::string_view name,
                                                            std::string_view json) const = 0;
    [[nodiscard]] virtual result<std::string> template_for(std::string_view name,
                                                           export_format format) const = 0;
    [[nodiscard]] virtual result<dry_run_report> validate(std::string_view name, upload file,
                                                          std::string_view metadata,
                                                          const read_options& reading,
                                                          const dry_run_options& options) const = 0;
};

template <typename... Ops>
class typed_catalog final : public catalog {
public:
    [[nodiscard]] std::span<const operation_description> all() const override {
        return list::descriptions;
    }
    [[nodiscard]] result<const operation_description*> find(std::string_view name) const override {
        return list::find(name);
    }
    [[nodiscard]] result<std::string> same_metadata(std::string_view name,
                                                    std::string_view json) const override {
        return of<std::string>(name, [&]<typename Op>(std::type_identity<Op>) {
            result<std::string> text;
            auto read = json::read_metadata<typename Op::metadata_type>(json);
            if (read)
                text = json::metadata_text(*read);
            else
                text = std::unexpected{std::move(read).error()};
            return text;
        });
    }
    [[nodiscard]] result<std::string> template_for(std::string_view name,
                                                   export_format format) const override {
        return of<std::string>(name, [&]<typename Op>(std::type_identity<Op>) {
            return result<std::string>{template_text<Op>(format)};
        });
    }
    [[nodiscard]] result<dry_run_report> validate(std::string_view name, upload file,
                                                  std::string_view metadata,
                                                  const read_options& reading,
                                                  const dry_run_options& options) const override {
        return of<dry_run_report>(name, [&]<typename Op>(std::type_identity<Op>) {
            return dry_run<Op>(metadata, std::move(file.bytes), file.name, reading, formats<>,
                               options);
        });
    }

private:
    using list = operation_list<Ops...>;

    template <typename T, typename Ask>
    [[nodiscard]] static result<T> of(std::string_view name, Ask ask) {
        result<T> answer;
        auto known = list::visit(name, [&](auto op) { answer = ask(op); });
        if (!known) return std::unexpected{std::move(known).error()};
        return answer;
    }
};

}  // namespace bulk::cli
