// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/cli/flags.hpp>
#include <bulk/cli/invocation.hpp>
#include <bulk/cli/json_line.hpp>
#include <bulk/cli/program_parts.hpp>
#include <bulk/cli/readable.hpp>
#include <bulk/cli/settings.hpp>
#include <bulk/cli/verb.hpp>
#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/store_health.hpp>

#include <functional>
#include <utility>
#include <vector>

namespace bulk::cli {

/// How the database is, and whether it is damaged.
class doctor_verb final : public verb {
public:
    explicit doctor_verb(doctor_function examine)
        : verb{{.name = "doctor",
                .summary = "show the health of the database; --check finds damage",
                .examples = "doctor\ndoctor --check --json"}},
          examine_{std::move(examine)} {}

    void declare(flags& to) override {
        to.yes("--check", check_, "read everything: checksums, counters, indexes and uploads");
    }

    int perform(invocation& program) override {
        const auto health = examine_(program.settings().storage, check_);
        if (!health) return program.complain(health.error());
        if (program.settings().json)
            print_json(program, *health);
        else
            print(program, *health);
        if (health->damage.empty()) return exit_code::success;
        program.remark("restore a backup, or submit the files of the operations named above again");
        return exit_code::failed;
    }

private:
    static void print_json(const invocation& program, const store_health& health) {
        std::vector<json_line> damage;
        for (const auto& each : health.damage) {
            auto& line = damage.emplace_back();
            line.add("operation", each.operation);
            if (each.first_row > 0)
                line.add("first_row", each.first_row).add("last_row", each.last_row);
            if (each.step) line.add("step", to_number(*each.step));
            line.add("what", each.what);
        }
        program.print(line_of("doctor")
                          .add("path", program.settings().storage.path)
                          .add("version", health.version)
                          .add("known_version", health.known_version)
                          .add("size", health.size)
                          .add("log_size", health.log_size)
                          .add("disk_free", health.disk_free)
                          .add("journal_mode", health.journal_mode)
                          .add("operations", health.operations)
                          .add("open_operations", health.open_operations)
                          .add("expired_leases", health.expired_leases)
                          .add("is_checked", health.is_checked)
                          .add("damage", damage)
                          .add("has_more_damage", health.has_more_damage));
    }

    static void print(const invocation& program, const store_health& health) {
        auto& to = program.out().stream;
        to << "database        " << program.settings().storage.path << '\n'
           << "schema version  " << health.version;
        if (health.version < health.known_version)
            to << " (the next command that writes upgrades it to " << health.known_version << ')';
        to << "\nsize            " << size_text(health.size) << ", log "
           << size_text(health.log_size) << ", " << size_text(health.disk_free)
           << " free on the disk\n"
           << "journal mode    " << health.journal_mode << '\n'
           << "operations      " << grouped(health.operations) << ", "
           << grouped(health.open_operations) << " not ended\n"
           << "expired leases  " << grouped(health.expired_leases) << '\n';
        for (const auto& each : health.damage) to << to_text(each) << '\n';
        if (health.has_more_damage) to << "...\n";
        if (health.is_checked)
            to << "check           "
               << (health.damage.empty() ? "no damage found"
                                         : count_text(health.damage.size(), "problem") + " found")
               << '\n';
    }

    doctor_function examine_;
    bool check_ = false;
};

}  // namespace bulk::cli
