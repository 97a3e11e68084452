#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <cstdint>
#include <functional>
#include <memory>

#include "bus/core/error.hpp"

namespace starbus::nodes::gate::net {

/// Watches the sockets of thousands of connections with one epoll of its own, which the loop sees
/// as a single descriptor: no operation, handler or buffer of Asio for each, and no system call to
/// wait again. Level-triggered: what is not read is told again. Belongs to the loop's thread;
/// destroy it before the loop. Does not own the descriptors: remove() them before they are closed.
class Poller {
 public:
  /// `on_ready` gets the key and events of epoll; it may add, change and remove any. `on_turn` is
  /// called after each batch. Throws boost::system::system_error without a descriptor.
  Poller(boost::asio::io_context& loop, std::function<void(std::uint64_t, std::uint32_t)> on_ready,
         std::function<void()> on_turn);
  ~Poller();
  Poller(const Poller&) = delete;
  Poller& operator=(const Poller&) = delete;

  /// io_error: the system has no room for one more.
  Result<> add(int descriptor, std::uint64_t key, std::uint32_t events);
  /// Errors and hang-ups are told whatever the events are.
  void change(int descriptor, std::uint64_t key, std::uint32_t events);
  void remove(int descriptor);

 private:
  void wait();
  void run();

  boost::asio::posix::stream_descriptor epoll_;
  const std::function<void(std::uint64_t, std::uint32_t)> on_ready_;
  const std::function<void()> on_turn_;
  // A handler may be ready when this is destroyed.
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace starbus::nodes::gate::net
