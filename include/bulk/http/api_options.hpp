// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/http/access.hpp>
#include <bulk/http/origin.hpp>

#include <functional>
#include <optional>
#include <string>

namespace bulk::http {

/// One thing that somebody did through the API, for a log.
struct action {
    std::string who{};
    std::string what{};   ///< the id of the route: `cancelOperation`
    std::string where{};  ///< the path
    int status = 0;
};

/// Why a request failed that the client could not have made better, for a log: a full disk, a locked
/// database. The client is given the request id and nothing of the rest.
struct request_fault {
    std::string request_id{};
    std::string what{};   ///< the id of the route: `listRows`
    std::string where{};  ///< the path
    std::string why{};    ///< what the storage said, with the names of its files
};

/// How the API answers, and whom.
struct api_options {
    std::string name{};      ///< of the program, for people; empty: the service's
    authoriser access{};     ///< who may do what; unset: everybody, which only loopback allows
    origin_rules origins{};  ///< names that we go by, and pages elsewhere that may ask
    bool has_dashboard = true;
    std::function<void(const action&)>
        log{};  ///< told of everything that needs the right to operate
    std::function<void(const request_fault&)> log_fault{};  ///< told why a request was a 5xx
};

}  // namespace bulk::http
