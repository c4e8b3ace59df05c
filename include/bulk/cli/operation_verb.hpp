// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/cli/find_operation.hpp>
#include <bulk/cli/flags.hpp>
#include <bulk/cli/invocation.hpp>
#include <bulk/cli/verb.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/operation_record.hpp>
#include <bulk/core/options.hpp>
#include <bulk/service/service.hpp>

#include <cstdint>
#include <string>
#include <utility>

namespace bulk::cli {

/// One thing that a program can do with an operation; the first word says with which.
class operation_verb : public verb {
public:
    enum class id_word : std::uint8_t {
        required,
        optional,  ///< without it, the newest operation
    };
    operation_verb(const verb_text& text, id_word word) : verb{text}, word_{word} {}

    void declare(flags& to) final {
        if (word_ == id_word::optional)
            to.optional_word("ID", id_, "of the operation; without it, the newest");
        else
            to.word("ID", id_, "of the operation; `last` is the newest");
        declare_own(to);
    }

    int perform(invocation& program) final {
        if (auto fits = check(program); !fits) return program.complain(fits.error());
        auto service = program.open(works() ? scheduling::channels : scheduling::none);
        if (!service) return program.complain(service.error());
        auto found = find_operation(**service, id_);
        if (!found) return program.complain(found.error());
        return perform(program, **service, std::move(*found));
    }

protected:
    virtual void declare_own(flags&) {}
    /// Refuses what is wrong whatever the operation is, before a storage is opened.
    [[nodiscard]] virtual result<> check(const invocation&) const { return {}; }
    /// Whether this process runs operations meanwhile; else it leaves them to others.
    [[nodiscard]] virtual bool works() const { return false; }
    /// The program's exit code.
    virtual int perform(const invocation& program, bulk::service& service, operation_record of) = 0;

private:
    id_word word_;
    std::string id_ = "last";
};

}  // namespace bulk::cli
