/// Host names to addresses, off the loop's thread.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <functional>
#include <vector>

#include "bus/io/endpoint.hpp"
#include "bus/io/link.hpp"

namespace starbus::bus::io {

using Addresses = std::vector<boost::asio::ip::tcp::endpoint>;

/// One lookup on the thread of its io_context. Destroying it cancels. A literal address is answered
/// at the next turn of the loop; a name costs a thread of Asio's resolver. Fails as unreachable.
class Resolve {
 public:
  explicit Resolve(boost::asio::io_context& context) : resolver_(context) {}
  /// Calls `done` later, never inside; `done` must keep its owner's life in mind itself.
  void start(const Endpoint& endpoint, std::function<void(Result<Addresses>)> done);
  void cancel() { resolver_.cancel(); }

 private:
  boost::asio::ip::tcp::resolver resolver_;
};

}  // namespace starbus::bus::io
