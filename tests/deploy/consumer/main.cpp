// Uses the client library as far as that works without a busd.
#include <boost/asio/io_context.hpp>
#include <iostream>

#include "bus/client/bus.hpp"

int main() {
  boost::asio::io_context loop;
  const starbus::bus::Bus node(loop, {.node = "consumer", .endpoint = "unix:///nowhere.sock"});
  std::cout << node.node() << " uses starbus" << std::endl;
}
