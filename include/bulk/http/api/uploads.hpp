// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/names.hpp>
#include <bulk/http/api/spooled_file.hpp>
#include <bulk/http/message.hpp>
#include <bulk/http/multipart.hpp>
#include <bulk/http/problem.hpp>
#include <bulk/rows/byte_source.hpp>
#include <bulk/rows/gzip.hpp>
#include <bulk/rows/limits.hpp>
#include <bulk/rows/unpack_meter.hpp>
#include <bulk/rows/zstd.hpp>
#include <bulk/storage/stored_file.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace bulk::http::api {

inline constexpr std::size_t most_metadata = 1'048'576;
inline constexpr std::size_t most_field = 8'192;

/// What has become of an upload so far: why it ended, and what it was.
struct upload_course {
    std::uint64_t bytes = 0;  ///< of the file, unpacked
    checksum content{};
    std::optional<error> broken{};     ///< why no more came
    bool unpacks_to_too_much = false;  ///< by the limits of its Content-Encoding
};

/// The name of a file without the folders of whoever sent it, and without what no name has.
[[nodiscard]] inline std::string bare_file_name(std::string_view name) {
    constexpr std::size_t most = 255;
    name = name.substr(name.find_last_of("/\\") + 1);
    std::string bare;
    for (const char c : name)
        if (static_cast<unsigned char>(c) >= 0x20 && c != 0x7f) bare += c;
    if (bare.size() > most) {  // its end stays, which says the format; a letter is not cut
        auto begin = bare.size() - most;
        while (begin < bare.size() && (static_cast<unsigned char>(bare[begin]) & 0xc0) == 0x80)
            ++begin;
        bare.erase(0, begin);
    }
    return bare == "." || bare == ".." ? std::string{} : bare;
}

/// A file on its way in: the fields that came before it, and its bytes, pulled by whoever stores them.
/// Bytes that end too early, or are followed by what does not belong there, fail the pull: nothing is
/// stored of what did not come as a whole.
class incoming_file {
public:
    /// A form, or the bytes themselves; by Content-Type. The limits are those of a Content-Encoding.
    [[nodiscard]] static or_problem<incoming_file> open(request& asked,
                                                        const unpack_limits& limits) {
        const std::string_view type = asked.head.headers.get("content-type");
        body_pull pull = asked.stream ? asked.stream : whole(asked.body);
        if (!is_form(type))
            return raw(std::move(pull), type, asked.head.headers.get("content-encoding"), limits);
        if (asked.head.headers.has("content-encoding"))
            return refuse(
                problems::unsupported_media_type,
                "a form is not taken with a Content-Encoding: pack the file in it instead");
        auto boundary = multipart_reader::boundary_of(type);
        if (!boundary)
            return refuse(problems::invalid_argument, boundary.error().message, "Content-Type");
        incoming_file file;
        file.form_ = std::make_shared<multipart_reader>(std::move(pull), *boundary);
        if (auto read = file.read_fields(); !read) return std::unexpected{std::move(read).error()};
        return file;
    }

    [[nodiscard]] bool is_form() const { return form_ != nullptr; }
    [[nodiscard]] std::optional<std::string> field(const std::string& name) const {
        const auto found = fields_.find(name);
        return found == fields_.end() ? std::nullopt : std::optional{found->second};
    }
    [[nodiscard]] const std::map<std::string, std::string>& fields() const { return fields_; }
    /// Of the part of a form; empty when there is none.
    [[nodiscard]] const std::string& name() const { return name_; }
    /// Its Content-Type as it was sent; empty when there is none.
    [[nodiscard]] const std::string& type() const { return type_; }
    [[nodiscard]] bool has_file() const { return has_file_; }
    /// Fields that come behind the file, for those who can wait for them: see `bulksharp::upload_form`.
    [[nodiscard]] or_problem<void> read_more_fields() { return read_fields(); }

    /// The bytes of the file; once. `last` refuses what comes behind it.
    [[nodiscard]] byte_source bytes(bool is_last = true) {
        body_pull pull = raw_;
        if (form_)
            pull = [form = form_, is_last](std::span<char> into) -> result<std::size_t> {
                const auto count = form->read(into);
                if (!count || *count > 0 || into.empty() || !is_last) return count;
                const auto more = form->next();
                if (!more) return std::unexpected{more.error()};
                if (*more)
                    return fail(errc::invalid_argument,
                                concat("the part '", (*more)->name,
                                       "' comes behind the file: put `file` last"));
                return count;
            };
        // A pull that has failed is remembered: packed data that ends early is not why.
        byte_source source{[pull, course = course_](std::span<char> into) {
            auto count = pull(into);
            if (!count && !course->broken) course->broken = count.error();
            return count;
        }};
        if (!coding_.empty()) source = unpacked(std::move(source));
        return byte_source{
            [source = std::move(source), course = course_](std::span<char> into) mutable {
                auto count = source.read_some(into);
                if (count) {
                    course->bytes += *count;
                    course->content.add(into.first(*count));
                }
                return count;
            }};
    }
    [[nodiscard]] const upload_course& course() const { return *course_; }

