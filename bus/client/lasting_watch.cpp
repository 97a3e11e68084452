#include "bus/client/lasting_watch.hpp"

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <utility>

#include "bus/core/limits.hpp"

namespace starbus::bus {

LastingWatch::LastingWatch(Bus& bus, std::string prefix, Changed changed, Lapsed lapsed)
    : bus_(bus),
      prefix_(std::move(prefix)),
      changed_(std::move(changed)),
      lapsed_(std::move(lapsed)),
      pause_(kWatchRetryFirst),
      timer_(bus.loop()) {}

Result<> LastingWatch::start() {
  auto watched = watch();
  if (watched || watched.error() == Errc::bad_name || watched.error() == Errc::closed) {
    return watched;
  }
  lapse(watched.error());
  return {};
}

Result<> LastingWatch::watch() {
  first_ = true;
  auto handle = bus_.watch(
      prefix_,
      [this, weak = std::weak_ptr(alive_)](const WatchUpdate& shown) {
        if (!weak.expired()) update(shown);
      },
      [this, weak = std::weak_ptr(alive_)](const Error& why) {
        if (!weak.expired()) lapse(why);
      });
  if (!handle) return handle.error();
  handle_ = std::move(*handle);
  return {};
}

void LastingWatch::update(const WatchUpdate& shown) {
  WatchRows rows;
  rows.prefix = prefix_;
  rows.rows = shown.changes;
  rows.first = std::exchange(first_, false);
  rows.last = shown.complete && !current_;
  WatchUpdate news;
  news.changes = rows_.apply(std::move(rows));
  if (shown.complete) {
    current_ = true;
    pause_ = kWatchRetryFirst;
  }
  news.complete = rows_.complete();
  if (current_) changed_(news);
}

void LastingWatch::lapse(const Error& why) {
  current_ = false;
  timer_.expires_after(pause_);
  pause_ = std::min(2 * pause_, std::chrono::milliseconds(kWatchRetryLongest));
  timer_.async_wait([this, weak = std::weak_ptr(alive_)](const boost::system::error_code& error) {
    if (error || weak.expired()) return;
    if (const auto watched = watch(); !watched) lapse(watched.error());
  });
  if (lapsed_) lapsed_(why);
}

}  // namespace starbus::bus
