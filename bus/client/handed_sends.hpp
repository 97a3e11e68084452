/// Messages that other threads have handed over to the loop of a Bus: part of Sender. At most
/// kHandedSends with kHandedBytes; the loop takes kHandedPass of them in a turn.
///
/// Owns the messages until the loop takes them. `add` from any thread, all else on the loop's. The
/// io_context outlives the Bus, after whose end `add` refuses.
#pragma once

#include <boost/asio/io_context.hpp>
#include <deque>
#include <memory>
#include <mutex>
#include <string>

#include "bus/client/bus_types.hpp"
#include "bus/client/done.hpp"

namespace starbus::bus {

class BusCore;

/// A message of Sender::send.
struct HandedMessage {
  std::string to;
  Bytes body;
  SendOptions options;
  Done<> done;  // may be null
};

class HandedSends : public std::enable_shared_from_this<HandedSends> {
 public:
  HandedSends(boost::asio::io_context& loop, std::weak_ptr<BusCore> bus)
      : loop_(loop), bus_(std::move(bus)) {}

  /// too_large, would_block, closed. From any thread.
  Result<> add(HandedMessage message);
  /// Refuses from now on, and completes what waits with `reason`.
  void shut(const Error& reason);

 private:
  void take_later();
  void take();
  static std::size_t charge_of(const HandedMessage& message) {
    return message.to.size() + message.body.size();
  }

  boost::asio::io_context& loop_;
  const std::weak_ptr<BusCore> bus_;
  std::mutex mutex_;  // guards all below
  std::deque<HandedMessage> messages_;
  std::size_t bytes_ = 0;
  bool take_posted_ = false;
  bool closed_ = false;
};

}  // namespace starbus::bus
