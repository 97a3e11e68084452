/// The clients of a gate: bytes of connections to frames for the core, and back.
///
/// Hello, Ping and Pong are answered here; everything else is the core's. What a client says is
/// hostile: a frame that does not decode, or is not at its place, closes its connection with a
/// reason. Belongs to the loop's thread; the driver outlives it. Memory for each client: some 100
/// bytes beside what the net::Front has.
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "nodes/gate/net/front.hpp"
#include "nodes/gate/node/core_driver.hpp"
#include "nodes/gate/node/packet_frame.hpp"

namespace starbus::nodes::gate {

struct ClientSideCounters {
  std::uint64_t malformed = 0;  // frames that do not decode, or are not at their place
  std::uint64_t versions = 0;   // clients without a version in common
  std::uint64_t schemas = 0;    // clients that were built from another schema
  std::uint64_t paused = 0;     // times that a client was not read: kCallsWaiting
  std::uint64_t packets = 0;
  std::uint64_t packet_bytes = 0;
};

/// What operators see of a connection.
struct ClientView {
  std::string program{};  // as it calls itself
  std::string address{};
  net::ConnectionKind kind = net::ConnectionKind::tcp;
  std::chrono::milliseconds connected{0};    // for so long
  std::chrono::milliseconds round_trip{-1};  // of the last Ping; below 0: not known
  std::size_t queued = 0;                    // bytes
  std::uint64_t control_bytes = 0;           // of frames of the gate's own, sent
};

class ClientSide final : public net::FrontHandler {
 public:
  using Clock = std::chrono::steady_clock;

  /// `schema`: the hash of what this build's clients are written from; 0: none. `deflate`: the
  /// least body that is deflated for clients that can read that; 0: none is.
  ClientSide(boost::asio::io_context& loop, net::FrontSettings settings,
             daemon::RateLimited& limited, CoreDriver& driver, std::uint64_t schema,
             std::size_t deflate = 0);

  net::Front& front() { return front_; }
  const net::Front& front() const { return front_; }

  // --- what the core wants ---
  void send(const SendFrame& effect);
  void send(const SendPacket& effect);
  void hang_up(ConnectionId connection);

  /// Pings who has heard nothing for a while; reads again who was paused. True: more is due.
  bool tick(Clock::time_point now);
  /// All connections that there are end now, without a word to the core, which is a new one.
  void hang_up_all();

  /// nullopt: it has ended.
  std::optional<ClientView> view(ConnectionId connection) const;
  std::size_t size() const { return clients_.size(); }
  const ClientSideCounters& counters() const { return counters_; }
  DeflatedFrames::Counters deflated() const {
    return deflated_ ? deflated_->counters() : DeflatedFrames::Counters{};
  }

  // net::FrontHandler
  void on_open(ConnectionId connection, const net::Arrival& arrival) override;
  void on_frame(ConnectionId connection, bus::ByteView frame) override;
  void on_closed(ConnectionId connection, net::Ending ending) override;
  bus::Bytes farewell(const Closed& closed) override;

 private:
  struct Client {
    bool greeted = false;
    bool paused = false;
    bool inflates = false;     // it reads deflated packets
    Clock::time_point said{};  // when it was sent something last
    Clock::time_point since{};
    std::uint64_t control_bytes = 0;
    net::ConnectionKind kind = net::ConnectionKind::tcp;
    std::int32_t round_trip_ms = -1;
    std::string program{};
    std::string address{};
  };
  void greet(ConnectionId connection, Client& client, const Hello& hello);
  void on_pong(Client& client, const Pong& pong);
  void refuse(ConnectionId connection, Closed why);
  void gone(ConnectionId connection, std::string_view why);
  void put(ConnectionId connection, const ToClient& frame);

  CoreDriver& driver_;
  const std::uint64_t schema_;
  std::optional<DeflatedFrames> deflated_;
  const Clock::time_point began_ = Clock::now();
  std::unordered_map<ConnectionId, Client> clients_;
  std::deque<std::pair<Clock::time_point, ConnectionId>> pings_;  // when each is looked at
  std::vector<ConnectionId> paused_;
  ClientSideCounters counters_;
  net::Front front_;  // last: its calls use all of these
};

}  // namespace starbus::nodes::gate
