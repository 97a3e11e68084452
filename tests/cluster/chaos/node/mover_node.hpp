/// One process of a run of moves: takes in channels that wander, lets them and itself send, and
/// moves them on. Whether all came as it should is written to the board.
///
/// One thread, the loop's.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <map>
#include <random>

#include "bus/client/bus.hpp"
#include "tests/cluster/chaos/move_board.hpp"

namespace starbus::cluster_test {

class MoverNode {
 public:
  MoverNode(boost::asio::io_context& loop, MoveBoard& board, std::uint32_t index,
            std::string endpoint);

  boost::asio::awaitable<void> run();

 private:
  /// What a wandering channel is: it travels as it lies in memory.
  struct Mover {
    std::uint32_t expected[kSenders] = {};
    std::uint32_t sent[kMovers] = {};
  };
  struct Hosted {
    Mover mover;
    bool moving = false;
    bool frozen = false;
  };

  boost::asio::awaitable<void> place();
  void send_some();
  bool send(std::uint32_t from, std::uint32_t to);
  void move_some();
  bus::Bytes freeze(std::uint32_t mover);
  void on_moved(std::uint32_t mover, const bus::Result<>& end);
  bus::Handlers arrived(const bus::Arrival& arrival);
  bus::Handlers handlers(std::uint32_t mover);
  void take(std::uint32_t mover, const bus::Message& message);
  void activate(std::uint32_t mover);
  std::uint32_t below(std::uint32_t bound);

  boost::asio::io_context& loop_;
  MoveBoard& board_;
  const std::uint32_t index_;
  MoverNodeAccount& account_;
  bus::Bus bus_;
  std::map<std::uint32_t, Hosted> hosted_;
  std::mt19937 random_;
};

}  // namespace starbus::cluster_test