    [[nodiscard]] static bool is_form(std::string_view type) {
        return same_name(type.substr(0, type.find(';')), "multipart/form-data");
    }

private:
    [[nodiscard]] static body_pull whole(std::string_view body) {
        return [body](std::span<char> into) mutable -> result<std::size_t> {
            const auto count = std::min(into.size(), body.size());
            std::copy_n(body.begin(), count, into.begin());
            body.remove_prefix(count);
            return count;
        };
    }

    [[nodiscard]] static or_problem<incoming_file> raw(body_pull pull, std::string_view type,
                                                       std::string_view coding,
                                                       const unpack_limits& limits) {
        incoming_file file;
        file.limits_ = limits;
        file.type_ = type;
        if (coding.empty() || same_name(coding, "identity"))
            file.coding_ = {};
        else if (same_name(coding, "gzip") || same_name(coding, "x-gzip"))
            file.coding_ = "gzip";
        else if (same_name(coding, "zstd"))
            file.coding_ = "zstd";
        else
            return refuse(problems::unsupported_media_type,
                          concat("Content-Encoding takes gzip or zstd, and not '",
                                 coding.substr(0, 64), '\''),
                          "Content-Encoding");
        file.raw_ = std::move(pull);
        file.has_file_ = true;
        return file;
    }

    /// What is packed wrongly is an invalid row; what the meter refuses is an invalid argument.
    [[nodiscard]] byte_source unpacked(byte_source packed) const {
        unpack_meter meter{limits_};
        packed = meter.packed(std::move(packed));
        auto source = meter.unpacked(coding_ == "gzip" ? gunzip(std::move(packed))
                                                       : unzstd(std::move(packed)));
        return byte_source{
            [source = std::move(source), course = course_](std::span<char> into) mutable {
                auto count = source.read_some(into);
                if (!count && !course->broken && count.error().code == errc::invalid_argument)
                    course->unpacks_to_too_much = true;
                return count;
            }};
    }

    /// Up to the file, or to the end.
    [[nodiscard]] or_problem<void> read_fields() {
        while (true) {
            auto part = form_->next();
            if (!part) return std::unexpected{broken(part.error())};
            if (!*part) return {};
            const std::string& name = (*part)->name;
            if ((*part)->file_name || name == "file") {
                if (has_file_)
                    return refuse(problems::invalid_argument, "there are two files", name);
                if (name != "file")
                    return refuse(problems::invalid_argument,
                                  concat("the part '", name, "' is a file: call it `file`"), name);
                name_ = bare_file_name((*part)->file_name.value_or(""));
                type_ = (*part)->type;
                has_file_ = true;
                return {};
            }
            if (fields_.size() >= 32)
                return refuse(problems::too_large, "the form has more than 32 fields");
            if (fields_.contains(name))
                return refuse(problems::invalid_argument, concat(name, " is given twice"), name);
            auto text = read_field(name);
            if (!text) return std::unexpected{std::move(text).error()};
            fields_.emplace(name, std::move(*text));
        }
    }

    [[nodiscard]] or_problem<std::string> read_field(const std::string& name) {
        const std::size_t most = name == "metadata" ? most_metadata : most_field;
        std::string text;
        std::array<char, 4096> piece{};
        while (true) {
            const auto count = form_->read(piece);
            if (!count) return std::unexpected{broken(count.error())};
            if (*count == 0) return text;
            text.append(piece.data(), *count);
            if (text.size() > most)
                return refuse(problems::too_large, concat(name, " has more than ", most, " bytes"),
                              name);
        }
    }

    /// A body that cannot be read on, by whoever's fault.
    [[nodiscard]] static problem broken(const error& why) {
        if (why.code == errc::timed_out) return {problems::timeout, why.message};
        return {problems::invalid_argument, why.message};
    }

    std::shared_ptr<multipart_reader> form_;
    body_pull raw_;
    std::string_view coding_;
    unpack_limits limits_;
    std::map<std::string, std::string> fields_;
    std::string name_;
    std::string type_;
    bool has_file_ = false;
    std::shared_ptr<upload_course> course_ = std::make_shared<upload_course>();
};

/// Why a file was not taken in: what the storage says, or what its way here does.
[[nodiscard]] inline problem upload_problem(error why, const upload_course& course,
                                            std::int64_t max_file_size) {
    if (max_file_size > 0 && course.bytes > static_cast<std::uint64_t>(max_file_size))
        return {problems::too_large,
                concat("the file is larger than ", max_file_size, " bytes, the most that is taken"),
                "file"};
    if (course.unpacks_to_too_much) return {problems::too_large, std::move(why.message), "file"};
    const bool is_file = why.code == errc::invalid_row;
    if (!course.broken) return problem_of(std::move(why), is_file ? "file" : "");
    const auto& broken = *course.broken;
    if (broken.code == errc::timed_out) return {problems::timeout, broken.message};
    if (broken.message.contains("larger")) return {problems::too_large, broken.message, "file"};
    return {problems::invalid_argument, broken.message};
}

/// The whole file, on disk: for what must not wait for a slow client.
[[nodiscard]] inline or_problem<spooled_file> spool(incoming_file& file, std::int64_t max_file_size,
                                                    bool is_last = true) {
    auto kept = spooled_file::keep(file.bytes(is_last), max_file_size);
    if (!kept)
        return std::unexpected{
            upload_problem(std::move(kept).error(), file.course(), max_file_size)};
    return std::move(*kept);
}

}  // namespace bulk::http::api
