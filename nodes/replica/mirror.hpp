/// Follows a publisher from another process: MirrorCore with a channel for changes, and calls.
///
///   replica::Mirror mirror(node.rpc(), node.timers(), "partition/rank/3of16", scores);
///   ... mirror.status().current ...
///
/// From its making until its end; it survives restarts of the publisher, wherever that goes on, of
/// daemons, and the loss of its own lease. Its Replica is read at any time, in between the
/// handlers of the loop. Belongs to the loop's thread; ends before the endpoint, the wheel and the
/// replica.
#pragma once

#include <memory>
#include <string>

#include "entity/rpc/rpc.hpp"
#include "entity/timers/timer_wheel.hpp"
#include "nodes/replica/mirror_core.hpp"

namespace starbus::nodes::replica {

/// mirror/HOST.NODE/N: the channel on which a mirror gets changes.
inline constexpr std::string_view kMirrors = "mirror/";

/// Who owns the name of a publisher now, as the watch shows it. No epoch: nobody.
struct PublisherOwner {
  bus::Process process;
  bus::Epoch epoch;
};

/// The methods that publishers call.
class MirrorReceiver final : public entity::rpc::Callable<MirrorReceiver> {
 public:
  MirrorReceiver(MirrorCore& core, const PublisherOwner& owner) : core_(core), owner_(owner) {}
  ~MirrorReceiver() { close_rpc(); }
  /// Called by the publisher: one change, and its position. From anybody else, and of a stream
  /// beyond what the owner was granted, it is ignored and counted: what is lost of an owner that
  /// the watch does not show yet comes with the next snapshot.
  void delta(entity::rpc::Caller& from, Position at, std::string bytes);
  static constexpr auto kRpc = entity::rpc::methods(
      "mirror", entity::rpc::method<&MirrorReceiver::delta>("delta", entity::rpc::gate));

 private:
  MirrorCore& core_;
  const PublisherOwner& owner_;
};

/// How a mirror is, in values: for programs that must not act on old state, and for reports.
struct MirrorStatus {
  bool has_state = false;
  bool current = false;               // the publisher lives, and it lacks nothing that it knows of
  std::chrono::milliseconds age{-1};  // since it was last known to be current; -1: never
  Position at;
  Errc problem = Errc::ok;  // the latest, until it is current again
};

class Mirror {
 public:
  Mirror(entity::rpc::Endpoint& endpoint, entity::TimerWheel& timers, std::string publisher,
         Replica& replica);
  Mirror(const Mirror&) = delete;
  Mirror& operator=(const Mirror&) = delete;

  /// Where the mirror is now, and whether that is current.
  MirrorStatus status() const;
  const MirrorCounters& counters() const { return core_.counters(); }

 private:
  bool is_bound();
  void bound(const bus::Result<bus::Bound>& result);
  void tick();
  void watch();
  void owner_changed(const bus::WatchUpdate& update);
  bool is_of_owner(const Position& at) const { return at.stream.epoch <= owner_.epoch.value; }
  void ask();
  void follow();

  entity::rpc::Endpoint& endpoint_;
  const std::string publisher_;
  const std::uint64_t number_;
  std::string name_;  // empty: this process is not on the bus yet
  bool binding_ = false;
  entity::Time bind_at_{};      // not before
  Code refused_;                // the name, the latest time
  std::uint64_t refusals_ = 0;  // for that reason
  bool following_ = false;
  entity::Time follow_at_{};
  bus::WatchHandle watch_;
  bool watched_ = false;
  entity::Time watch_at_{};  // not before
  PublisherOwner owner_;
  MirrorCore core_;
  MirrorReceiver receiver_{core_, owner_};
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  entity::TimerOwner timer_;
};

}  // namespace starbus::nodes::replica
