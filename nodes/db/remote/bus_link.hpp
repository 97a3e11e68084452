#pragma once

#include <memory>

#include "bus/client/bus.hpp"
#include "nodes/db/remote/remote_link.hpp"

namespace starbus::nodes::db {

/// "db/NAME": its owner has that database.
std::string channel_of(const std::string& database);

/// A RemoteLink over a Bus, which outlives it. Belongs to the loop's thread.
class BusLink final : public RemoteLink {
 public:
  BusLink(bus::Bus& bus, const std::string& database);

  void call(bus::ByteView body, Milliseconds deadline, Replied replied) override;
  void wake_in(Milliseconds pause, std::function<void()> wake) override;
  void watch_owner(std::function<void(bool first)> changed) override;
  Milliseconds now() const override;

 private:
  void watch();
  void update(const bus::WatchUpdate& update);

  bus::Bus& bus_;
  const std::string channel_;
  std::function<void(bool)> changed_;
  bus::WatchHandle watch_;
  bool watching_ = false;
  bus::Epoch epoch_{};
  std::shared_ptr<char> alive_ = std::make_shared<char>();
};

}  // namespace starbus::nodes::db
