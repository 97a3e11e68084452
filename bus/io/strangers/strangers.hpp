#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "bus/io/socket.hpp"
#include "bus/io/strangers/stranger_table.hpp"

namespace starbus::bus::io {

/// Bounds the connections that one address has at a TCP listener of ZeroMQ (StrangerTable), which
/// accepts in a thread of its own and tells of it afterwards: one too many is shut down, and its
/// address is not heard by the listening socket for a while. Belongs to the loop's thread; destroy
/// it before the context.
class Strangers {
 public:
  /// Called with the address of a source when it is shut out; may destroy this object.
  using OnShutOut = std::function<void(const std::string& address)>;
  /// `listening` is a duplicate of the listening socket, `port` its own.
  Strangers(boost::asio::io_context& context, Fd listening, std::uint16_t port,
            OnShutOut on_shut_out);

  /// ZeroMQ has accepted a connection; its descriptor may be closed, or another's, by now.
  void accepted(int descriptor);
  /// A connection has ended.
  void ended(int descriptor) { table_.remove(descriptor); }

 private:
  bool is_there(const StrangerTable::Connection& connection) const;
  void end(const StrangerTable::Connection& connection) const;
  void wait();

  Fd listening_;
  const std::uint16_t port_;
  const OnShutOut on_shut_out_;
  StrangerTable table_;
  boost::asio::steady_timer timer_;
  bool waiting_ = false;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace starbus::bus::io
