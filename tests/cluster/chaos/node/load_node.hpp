/// One process of a chaos run: owns a channel, sends numbered messages to those of its peers at an
/// even pace, and writes what it sends and handles to the board. Whatever happens to its messages
/// is written down and judged by the supervisor, not here.
///
/// One thread, the loop's.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <cstdint>

#include "bus/client/bus.hpp"
#include "tests/cluster/chaos/board.hpp"

namespace starbus::cluster_test {

class LoadNode {
 public:
  LoadNode(boost::asio::io_context& loop, Board& board, std::uint32_t index, std::string endpoint);

  /// Until the supervisor wants it to leave.
  boost::asio::awaitable<void> run();

 private:
  boost::asio::awaitable<void> take_channel();
  boost::asio::awaitable<void> pause(std::chrono::milliseconds time);
  void send_due();
  bool send_next(std::uint32_t own_stream);
  bool all_settled() const;
  void take(const bus::Message& message);
  void note_silence(std::uint32_t host);

  boost::asio::io_context& loop_;
  Board& board_;
  const std::uint32_t index_;
  NodeAccount& account_;
  bus::Bus bus_;
  std::uint32_t in_flight_[kStreamsPerNode] = {};
  std::int64_t heard_[kHosts] = {};
  bus::Bytes body_;
};

}  // namespace starbus::cluster_test
