/// RPC of one Bus: the objects of this process that can be called, and the calls that wait.
///
///   rpc::Endpoint endpoint(bus);             // after the Bus, and ends before it
///   co_await endpoint.bind("service/chat", chat, use_awaitable);
///
/// Belongs to the loop's thread (checked); not to be ended from within a method. Owns no objects:
/// the end of an object takes it off its channels here, and gives these up. Construction throws
/// std::logic_error if declarations collide.
///
/// **Local calls**: a message for an owned channel that is bound here does not leave the process
/// and is not encoded: its arguments are copied, and it is handled in a later turn of the loop, in
/// the order of sending. Before the first one to a channel and lane, a fence through the bus makes
/// sure that earlier messages of this process there have been handled. docs/guide/rpc.md, "Local
/// calls".
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/co_await_trap.hpp"
#include "bus/client/bus.hpp"
#include "entity/rpc/endpoint/endpoint_core.hpp"

namespace starbus::entity::rpc {

class Endpoint {
 public:
  explicit Endpoint(bus::Bus& bus);
  ~Endpoint();
  Endpoint(const Endpoint&) = delete;
  Endpoint& operator=(const Endpoint&) = delete;

  /// Completes when gates and servers are known: until then all calls are refused (adopt), and bind
  /// waits.
  /// The errors of bus::Bus::watch.
  template <bus::CompletionFor<void> Token = bus::Awaited>
  auto ready(Token&& token = Token()) {
    return bus::initiate<void>(token, [this](auto done) { start_ready(std::move(done)); });
  }
  /// Lets `host` be called under a name, which this process owns from then on: see bus::Bus::bind
  /// for the three forms and the errors. Waits until gates and servers are known. The end of the
  /// host gives the name up (not_bound if that was sooner).
  template <bus::CompletionFor<bus::Bound> Token = bus::Awaited>
  auto bind(std::string name, CallableBase& host, Token&& token = Token()) {
    return bus::initiate<bus::Bound>(token, [this, n = std::move(name), &host](auto done) mutable {
      core_.binder.bind(std::move(n), host, std::move(done));
    });
  }
  /// Gives a name up, as bus::Bus::unbind; nothing is handed to its object from now on.
  template <bus::CompletionFor<void> Token = bus::Awaited>
  auto unbind(std::string name, Token&& token = Token()) {
    return bus::initiate<void>(
        token, [this, n = std::move(name)](auto done) { core_.binder.unbind(n, std::move(done)); });
  }
  /// Takes an object that is to end off its names and returns them. This process keeps the names:
  /// callers get no_such_entity until the caller of this gives them up (bus::Bus::unbind). For
  /// objects whose successor elsewhere must not begin too early.
  std::vector<std::string> retire(CallableBase& host) { return core_.binder.retire(host); }
  /// bus::Bus::move for a name that was bound here: messages to it from this process are handled
  /// before `freeze`, or go to the new place.
  template <class Freeze, bus::CompletionFor<void> Token = bus::Awaited>
  requires std::is_convertible_v<Freeze, std::function<bus::Bytes()>>
  auto move(std::string name, std::string target, Freeze&& freeze, Token&& token = Token()) {
    static_assert(!kFunctionTrapsCoAwait<Freeze> || !bus::kAwaits<Token, void(bus::Result<>)>,
                  "g++ 12 would destroy this lambda twice: give it a name first "
                  "(docs/design/gcc12.md)");
    return bus::initiate<void>(
        token, [this, n = std::move(name), t = std::move(target),
                f = std::function<bus::Bytes()>(std::forward<Freeze>(freeze))](auto done) mutable {
          core_.binder.move(n, std::move(t), std::move(f), std::move(done));
        });
  }
  /// For a name that has just arrived (bus::ArrivalHandlers::arrived): the handlers to return.
  bus::Handlers adopt(std::string name, CallableBase& host) {
    return core_.binder.adopt(std::move(name), host);
  }
  /// From now on a caller that is no gate counts as a server, as in protocol 1.1, where nothing
  /// else could be known. Only while a cluster is upgraded from 1.1, whose processes own no name
  /// under server/: whoever may send here can call everything meanwhile.
  void trust_unlisted_callers() { core_.gates.trust_unlisted(); }
  /// As bus::Bus::on_lease_lost, which the endpoint uses itself: all objects are unbound by then.
  void on_lease_lost(std::function<void()> callback) { core_.on_lease_lost = std::move(callback); }

  /// The name under which an object is bound here; empty: none.
  std::string_view channel_of(const CallableBase& host) const {
    return core_.bindings.channel_of(host);
  }
  /// The object that is bound here under a name; null: none.
  const CallableBase* bound_at(std::string_view name) const {
    return core_.bindings.bound_at(name);
  }

  /// Times of methods, of coroutines and of the present activity.
  WorkMeter& work() { return core_.meter; }
  const WorkMeter& work() const { return core_.meter; }
  /// By class, of all objects that are bound here or were.
  const std::unordered_map<const ClassInfo*, ClassLoad>& loads() const {
    return core_.bindings.loads();
  }
  const EndpointCounters& counters() const { return core_.counters; }
  std::size_t pending_calls() const { return core_.calls.size(); }
  const Gates& gates() const { return core_.gates.gates(); }
  const Dictionary& dictionary() const { return core_.dictionary; }
  /// JSON: hosts with their components, methods with signatures and counts, the dictionary's hash.
  std::string inspect() const { return core_.inspect(); }

  bus::Bus& bus() { return core_.bus; }
  const bus::Bus& bus() const { return core_.bus; }
  boost::asio::io_context& loop() { return core_.loop; }

  /// For the templates of RPC.
  detail::EndpointCore& core() { return core_; }

 private:
  void start_ready(std::function<void(bus::Result<>)> done);

  detail::EndpointCore core_;
};

}  // namespace starbus::entity::rpc
