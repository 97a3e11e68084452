/// Where the partitions of a type are, and who waits for one that is being placed: the untyped half
/// of partitions.hpp.
///
/// A new owner is greeted before anything is sent to it: what a process sends first to a channel
/// that it has used before may be meant for the former owner, as far as the bus knows, and ends as
/// owner_lost then. A greeting does no harm, and calls behind it are meant for this owner.
///
/// Belongs to the loop's thread; ends before the endpoint. Bounded: kMaxWaitingCalls. Who waits is
/// told once: where it is, or why not; at the end of this object as closed.
#pragma once

#include <array>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "bus/client/bus.hpp"
#include "nodes/service/names.hpp"

namespace starbus::nodes::service {

class PartitionWatch {
 public:
  using Clock = std::chrono::steady_clock;
  struct Place {
    std::string channel;
    bus::Epoch epoch;
  };
  using Told = std::function<void(Result<Place>)>;

  PartitionWatch(bus::Bus& bus, std::string type, std::uint32_t partitions);
  ~PartitionWatch();
  PartitionWatch(const PartitionWatch&) = delete;
  PartitionWatch& operator=(const PartitionWatch&) = delete;

  /// Where the partition is, as soon as it is somewhere; in this turn, if that is known.
  /// `not_this`: its host has just said that it has it no more, so another epoch, or kAskAgain, is
  /// waited for. not_placed at the deadline, wrong_partitions, would_block, and the bus' own if
  /// it refuses the watch.
  void find(std::uint32_t partition, bus::Lane lane, Clock::time_point deadline,
            bus::Epoch not_this, Told told);

  const std::string& type() const { return type_; }
  std::uint32_t partitions() const { return partitions_; }
  std::size_t placed() const { return there_.size(); }
  std::size_t waiting() const { return waiters_.size(); }

 private:
  /// Of one owner, in one lane.
  struct Greeting {
    bool under_way = false;
    bool done = false;
    Clock::time_point again{};  // it failed: not sooner
  };
  struct Owner {
    bus::Epoch epoch;
    std::array<Greeting, bus::kLanes> lanes{};
  };
  struct Waiter {
    InstanceId id;
    bus::Lane lane;
    Clock::time_point deadline;
    Clock::time_point again;  // then the same epoch will do
    bus::Epoch not_this;
    Told told;
  };
  void update(const bus::WatchUpdate& update);
  Result<Place> look(const Waiter& waiter, Clock::time_point now) const;
  void greet(const Waiter& waiter, Clock::time_point now);
  void greeted(const InstanceId& id, bus::Lane lane, bus::Epoch epoch, bool well);
  void serve();
  void arm();

  bus::Bus& bus_;
  const std::string type_;
  const std::uint32_t partitions_;
  std::map<InstanceId, Owner> there_;
  std::set<InstanceId> of_another_count_;
  bool complete_ = false;
  bus::Error refused_;
  std::list<Waiter> waiters_;
  boost::asio::steady_timer alarm_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  bus::WatchHandle watch_;
};

}  // namespace starbus::nodes::service
