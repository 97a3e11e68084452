/// The placement without I/O: what the manager knows about the hosts of services, and which host it
/// calls next with which orders.
///
/// Belongs to one thread. Level-triggered: each plan uses the latest reports of the hosts, and
/// counts orders under way as carried out, so the next report corrects a lost order or answer. One
/// call at a time per host. Nothing is planned before both watches are complete and every host has
/// answered, or has had kFirstAnswer to do so.
///
/// A host that has left the group has drained if it had announced that, else it died. That is
/// decided when its process ends, since its messages arrive before its end is seen.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "bus/client/bus.hpp"
#include "entity/timers/timer_wheel.hpp"
#include "nodes/manager/placement/setbacks.hpp"

namespace starbus::nodes::manager {

class PlacementState {
 public:
  using Time = entity::Time;

  /// A call to one host; end it by answered() or unanswered() with the same serial.
  struct Call {
    std::string process;
    std::uint64_t serial = 0;  // of this life of the host
    std::vector<service::Action> actions;
  };
  struct Youth {
    bool claimed = false;  // before that nothing of it runs
    bool serves = false;
    Time since{};
  };
  struct Host {
    std::uint64_t serial = 0;
    bus::Epoch epoch;  // of its membership
    Time came{};
    bool answered = false;  // once, in this life
    bool silent = false;    // it did not answer the latest call
    bool calling = false;
    Time next{};  // when it is to be asked
    service::HostReport report;
    bus::Process owner;
    bool leaving = false;                        // it has announced that it drains
    std::map<service::InstanceId, Youth> young;  // that were placed there and are not old
  };
  /// True while that process is on the bus.
  using IsThere = std::function<bool(const std::string& process, const bus::Process& owner)>;

  explicit PlacementState(IsThere is_there) : is_there_(std::move(is_there)) {}

  void want(std::vector<WantedType> wanted) { wanted_ = std::move(wanted); }
  /// Updates of the watches of the group of hosts, and of claims.
  void hosts_changed(const bus::WatchUpdate& update, Time now);
  void claims_changed(const bus::WatchUpdate& update);
  void answered(const std::string& process, std::uint64_t serial, service::HostReport report,
                Time now);
  void unanswered(const std::string& process, std::uint64_t serial, Time now);
  /// The host drains: its end is not a death.
  void leaving(const bus::Process& owner);
  /// Another manager may have given orders meanwhile: all hosts are asked again before the next
  /// plan. Forgets calls under way, and setbacks.
  void start_afresh(Time now);

  /// Plans if possible, and returns the calls to make now.
  std::vector<Call> due(Time now);

  const std::map<std::string, Host>& hosts() const { return hosts_; }
  const std::vector<WantedType>& wanted() const { return wanted_; }
  /// Types that wait in the latest plan.
  const std::vector<WaitingType>& waiting() const { return waiting_; }
  /// True if the hosts are known and have answered, so that it plans.
  bool plans(Time now) const;
  std::size_t left_out() const { return left_out_.size(); }
  Setbacks& setbacks() { return setbacks_; }
  const Setbacks& setbacks() const { return setbacks_; }

 private:
  /// A host that has left the group; its process may still run.
  struct Ended {
    std::string process;
    bus::Process owner;
    bool leaving = false;
    std::vector<service::InstanceId> young;
  };
  PlanInput input(Time now) const;
  void come(const bus::WatchRow& row, const std::string& process, Time now);
  void end(const std::string& process, Time now);
  void judge(Time now);
  void grow(const std::string& process, Host& host, Time now);
  std::vector<service::InstanceRow> claims_of(const std::string& process) const;
  void expect(Host& host, const service::Action& action);

  std::vector<WantedType> wanted_;
  std::map<std::string, Host> hosts_;
  std::map<std::string, bus::WatchRow> left_out_;  // until there is room
  std::map<service::InstanceId, std::string> claims_;
  bool hosts_complete_ = false;
  bool claims_complete_ = false;
  std::set<std::string> begun_;
  std::vector<WaitingType> waiting_;
  const IsThere is_there_;
  Setbacks setbacks_;
  std::vector<Ended> ended_;
  std::uint64_t serials_ = 0;
};

}  // namespace starbus::nodes::manager
