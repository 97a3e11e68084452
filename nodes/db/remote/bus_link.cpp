#include "nodes/db/remote/bus_link.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <utility>

namespace starbus::nodes::db {

std::string channel_of(const std::string& database) {
  return "db/" + database;
}

BusLink::BusLink(bus::Bus& bus, const std::string& database)
    : bus_(bus), channel_(channel_of(database)) {}

void BusLink::call(bus::ByteView body, Milliseconds deadline, Replied replied) {
  if (!watching_) watch();
  bus_.call(
      channel_, body, {.deadline = deadline},
      [weak = std::weak_ptr(alive_), replied = std::move(replied)](bus::Result<bus::Bytes> result) {
        if (!weak.expired()) replied(std::move(result));
      });
}

void BusLink::wake_in(Milliseconds pause, std::function<void()> wake) {
  const auto timer = std::make_shared<boost::asio::steady_timer>(bus_.loop(), pause);
  timer->async_wait([timer, weak = std::weak_ptr(alive_),
                     wake = std::move(wake)](const boost::system::error_code&) {
    if (!weak.expired()) wake();
  });
}

void BusLink::watch_owner(std::function<void(bool first)> changed) {
  changed_ = std::move(changed);
  watch();
}

/// Not before the bus is connected; so it is tried again with the calls.
void BusLink::watch() {
  auto handle = bus_.watch(
      channel_, [this](const bus::WatchUpdate& update) { this->update(update); },
      [this](const bus::Error&) { watching_ = false; });
  watching_ = handle.has_value();
  if (handle) watch_ = std::move(*handle);
}

void BusLink::update(const bus::WatchUpdate& update) {
  const std::weak_ptr<char> weak = alive_;
  for (const bus::WatchRow& row : update.changes) {
    if (weak.expired()) return;
    if (!row.present || row.name != channel_ || row.epoch == epoch_) continue;
    const bool first = epoch_ == bus::Epoch{};
    epoch_ = row.epoch;
    changed_(first);
  }
}

RemoteLink::Milliseconds BusLink::now() const {
  const auto since = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<Milliseconds>(since);
}

}  // namespace starbus::nodes::db
