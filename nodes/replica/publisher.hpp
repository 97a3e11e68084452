/// Lets other processes mirror the state of a service: a snapshot on request, then each change, in
/// order.
///
///   class Rank final : public service::Service, public rpc::Callable<Rank> {
///     explicit Rank(service::Instance& instance, rpc::Endpoint& endpoint)
///         : publisher_(endpoint, instance.epoch(), [this] { return encode(scores_).value(); }) {
///       attach(publisher_).value();           // callable where the service is
///     }
///     void set(...) { scores_[name] = score; publisher_.publish(encode(name, score).value()); }
///   };
///
/// Belongs to the loop's thread. It keeps no changes: a mirror that has missed one takes a
/// snapshot, or what has changed since its version if the owner of the state knows that. A process
/// whose window is full misses changes, and holds up no other. An object has at most one publisher.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "entity/rpc/rpc.hpp"
#include "nodes/replica/followers.hpp"
#include "nodes/replica/limits.hpp"
#include "nodes/replica/position.hpp"

namespace starbus::nodes::replica {

class Exchange;

struct PublisherCounters {
  std::uint64_t published = 0;
  std::uint64_t too_large = 0;  // of these, not sent
  std::uint64_t missed = 0;     // by one process each: its window was full
  std::uint64_t snapshots = 0;
};

class Publisher final : public entity::rpc::Callable<Publisher> {
 public:
  /// Returns the present state, or what leads to it from `have`, a Replica::version() of some
  /// mirror or anything else; as often as it is asked to.
  using State = std::function<bus::Bytes(bus::ByteView have)>;

  /// `epoch`: of the owner of the channel, so that mirrors know a later owner. `state` returns the
  /// bytes of the present state, as often as it is asked to.
  Publisher(entity::rpc::Endpoint& endpoint, bus::Epoch epoch, std::function<bus::Bytes()> state);
  Publisher(entity::rpc::Endpoint& endpoint, bus::Epoch epoch, State state);
  ~Publisher();

  /// Call it after each change of the state; `delta` is the argument with which Replica::apply
  /// makes the new state of the one before. One larger than kMaxDelta is not sent, and snapshots
  /// take its place.
  void publish(bus::ByteView delta);

  const Position& at() const { return at_; }
  /// Processes that have mirrors of it.
  std::size_t mirrors() const;
  const PublisherCounters& counters() const { return counters_; }

  // --- over the bus, of servers and gates ---
  /// Returns the position, and where it is; and `mirror`, the name of an Exchange, gets changes for
  /// the next kForget, each with `channel`, by which it knows this publisher.
  Result<Followed> follow(entity::rpc::Caller& from, std::string mirror, std::string channel);
  /// The same, with the state, or what has changed since `have`: a packed Snapshot.
  Result<std::string> snapshot(entity::rpc::Caller& from, std::string mirror, std::string channel,
                               std::string have);
  static constexpr auto kRpc = entity::rpc::methods(
      "replica", entity::rpc::method<&Publisher::follow>("follow", entity::rpc::gate),
      entity::rpc::method<&Publisher::snapshot>("snapshot", entity::rpc::gate));

 private:
  friend class Exchange;
  entity::rpc::Endpoint& endpoint_;
  const std::shared_ptr<Exchange> exchange_;
  const State state_;
  Position at_;
  std::map<std::string, Followers> mirrors_;  // by the channel, one as a rule
  PublisherCounters counters_;
};

}  // namespace starbus::nodes::replica
