#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/loop_thread.hpp"
#include "bus/core/routers/host_router.hpp"
#include "daemon/admin/admin_http.hpp"

namespace starbus::busd {

/// Streams of the messages that pass for a channel ("bustop tail"). Belongs to the loop's thread.
/// The router's tap is set only while a stream is open, so that it costs nothing otherwise.
class Tails {
 public:
  explicit Tails(bus::HostRouter& router) : router_(router) {}
  /// Shows the channel's messages on the stream until the stream is closed.
  void add(const bus::ChannelId& channel, std::shared_ptr<daemon::Stream> stream);

 private:
  void show(const bus::ChannelId& channel, const bus::Run& run);
  void remove(const bus::ChannelId& channel, const daemon::Stream* stream);

  LoopThread thread_;
  bus::HostRouter& router_;
  std::map<bus::ChannelId, std::vector<std::shared_ptr<daemon::Stream>>> streams_;
};

}  // namespace starbus::busd
