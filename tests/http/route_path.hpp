// Requests for each route of the API.
#pragma once

#include <bulk/http/api/route.hpp>

#include <map>
#include <string>

namespace api_stage {

/// The path of a route, for the second row of an operation or for a run.
inline std::string path_of(const bulk::http::api::route& route, const std::string& id,
                           const std::string& run) {
    std::string path{route.path};
    const bool is_feed = route.topic == "feeds" || route.topic == "runs";
    for (const auto& [name, value] :
         std::map<std::string, std::string>{{"{id}", is_feed ? run : id},
                                            {"{name}", is_feed ? "articles" : "transfers"},
                                            {"{row}", "2"}})
        if (const auto found = path.find(name); found != std::string::npos)
            path.replace(found, name.size(), value);
    return path;
}

}  // namespace api_stage
