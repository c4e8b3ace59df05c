// SPDX-License-Identifier: MIT
#pragma once

#include <type_traits>

namespace bulk {

// Does a class have a member of this name, whatever its signature? Then somebody meant it, and a
// wrong signature must be an error instead of a method that nobody calls.
//
// A class that inherits the name from two bases cannot name it: that is how it shows, overloaded or
// not. Final classes cannot be asked and count as not having it.

namespace detail {

struct has_validate {
    int validate;
};
struct has_process {
    int process;
};
struct has_steps {
    int steps;
};
struct has_is_complete {
    int is_complete;
};
struct has_signal_key {
    int signal_key;
};

struct has_key {
    int key;
};
struct has_hash {
    int hash;
};
struct has_prepare {
    int prepare;
};

template <typename T, typename Named>
struct both : T, Named {};

template <typename T>
concept open_class = std::is_class_v<T> && !std::is_final_v<T>;

}  // namespace detail

template <typename T>
concept names_validate =
    detail::open_class<T> && !requires { &detail::both<T, detail::has_validate>::validate; };
template <typename T>
concept names_process =
    detail::open_class<T> && !requires { &detail::both<T, detail::has_process>::process; };
template <typename T>
concept names_steps =
    detail::open_class<T> && !requires { &detail::both<T, detail::has_steps>::steps; };
template <typename T>
concept names_is_complete =
    detail::open_class<T> && !requires { &detail::both<T, detail::has_is_complete>::is_complete; };
template <typename T>
concept names_signal_key =
    detail::open_class<T> && !requires { &detail::both<T, detail::has_signal_key>::signal_key; };

template <typename T>
concept names_key = detail::open_class<T> && !requires { &detail::both<T, detail::has_key>::key; };
template <typename T>
concept names_hash =
    detail::open_class<T> && !requires { &detail::both<T, detail::has_hash>::hash; };
template <typename T>
concept names_prepare =
    detail::open_class<T> && !requires { &detail::both<T, detail::has_prepare>::prepare; };

}  // namespace bulk
