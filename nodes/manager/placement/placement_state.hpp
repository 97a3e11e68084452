/// What the manager knows of the hosts of services, and whom it is to call next with which orders:
/// the placement without I/O.
///
/// Belongs to one thread. Level-triggered: each plan is made of what the hosts have said last, with
/// what is under way to them counted as done, so a lost order or answer is mended by the next
/// report. One call at a time to each host. Nothing is planned before both watches are complete and
/// every host has answered, or had kFirstAnswer to do so.
///
/// A host that is no member any more has drained, if it has said so, or died: that is known when
/// its process is gone, since what a process has said arrives before its end is seen.
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

  /// Of one host; each is answered by answered() or unanswered() with the same serial.
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
    bool leaving = false;                        // it has said that it drains
    std::map<service::InstanceId, Youth> young;  // that were placed there and are not old
  };
  /// Whether that process is on the bus still.
  using IsThere = std::function<bool(const std::string& process, const bus::Process& owner)>;

  explicit PlacementState(IsThere is_there) : is_there_(std::move(is_there)) {}

  void want(std::vector<WantedType> wanted) { wanted_ = std::move(wanted); }
  /// Updates of the watches of the group of hosts, and of claims.
  void hosts_changed(const bus::WatchUpdate& update, Time now);
  void claims_changed(const bus::WatchUpdate& update);
  void answered(const std::string& process, std::uint64_t serial, service::HostReport report,
                Time now);
  void unanswered(const std::string& process, std::uint64_t serial, Time now);
  /// It drains: its end is no death.
  void leaving(const bus::Process& owner);
  /// Another one may have given orders meanwhile: all hosts are asked anew before anything is
  /// planned. Calls that are under way are forgotten, and so are setbacks.
  void start_afresh(Time now);

  /// Plans, if it may, and says whom to call now.
  std::vector<Call> due(Time now);

  const std::map<std::string, Host>& hosts() const { return hosts_; }
  const std::vector<WantedType>& wanted() const { return wanted_; }
  /// Of the latest plan.
  const std::vector<WaitingType>& waiting() const { return waiting_; }
  /// Hosts are known and have answered: there are plans.
  bool plans(Time now) const;
  std::size_t left_out() const { return left_out_.size(); }
  Setbacks& setbacks() { return setbacks_; }
  const Setbacks& setbacks() const { return setbacks_; }

 private:
  /// A host that is no member any more; its process may be there still.
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
