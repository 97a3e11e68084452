// starbus-chaos-node BOARD INDEX ENDPOINT: one process of a chaos run, see load_node.hpp.
#include <boost/asio/co_spawn.hpp>
#include <cstdlib>
#include <iostream>

#include "tests/cluster/chaos/node/load_node.hpp"

int main(int argc, char** argv) {
  using namespace starbus::cluster_test;
  if (argc != 4) {
    std::cerr << "usage: starbus-chaos-node BOARD INDEX ENDPOINT\n";
    return 2;
  }
  Board board = Board::open(argv[1]);
  boost::asio::io_context loop;
  LoadNode node(loop, board, static_cast<std::uint32_t>(std::atoi(argv[2])), argv[3]);
  boost::asio::co_spawn(loop, node.run(), [&](std::exception_ptr error) {
    if (error) std::rethrow_exception(error);
    loop.stop();
  });
  loop.run();
}
