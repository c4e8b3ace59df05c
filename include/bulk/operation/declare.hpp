// SPDX-License-Identifier: MIT
#pragma once

// Every public macro, and nothing else: BULK_ROW, BULK_METADATA, BULK_OPERATION, BULK_STEP. Each
// declares one thing, checks it in words, and hands over to templates. Names that end in an
// underscore are the macros' own.

#include <bulk/core/names.hpp>
#include <bulk/core/retry.hpp>
#include <bulk/operation/method_step.hpp>
#include <bulk/operation/operation.hpp>
#include <bulk/operation/step_options.hpp>
#include <bulk/rows/column.hpp>
#include <bulk/rows/from_text.hpp>
#include <bulk/rows/members.hpp>
#include <bulk/rows/metadata.hpp>

#include <concepts>
#include <type_traits>

/// Declares a struct as a row: `BULK_ROW(device, (imei, .column = "IMEI"), customer, plan);`
///
/// Each argument is a member, or a member with attributes in parentheses: those of
/// `bulk::column_options`, in that order. Stands after the struct, in its namespace. Takes up to
/// 256 members.
#define BULK_ROW(Type_, ...)                                                                       \
    [[maybe_unused]] constexpr auto bulk_columns(::std::type_identity<Type_>) {                    \
        return ::bulk::member_list<::bulk::column_options BULK_EACH_(                              \
            BULK_POINTER_, Type_, __VA_ARGS__)>{{{BULK_EACH_(BULK_COLUMN_, Type_, __VA_ARGS__)}}}; \
    }                                                                                              \
    static_assert(::bulk::declared_row<Type_>,                                                     \
                  "BULK_ROW(" #Type_ "): stands outside of classes, in the namespace of " #Type_); \
    BULK_EACH_(BULK_CHECK_COLUMN_, Type_, __VA_ARGS__)                                             \
    BULK_CHECK_STRUCT_(BULK_ROW, Type_);                                                           \
    static_assert(::bulk::row_id_columns<Type_>() <= 1,                                            \
                  "BULK_ROW(" #Type_ "): only one column can be the row_id");                      \
    static_assert(                                                                                 \
        !::bulk::has_twin_columns<Type_>(),                                                        \
        "BULK_ROW(" #Type_                                                                         \
        "): two columns have the same name (case and spaces do not count) or are one member")

/// Declares a struct as metadata, the part of a request beside its file:
/// `BULK_METADATA(request, (requested_by, .description = "who asked for it"), ticket);`
///
/// Written as BULK_ROW, with the attributes of `bulk::field_options`.
#define BULK_METADATA(Type_, ...)                                                                 \
    [[maybe_unused]] constexpr auto bulk_fields(::std::type_identity<Type_>) {                    \
        return ::bulk::member_list<::bulk::field_options BULK_EACH_(                              \
            BULK_POINTER_, Type_, __VA_ARGS__)>{{{BULK_EACH_(BULK_FIELD_, Type_, __VA_ARGS__)}}}; \
    }                                                                                             \
    static_assert(::bulk::declared_metadata<Type_>,                                               \
                  "BULK_METADATA(" #Type_                                                         \
                  "): stands outside of classes, in the namespace of " #Type_);                   \
    __VA_OPT__(BULK_EACH_(BULK_CHECK_FIELD_, Type_, __VA_ARGS__))                                 \
    BULK_CHECK_STRUCT_(BULK_METADATA, Type_);                                                     \
    static_assert(!::bulk::has_twin_fields<Type_>(),                                              \
                  "BULK_METADATA(" #Type_                                                         \
                  "): two fields have the same name (case does not count) or are one member")

/// Names an operation, inside its class: `BULK_OPERATION("device-provisioning", .retryable = true)`
///
/// Takes the attributes of `bulk::operation_options`, in that order.
#define BULK_OPERATION(name_, ...)                                                                \
    template <typename Self_ = self_type>                                                         \
    static constexpr ::bulk::operation_options bulk_operation() {                                 \
        using options_ = typename ::bulk::known_with<::bulk::operation_options, Self_>::type;     \
        constexpr bool known_ = requires { options_{.name = name_ __VA_OPT__(, ) __VA_ARGS__}; }; \
        static_assert(known_, "BULK_OPERATION(" #name_                                            \
                              "): an attribute is unknown, out of order or of another type; an "  \
                              "operation takes .description, .track_row_data, .retryable, "       \
                              ".max_failed_rows, .max_failed_ratio");                             \
        static_assert(!::bulk::is_blank(name_), "BULK_OPERATION: an operation needs a name");     \
        if constexpr (known_) {                                                                   \
            constexpr options_ said_{.name = name_ __VA_OPT__(, ) __VA_ARGS__};                   \
            static_assert(::bulk::is_valid_budget(said_),                                         \
                          "BULK_OPERATION(" #name_ "): max_failed_ratio is from 0 to 1");         \
            return said_;                                                                         \
        } else {                                                                                  \
            return {};                                                                            \
        }                                                                                         \
    }

/// Makes a method a step: `BULK_STEP(activate, "SIM Activation", .order = 1, .max_retries = 2)`
/// `(const device& d, const request& r, bulk::context& ctx) { … }`
///
/// Takes the attributes of `bulk::step_options`, in that order. The method returns nothing,
/// `bulk::result<>` or `bulk::outcome`; write `-> bulk::result<>` after its parameters where the
/// compiler cannot tell from its `return`s.
#define BULK_STEP(method_, name_, ...)                                                             \
    static_assert(BULK_HERE_::value < ::bulk::most_steps,                                          \
                  "BULK_STEP(" #method_ "): an operation has at most 128 steps");                  \
    template <typename Self_ = self_type>                                                          \
    static constexpr ::bulk::method_step<&Self_::method_> bulk_step(BULK_HERE_) {                  \
        using options_ = typename ::bulk::known_with<::bulk::step_options, Self_>::type;           \
        constexpr bool known_ = requires { options_{.name = name_ __VA_OPT__(, ) __VA_ARGS__}; };  \
        static_assert(                                                                             \
            known_, "BULK_STEP(" #method_                                                          \
                    "): an attribute is unknown, out of order or of another type; a method step "  \
                    "takes .order, .max_retries, .backoff, .allow_operation_retry");               \
        static_assert(::bulk::is_step_method<Self_, decltype(&Self_::method_)>(),                  \
                      "BULK_STEP(" #method_                                                        \
                      "): a step takes (const row&, const metadata&, bulk::context&) and returns " \
                      "void, bulk::result<> or bulk::outcome");                                    \
        static_assert(!::bulk::is_blank(name_), "BULK_STEP(" #method_ "): a step needs a name");   \
        if constexpr (known_) {                                                                    \
            constexpr options_ said_{.name = name_ __VA_OPT__(, ) __VA_ARGS__};                    \
            static_assert(said_.max_retries >= 0,                                                  \
                          "BULK_STEP(" #method_                                                    \
                          "): max_retries cannot be negative; 0 means one try");                   \
            static_assert(::bulk::is_valid(said_.backoff),                                         \
                          "BULK_STEP(" #method_                                                    \
                          "): a back-off needs base >= 0, a cap from base to a year, a factor "    \
                          "from 1 to 1000 and a jitter from 0 to 1");                              \
            static_assert(!said_.poll_interval && !said_.timeout,                                  \
                          "BULK_STEP(" #method_                                                    \
                          "): a method cannot be polled or signalled; write a step class with "    \
                          "is_complete or signal_key and list it in steps()");                     \
            return {#method_, said_};                                                              \
        } else {                                                                                   \
            return {};                                                                             \
        }                                                                                          \
    }                                                                                              \
    static auto bulk_count(::bulk::rank<BULK_HERE_::value + 1>)                                    \
        ->::bulk::index<BULK_HERE_::value + 1>;                                                    \
    auto method_

// How many steps the class has declared above this line.
#define BULK_HERE_ decltype(bulk_count(::bulk::highest_rank{}))

// One member: `name` or `(name, attributes...)`.
#define BULK_POINTER_(Type_, member_) , &Type_::BULK_NAME_(member_)
#define BULK_COLUMN_(Type_, member_) \
    {BULK_TEXT_(BULK_NAME_(member_)), BULK_SAID_(BULK_COLUMN_SAID_, Type_, member_)},
#define BULK_FIELD_(Type_, member_) \
    {BULK_TEXT_(BULK_NAME_(member_)), BULK_SAID_(BULK_FIELD_SAID_, Type_, member_)},

#define BULK_COLUMN_SAID_(Type_, member_, ...)                                                \
    []<typename options_>(::std::type_identity<options_>) {                                   \
        constexpr bool known_ = requires { options_{__VA_ARGS__}; };                          \
        static_assert(known_,                                                                 \
                      "BULK_ROW(" #Type_ "): column '" #member_                               \
                      "' has an attribute that is unknown, out of order or of another type; " \
                      "a column takes .column, .required, .format, .row_id, .unique");        \
        if constexpr (known_) {                                                               \
            constexpr options_ said_{__VA_ARGS__};                                            \
            static_assert(said_.column.empty() || !::bulk::is_blank(said_.column),            \
                          "BULK_ROW(" #Type_ "): column '" #member_ "' has a blank name");    \
            static_assert(                                                                    \
                said_.format.empty() ||                                                       \
                    (::bulk::is_time_format(said_.format) &&                                  \
                     ::bulk::time_type<                                                       \
                         typename ::bulk::bare_type<decltype(Type_::member_)>::type>),        \
                "BULK_ROW(" #Type_ "): column '" #member_                                     \
                "' has a format; only dates and times have one, of %Y %m %d %H %M %S %z");    \
            static_assert(!said_.unique || said_.row_id,                                      \
                          "BULK_ROW(" #Type_ "): column '" #member_                           \
                          "' is unique but not the row_id; only the row_id can be unique");   \
            return said_;                                                                     \
        } else {                                                                              \
            return options_{};                                                                \
        }                                                                                     \
    }(::std::type_identity<::bulk::column_options>{})

#define BULK_FIELD_SAID_(Type_, member_, ...)                                                 \
    []<typename options_>(::std::type_identity<options_>) {                                   \
        constexpr bool known_ = requires { options_{__VA_ARGS__}; };                          \
        static_assert(known_,                                                                 \
                      "BULK_METADATA(" #Type_ "): field '" #member_                           \
                      "' has an attribute that is unknown, out of order or of another type; " \
                      "a field takes .name, .required, .description");                        \
        if constexpr (known_)                                                                 \
            return options_{__VA_ARGS__};                                                     \
        else                                                                                  \
            return options_{};                                                                \
    }(::std::type_identity<::bulk::field_options>{})

#define BULK_CHECK_STRUCT_(macro_, Type_)                                            \
    static_assert(::std::default_initializable<Type_>,                               \
                  #macro_ "(" #Type_ "): " #Type_ " must be default-constructible"); \
    static_assert(::std::movable<Type_>, #macro_ "(" #Type_ "): " #Type_ " must be movable")

#define BULK_CHECK_COLUMN_(Type_, member_) \
    BULK_CHECK_READABLE_("BULK_ROW", "column", Type_, BULK_NAME_(member_))
#define BULK_CHECK_FIELD_(Type_, member_) \
    BULK_CHECK_READABLE_("BULK_METADATA", "field", Type_, BULK_NAME_(member_))
#define BULK_CHECK_READABLE_(macro_, what_, Type_, member_)                                   \
    static_assert(::std::is_member_object_pointer_v<decltype(&Type_::member_)>, macro_        \
                  "(" #Type_ "): '" BULK_TEXT_(member_) "' is not a data member of " #Type_); \
    static_assert(::bulk::readable_from_text<decltype(Type_::member_)>, macro_ "(" #Type_ "): the " what_ " '" BULK_TEXT_(member_) "' has a type that cannot be read from text; it must not be const, an enum needs BOOST_DESCRIBE_ENUM, and any other type 'bulk::result<T> from_text(std::type_identity<T>, std::string_view)' in its own namespace");

// `name` -> name, `(name, attributes...)` -> name.
#define BULK_NAME_(member_) BULK_PASTE_(BULK_NAME_, BULK_HAS_PARENTHESES_(member_))(member_)
#define BULK_NAME_0(member_) member_
#define BULK_NAME_1(member_) BULK_FIRST_ member_

// `name` -> {}, `(name)` -> {}, `(name, attributes...)` -> said_(Type_, name, attributes...).
#define BULK_SAID_(said_, Type_, member_) \
    BULK_PASTE_(BULK_SAID_, BULK_HAS_PARENTHESES_(member_))(said_, Type_, member_)
#define BULK_SAID_0(said_, Type_, member_) \
    {                                      \
    }
#define BULK_SAID_1(said_, Type_, member_) BULK_SAID_2(said_, Type_, BULK_OPEN_ member_)
#define BULK_SAID_2(said_, Type_, ...) BULK_SAID_3(said_, Type_, __VA_ARGS__)
#define BULK_SAID_3(said_, Type_, name_, ...) \
    BULK_PASTE_(BULK_SAID_WITH_, __VA_OPT__(1))(said_, Type_, name_, __VA_ARGS__)
#define BULK_SAID_WITH_(said_, Type_, name_, ...) \
    {                                             \
    }
#define BULK_SAID_WITH_1(said_, Type_, name_, ...) said_(Type_, name_, __VA_ARGS__)

#define BULK_TEXT_(text_) BULK_TEXT_NOW_(text_)
#define BULK_TEXT_NOW_(text_) #text_
#define BULK_PASTE_(a_, b_) BULK_PASTE_NOW_(a_, b_)
#define BULK_PASTE_NOW_(a_, b_) a_##b_
#define BULK_OPEN_(...) __VA_ARGS__
#define BULK_FIRST_(first_, ...) first_
#define BULK_SECOND_(first_, second_, ...) second_
#define BULK_HAS_PARENTHESES_(member_) BULK_SECOND_EXPANDED_(BULK_PROBE_ member_, 0, ~)
#define BULK_SECOND_EXPANDED_(...) BULK_SECOND_(__VA_ARGS__)
#define BULK_PROBE_(...) ~, 1

// each_(data_, x) for every x. The preprocessor has no loop: BULK_NEXT_ puts the rest off to the
// next scan, and BULK_SCAN_ scans 4^4 times and more. Boost.Describe's lists stop at 52.
#define BULK_EACH_(each_, data_, ...) __VA_OPT__(BULK_SCAN_(BULK_REST_(each_, data_, __VA_ARGS__)))
#define BULK_REST_(each_, data_, first_, ...) \
    each_(data_, first_) __VA_OPT__(BULK_NEXT_ BULK_NOTHING_()(each_, data_, __VA_ARGS__))
#define BULK_NEXT_() BULK_REST_
#define BULK_NOTHING_() ()
#define BULK_SCAN_(...) BULK_SCAN_1_(BULK_SCAN_1_(BULK_SCAN_1_(BULK_SCAN_1_(__VA_ARGS__))))
#define BULK_SCAN_1_(...) BULK_SCAN_2_(BULK_SCAN_2_(BULK_SCAN_2_(BULK_SCAN_2_(__VA_ARGS__))))
#define BULK_SCAN_2_(...) BULK_SCAN_3_(BULK_SCAN_3_(BULK_SCAN_3_(BULK_SCAN_3_(__VA_ARGS__))))
#define BULK_SCAN_3_(...) BULK_SCAN_4_(BULK_SCAN_4_(BULK_SCAN_4_(BULK_SCAN_4_(__VA_ARGS__))))
#define BULK_SCAN_4_(...) __VA_ARGS__
