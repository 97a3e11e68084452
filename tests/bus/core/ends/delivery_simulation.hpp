/// Origins and owners over a simulated network, in virtual time; a seed decides everything.
///
/// The network is one hub with a directory. Every process has paths up and down, a queue per lane;
/// lanes and paths overtake each other freely, a path keeps its order. It delays, refuses what does
/// not fit with overflow, sends second copies over a slower path, forgets whole sessions; channels
/// change their owner under a fresh lineage, and processes are killed. After `chaos` steps it heals
/// and must converge. A `Sabotage` breaks one rule of the protocol on the wire.
#pragma once

#include <deque>
#include <memory>
#include <random>

#include "bus/core/ends/origin.hpp"
#include "bus/core/ends/owner.hpp"
#include "tests/bus/core/ends/delivery_oracle.hpp"

namespace starbus::bus {

enum class Sabotage {
  none,
  no_prev,           // messages do not name their predecessor
  no_lineage,        // stamped anew with whatever life the receiver has
  filter_forgotten,  // an owner forgets its filter now and then
  ack_on_the_way,    // the network acknowledges what it takes
};

class DeliverySimulation {
 public:
  DeliverySimulation(std::uint64_t seed, Sabotage sabotage);
  ~DeliverySimulation();
  /// Throws BrokenPromise.
  void run();
  const DeliveryOracle& oracle() const { return oracle_; }

  static constexpr int kProcesses = 4;
  static constexpr std::uint64_t kChannels = 4;
  static constexpr int kChaosSteps = 700;

 private:
  class Node;
  struct Packet {
    Kind kind;
    Bytes payload;
  };
  using Queue = std::deque<Packet>;
  struct Path {
    std::array<Queue, kLanes> lanes;
    Queue copies;  // a second, slower road
  };
  struct Place {
    int owner = -1;
    Lineage lineage;
  };

  bool chance(double probability);
  std::uint64_t below(std::uint64_t bound) { return random_() % bound; }
  void inject();
  void cut(int node);
  void kill(int node);
  void give(std::uint64_t channel, int node);
  void application(Node& node);
  void issue(Node& node, const std::vector<std::uint64_t>& members, Lane lane);
  void collect(int node);
  void move_one();
  void from_node(Packet packet);
  void route(Packet packet);
  void route_multicast(const Packet& packet);
  void route_message(Kind kind, ByteView payload, Lane lane, const ChannelId& channel,
                     const Process& origin, std::uint64_t seq);
  void reply(const Nack& nack);
  void reply_ack(const Ack& ack);
  void arrive(int node, const Packet& packet);
  Bytes sabotaged(ByteView run_payload);
  bool settled() const;
  DeliveryOracle::MessageId resolve(std::uint64_t number, std::uint64_t channel) const;

  std::mt19937_64 random_;
  Sabotage sabotage_;
  DeliveryOracle oracle_;
  Time now_ = from_ms(1'000);
  bool healing_ = false;
  std::uint64_t epochs_ = 0;
  std::array<std::uint64_t, kProcesses> incarnations_{};
  std::array<std::unique_ptr<Node>, kProcesses> nodes_;
  std::array<Path, kProcesses> up_;
  std::array<Path, kProcesses> down_;
  std::array<Place, kChannels> places_;
};

}  // namespace starbus::bus
