/// The parts of an Endpoint, for each other and for the templates of RPC. User code uses Endpoint.
///
/// Belongs to the loop's thread; the end of the endpoint ends the parts in the reverse order.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>

#include "base/loop_thread.hpp"
#include "entity/rpc/counters.hpp"
#include "entity/rpc/endpoint/binding_table.hpp"
#include "entity/rpc/endpoint/buffer_pool.hpp"
#include "entity/rpc/endpoint/dispatcher.hpp"
#include "entity/rpc/endpoint/gate_watch.hpp"
#include "entity/rpc/endpoint/local_calls.hpp"
#include "entity/rpc/endpoint/name_binder.hpp"
#include "entity/rpc/endpoint/pending_calls.hpp"
#include "entity/rpc/endpoint/reply_sender.hpp"
#include "entity/rpc/endpoint/work_meter.hpp"
#include "entity/rpc/options.hpp"
#include "entity/rpc/running.hpp"

namespace starbus::entity::rpc {

class CallState;
class Endpoint;

namespace detail {

class EndpointCore {
 public:
  /// Throws std::logic_error if declarations collide.
  EndpointCore(Endpoint& facade, bus::Bus& used);
  ~EndpointCore();
  EndpointCore(const EndpointCore&) = delete;
  EndpointCore& operator=(const EndpointCore&) = delete;

  /// Sends an encoded call; `state` ends with its answer.
  void call_by_bus(const Address& to, const CallOptions& options, ByteView body, CallState& state);
  Result<> send_by_bus(const Address& to, const SendOptions& options, ByteView body);
  Result<> multicast_by_bus(std::span<const std::string> to, const SendOptions& options,
                            ByteView body);
  Result<> announce_by_bus(std::string_view group, const SendOptions& options, ByteView body);
  /// Sends an encoded question of the object that has `channel`. Its answer comes to the channel;
  /// so does a refusal, which this process sends there.
  void ask(const Address& to, const AskOptions& options, ByteView body, std::string_view channel,
           const AnswerId& question);
  /// JSON, as Endpoint::inspect.
  std::string inspect() const;

  Endpoint& endpoint;
  bus::Bus& bus;
  boost::asio::io_context& loop;
  const Dictionary& dictionary;
  LoopThread thread;
  EndpointCounters counters;
  BufferPool buffers;
  BindingTable bindings;
  WorkMeter meter;
  PendingCalls calls;
  ReplySender replies;
  RunningList running;
  GateWatch gates;
  Dispatcher dispatcher;
  LocalCalls local;
  NameBinder binder;
  std::function<void()> on_lease_lost;

 private:
  const std::shared_ptr<EndpointCore*> self_ = std::make_shared<EndpointCore*>(this);
};

/// For templates whose users need not see Endpoint.
EndpointCore& core_of(Endpoint& endpoint);

}  // namespace detail
}  // namespace starbus::entity::rpc
