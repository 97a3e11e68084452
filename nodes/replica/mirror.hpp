/// Follows a publisher from another process: MirrorCore with the changes that the process' Exchange
/// gets, and calls.
///
///   replica::Mirror mirror(node.rpc(), node.timers(), "partition/rank/3of16", scores);
///   ... mirror.status().current ...
///
/// From its making until its end; it survives restarts of the publisher, wherever that goes on, of
/// daemons, and the loss of its own lease. Its Replica is read at any time, in between the
/// handlers of the loop. Belongs to the loop's thread; ends before the endpoint, the wheel and the
/// replica. It has neither a name nor a timer of its own.
#pragma once

#include <memory>
#include <string>

#include "entity/rpc/rpc.hpp"
#include "entity/timers/timer_wheel.hpp"
#include "nodes/replica/exchange.hpp"
#include "nodes/replica/mirror_core.hpp"

namespace starbus::nodes::replica {

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
  ~Mirror();

  /// Where the mirror is now, and whether that is current.
  MirrorStatus status() const;
  const MirrorCounters& counters() const { return core_.counters(); }
  const std::string& publisher() const { return publisher_; }

  // --- for its Exchange ---
  /// Unique in this process.
  std::uint64_t number() const { return number_; }
  /// When it is looked at next.
  entity::Time due() const { return due_; }
  void set_due(entity::Time when) { due_ = when; }
  /// Does what is due, and says when to look again.
  void look(entity::Time now);
  void owner_changed(const PublisherOwner& owner);
  /// One change, and its position. From anybody but the owner of the publisher's name, and of a
  /// stream beyond what the owner was granted, it is ignored and counted: what is lost of an owner
  /// that the watch does not show yet comes with the next snapshot.
  void delta(const entity::rpc::Caller& from, const Position& at, bus::ByteView bytes);
  /// The owner of the publisher's name is watched.
  void set_watched() { watched_ = true; }
  bool watched() const { return watched_; }
  /// Whether it has learnt that its publisher is in this process of another owner than that.
  bool lives_in(const std::string& process, const PublisherOwner& owner) const {
    return !watched_ && owner_.epoch && owner_.name == process && owner_.process != owner.process;
  }
  /// That is over, with all that was there.
  void process_ended(const std::string& process, const PublisherOwner& owner);
  /// Where the publisher is, in answer to a question for many; at no epoch, if it is not there any
  /// more. From anybody else, and of another stream than it follows, it is ignored.
  void position(const entity::rpc::Caller& from, const Position& at);

 private:
  bool learn(const Position& at, const Home& home);
  /// Changes of the owner are taken: from then on a snapshot and what follows it fit together.
  bool hears_owner() const { return watched_ || owner_.epoch; }
  bool is_of_owner(const Position& at) const { return at.stream.epoch <= owner_.epoch.value; }
  bool from_owner(const entity::rpc::Caller& from, const Position& at) const {
    const bool node =
        from.from == entity::rpc::From::server || from.from == entity::rpc::From::gate;
    return owner_.epoch && node && from.process == owner_.process && is_of_owner(at);
  }
  void ask();
  void follow(entity::Time now);
  void call_follow();
  void look_again();

  entity::rpc::Endpoint& endpoint_;
  const std::string publisher_;
  const std::uint64_t number_;
  const std::shared_ptr<Exchange> exchange_;
  entity::Time due_{};
  bool watched_ = false;
  bool following_ = false;
  entity::Time follow_at_{};
  entity::Time answered_at_{};  // a question for the position, of its own or for many
  PublisherOwner owner_;
  MirrorCore core_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace starbus::nodes::replica
