// A user's test: a cluster of one host within this process.
#include <boost/asio.hpp>
#include <iostream>

#include "bus/client/bus.hpp"
#include "testing/cluster.hpp"

int main() {
  boost::asio::io_context loop;
  starbus::testing::Cluster cluster(loop, {.hosts = {"a"}});
  starbus::bus::Bus node(loop, cluster.node("a", "consumer"));
  bool connected = false;
  node.connect([&](const starbus::bus::Result<>& result) {
    connected = result.has_value();
    loop.stop();
  });
  loop.run_for(std::chrono::seconds(20));
  std::cout << (connected ? "connected" : "not connected") << std::endl;
  return connected ? 0 : 1;
}
