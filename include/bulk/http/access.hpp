// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/names.hpp>
#include <bulk/http/guess_limit.hpp>
#include <bulk/http/message.hpp>
#include <bulk/http/problem.hpp>
#include <bulk/rows/utf8.hpp>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bulk::http {

/// Who asks. Their name stands in what they create and do, and is never taken from a body.
struct principal {
    std::string name{};
    bool may_operate = false;     ///< else they may only read
    bool is_anonymous = false;    ///< `name` is a placeholder: nobody has authenticated
    bool may_read_files = false;  ///< files as they were uploaded, and personal values in exports
};

/// Says who asks, by the head of a request, or refuses it with `problems::unauthenticated` or
/// `problems::forbidden`. Called from many threads at once.
using authoriser = std::function<or_problem<principal>(const request_head&)>;

/// Whether two secrets are the same, in a time that depends on the length of the given one alone.
[[nodiscard]] inline bool same_secret(std::string_view given, std::string_view kept) {
    unsigned char difference = given.size() == kept.size() ? 0 : 1;
    for (std::size_t i = 0; i < given.size(); ++i) {
        const char other = kept.empty() ? '\0' : kept[i % kept.size()];
        difference = static_cast<unsigned char>(difference | (given[i] ^ other));
    }
    return difference == 0 && !kept.empty();
}

struct access_token {
    std::string name{};    ///< of the principal
    std::string secret{};  ///< long and random
    bool may_operate = false;
    bool may_read_files = false;
};

/// `Authorization: Bearer SECRET`. An address that sends many wrong ones is refused for a while.
[[nodiscard]] inline authoriser by_tokens(std::vector<access_token> tokens,
                                          guess_options guesses = {}) {
    return [tokens = std::move(tokens), limit = std::make_shared<guess_limit>(std::move(guesses))](
               const request_head& head) -> or_problem<principal> {
        const std::string_view said = head.headers.get("authorization");
        const access_token* found = nullptr;
        const bool has_token = said.size() > 7 && same_name(said.substr(0, 7), "bearer ");
        if (has_token)
            for (const auto& each : tokens)  // all of them: how long it takes tells nothing
                if (same_secret(said.substr(7), each.secret)) found = &each;
        const std::string_view name = found != nullptr ? std::string_view{found->name} : "";
        if (const auto wait = has_token ? limit->blocked(head.peer, name) : std::nullopt) {
            problem why{problems::too_many_requests,
                        concat("too many wrong tokens from ", head.peer, ": try again in ",
                               wait->count(), " s")};
            why.headers.add("Retry-After", concat(wait->count()));
            return std::unexpected{std::move(why)};
        }
        if (found != nullptr) {
            limit->note_right(head.peer, found->name);
            return principal{.name = found->name,
                             .may_operate = found->may_operate,
                             .may_read_files = found->may_read_files};
        }
        if (has_token) limit->note_wrong(head.peer, said.substr(7));
        problem why{problems::unauthenticated, said.empty()
                                                   ? "send the header `Authorization: Bearer TOKEN`"
                                                   : "the token is not known here"};
        why.headers.add("WWW-Authenticate", "Bearer");
        return std::unexpected{std::move(why)};
    };
}

/// A proxy in front that knows who asks, and says so in a header that it takes away from everybody
/// else's requests.
struct proxy_header {
    std::string header = "X-Remote-User";
    std::vector<std::string> peers = {"127.0.0.1", "::1"};  ///< addresses of the proxy
    std::vector<std::string> operators{};     ///< names that may operate; "*" is everybody
    std::vector<std::string> file_readers{};  ///< names that may read uploaded files; "*" likewise
};

[[nodiscard]] inline authoriser by_proxy(proxy_header trusted) {
    return [trusted = std::move(trusted)](const request_head& head) -> or_problem<principal> {
        if (std::ranges::find(trusted.peers, head.peer) == trusted.peers.end())
            return refuse(problems::unauthenticated,
                          concat("requests come through the proxy, not from ", head.peer));
        const std::string name{head.headers.get(trusted.header)};
        if (name.empty() || head.headers.count(trusted.header) != 1 || !is_valid_utf8(name))
            return refuse(problems::unauthenticated,
                          concat("the proxy does not say who asks, in ", trusted.header));
        const auto is_in = [&](const std::vector<std::string>& list) {
            return std::ranges::find(list, name) != list.end() ||
                   std::ranges::find(list, "*") != list.end();
        };
        return principal{.name = name,
                         .may_operate = is_in(trusted.operators),
                         .may_read_files = is_in(trusted.file_readers)};
    };
}

/// The first of them that knows who asks.
[[nodiscard]] inline authoriser any_of(std::vector<authoriser> all) {
    return [all = std::move(all)](const request_head& head) -> or_problem<principal> {
        or_problem<principal> said = refuse(problems::unauthenticated, "nobody is known here");
        for (const auto& each : all) {
            said = each(head);
            if (said) break;
        }
        return said;
    };
}

/// Everybody on this machine, where nobody else can listen in: may do everything, as "local". A request that
/// came through a proxy may be anybody's: it is refused unless the proxy decides who may ask
/// (`through_proxy`).
[[nodiscard]] inline authoriser everybody(bool through_proxy = false) {
    return [through_proxy](const request_head& head) -> or_problem<principal> {
        for (const std::string_view name : {"X-Forwarded-For", "Forwarded", "X-Real-IP",
                                            "X-Forwarded-Host", "X-Forwarded-Proto", "Via"})
            if (!through_proxy && head.headers.has(name))
                return refuse(problems::forbidden,
                              concat("the request came through a proxy (header ", name,
                                     "), and without tokens every client of the proxy could do "
                                     "everything: configure tokens, or trust the proxy"),
                              std::string{name});
        return principal{
            .name = "local", .may_operate = true, .is_anonymous = true, .may_read_files = true};
    };
}

[[nodiscard]] inline bool is_loopback(std::string_view address) {
    return address == "::1" || address == "localhost" || address.starts_with("127.");
}

}  // namespace bulk::http
