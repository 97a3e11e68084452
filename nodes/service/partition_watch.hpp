/// The places of the partitions of a type, and the calls that wait for a partition without a place:
/// the untyped half of partitions.hpp.
///
/// Sends a greeting to a new owner before any call: the first message to a channel that had another
/// owner may be addressed to that owner, as far as the bus knows, and then ends as owner_lost. A
/// lost greeting does no harm, and later calls are addressed to the new owner.
///
/// Belongs to the loop's thread; ends before the endpoint. Bounded: kMaxWaitingCalls. Each waiting
/// call ends once: with the place, with an error, or as closed at the end of this object.
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

  /// Calls back with the place of the partition, in this turn of the loop if it is known.
  /// `not_this`: its host has just answered that it does not have it any more, so another epoch, or
  /// kAskAgain, is waited for. not_placed at the deadline, wrong_partitions, would_block, and the
  /// bus' own if it refuses the watch.
  void find(std::uint32_t partition, bus::Lane lane, Clock::time_point deadline,
            bus::Epoch not_this, Told told);

  const std::string& type() const { return type_; }
  std::uint32_t partitions() const { return partitions_; }
  std::size_t placed() const { return there_.size(); }
  std::size_t waiting() const { return waiters_.size(); }

 private:
  /// The greeting of one owner, in one lane.
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
  /// When it is to be looked at again, at the latest.
  Clock::time_point due(const Waiter& waiter, Clock::time_point now) const;
  /// For the first of all that wait; for this time, unless the alarm stands for an earlier one.
  void arm();
  void arm_for(Clock::time_point next);

  bus::Bus& bus_;
  const std::string type_;
  const std::uint32_t partitions_;
  std::map<InstanceId, Owner> there_;
  std::set<InstanceId> of_another_count_;
  bool complete_ = false;
  bus::Error refused_;
  std::list<Waiter> waiters_;
  boost::asio::steady_timer alarm_;
  Clock::time_point armed_ = Clock::time_point::max();  // max: the alarm does not stand
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  bus::WatchHandle watch_;
};

}  // namespace starbus::nodes::service
