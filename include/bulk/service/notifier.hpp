// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/log.hpp>
#include <bulk/core/names.hpp>
#include <bulk/core/notification.hpp>
#include <bulk/run/guard.hpp>
#include <bulk/service/subscriptions.hpp>
#include <bulk/storage/any_storage.hpp>

#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bulk {

/// Tells the recipients of an operation, each by the channel and of the events that they asked for.
class notifier {
public:
    notifier(any_storage& storage, subscriptions& events, const log_handler& log)
        : storage_{storage}, events_{events}, log_{log} {}

    [[nodiscard]] result<> add(std::string name, notification_channel channel) {
        if (is_blank(name) || !channel)
            return fail(errc::invalid_argument,
                        concat("channel '", name, "' needs a name and something to call"));
        const std::scoped_lock lock{mutex_};
        if (find(name) != nullptr)
            return fail(errc::invalid_argument,
                        concat("there is a channel '", name, "' already (case does not count)"));
        if (channels_.empty())
            events_.add_reader("notifier", [this](const event& each) { return tell(each); });
        channels_.emplace_back(std::move(name),
                               std::make_shared<notification_channel>(std::move(channel)));
        return {};
    }

private:
    using shared_channel = std::shared_ptr<notification_channel>;

    /// Under the lock.
    [[nodiscard]] shared_channel find(std::string_view name) const {
        for (const auto& [known, channel] : channels_)
            if (same_name(known, name)) return channel;
        return nullptr;
    }

    /// Fails when nobody could be told because the storage does not answer.
    [[nodiscard]] result<> tell(const event& what) {
        const trigger happened = trigger_of(what);
        if (happened == trigger::none) return {};
        const auto operation = storage_.get(what.operation);
        if (!operation) {
            warn("notification failed", what, operation.error().message);
            if (operation.error().code == errc::unavailable)
                return std::unexpected{operation.error()};
            return {};
        }
        for (const auto& to : operation->recipients) {
            if (!includes(to.when, happened)) continue;
            shared_channel channel;
            {
                const std::scoped_lock lock{mutex_};
                channel = find(to.channel);
            }
            if (channel == nullptr) {
                warn("notification failed", what,
                     concat("no channel is named '", to.channel, '\''));
                continue;
            }
            if (const auto sent = guarded([&] { (*channel)({what, to, *operation}); }); !sent)
                warn("notification failed", what, sent.error().message);
        }
        return {};
    }

    void warn(std::string_view event, const bulk::event& about, std::string why) const {
        if (log_)
            log_({log_level::warning,
                  event,
                  {{"operation", to_text(about.operation)}, {"why", std::move(why)}}});
    }

    any_storage& storage_;
    subscriptions& events_;
    const log_handler& log_;
    mutable std::mutex mutex_;
    std::vector<std::pair<std::string, shared_channel>> channels_;
};

}  // namespace bulk
