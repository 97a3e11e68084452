// starbus-chaos-node load|move BOARD INDEX ENDPOINT: one process of a chaos run, see load_node.hpp
// and mover_node.hpp.
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <cstdlib>
#include <iostream>

#include "tests/cluster/chaos/node/load_node.hpp"
#include "tests/cluster/chaos/node/mover_node.hpp"

namespace starbus::cluster_test {
namespace {

template <class Node, class SharedBoard>
void run_node(SharedBoard board, std::uint32_t index, const std::string& endpoint) {
  boost::asio::io_context loop;
  Node node(loop, board, index, endpoint);
  boost::asio::co_spawn(loop, node.run(), [&](std::exception_ptr error) {
    if (error) std::rethrow_exception(error);
    loop.stop();
  });
  loop.run();
}

}  // namespace
}  // namespace starbus::cluster_test

int main(int argc, char** argv) {
  using namespace starbus::cluster_test;
  const std::string_view role = argc == 5 ? argv[1] : "";
  if (role != "load" && role != "move") {
    std::cerr << "usage: starbus-chaos-node load|move BOARD INDEX ENDPOINT\n";
    return 2;
  }
  const auto index = static_cast<std::uint32_t>(std::atoi(argv[3]));
  if (role == "load") run_node<LoadNode>(Board::open(argv[2]), index, argv[4]);
  if (role == "move") run_node<MoverNode>(MoveBoard::open(argv[2]), index, argv[4]);
}
