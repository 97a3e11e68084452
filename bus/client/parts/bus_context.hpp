/// The data that the parts of a Bus share. Internal header. One thread, that of the io_context.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <memory>

#include "base/unit_guard.hpp"
#include "bus/client/bus_types.hpp"
#include "bus/client/done.hpp"
#include "bus/client/parts/channel_names.hpp"
#include "bus/client/parts/warnings.hpp"
#include "bus/client/process_link.hpp"
#include "bus/client/shown_name.hpp"
#include "bus/core/ends/process_core.hpp"
#include "bus/io/clock.hpp"

namespace starbus::bus {

class BusCore;

struct BusContext {
  boost::asio::io_context& loop;
  Options options;
  ProcessCore& process;
  ProcessLink& link;
  std::weak_ptr<BusCore> self{};  // set right after construction
  ChannelNames names{};
  Warnings warnings{};
  Bytes envelope{};      // scratch: the envelope of the message that is being sent
  Token next_token = 1;  // of messages whose end is awaited; calls have tokens of their own
  bool closing = false;
  bool closed = false;
  // The text of what a handler works on, shared with scopes that outlive a Bus which it destroys.
  const std::shared_ptr<ShownName> activity = std::make_shared<ShownName>();

  std::function<void(const Undelivered&)> on_undelivered{};
  std::function<void(LinkState, const Error&)> on_link{};
  std::function<void()> on_lease_lost{};
  std::function<void(const Error&)> on_ended{};

  /// A message without a `done` has ended so: told to busd, and to on_undelivered.
  void undelivered(Undelivered what) {
    process.note_undelivered(what.channel, what.name, errc_of(what.reason));
    // A copy: the callback may destroy the Bus.
    if (const auto callback = on_undelivered) {
      guarded(UnitKind::message, "on_undelivered", [&] { callback(what); });
    }
  }
  /// Operations are refused as closed.
  bool ends() const { return closed || closing; }
  ShownName::Scope showing(std::string_view kind, std::string_view name) const {
    return {activity, kind, name};
  }
  /// Calls `done`, if it is not null, on a later turn of the loop.
  template <class T>
  void complete(Done<T> done, Result<T> result) {
    if (!done) return;
    boost::asio::post(loop, [done = std::move(done), result = std::move(result)]() mutable {
      run<T>(done, std::move(result));
    });
  }
  /// Calls `done`, if it is not null, now: in a turn of the loop of its own.
  template <class T>
  static void run(const Done<T>& done, Result<T> result) {
    if (!done) return;
    const auto place = [&]() -> const std::type_info& { return done.target_type(); };
    guarded(UnitKind::completion, place, [&] { done(std::move(result)); });
  }
};

/// When a message with this time to live expires; 0 for never.
inline Time expiry_of(std::chrono::milliseconds ttl) {
  return ttl.count() > 0 ? io::boot_now() + std::min(ttl, kLongestLife) : Time{};
}

}  // namespace starbus::bus
