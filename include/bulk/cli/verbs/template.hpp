// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/cli/find_operation.hpp>
#include <bulk/cli/invocation.hpp>
#include <bulk/cli/output_file.hpp>
#include <bulk/cli/verb.hpp>
#include <bulk/service/export_options.hpp>

#include <string>

namespace bulk::cli {

/// An empty file to be filled in.
class template_verb final : public verb {
public:
    template_verb()
        : verb{{.name = "template",
                .summary = "print an empty file for an operation, to be filled in",
                .examples = "template --output devices.csv\n"
                            "template device-provisioning --format json"}} {}

    void declare(flags& to) override {
        to.optional_word("OPERATION", operation_, "its name; not needed if there is only one");
        to.choice("--format", format_, "of the file (csv)");
        to.text("--output,-O", path_, "a file instead of the standard output", "FILE");
    }

    int perform(invocation& program) override {
        const auto about = choose_operation(program.operations(), operation_);
        if (!about) return program.complain(about.error());
        const auto text = program.operations().template_for((*about)->name, format_);
        if (!text) return program.complain(text.error());
        auto file = output_file::open(path_, program);
        if (!file) return program.give_up(file.error());
        if (auto written = file->write(*text); !written) return program.give_up(written.error());
        if (auto kept = file->keep(); !kept) return program.give_up(kept.error());
        return exit_code::success;
    }

private:
    std::string operation_, path_;
    export_format format_ = export_format::csv;
};

}  // namespace bulk::cli
