/// RPC of one Bus: the objects of this process that can be called, and the calls that wait.
///
///   rpc::Endpoint endpoint(bus);             // after the Bus, and ends before it
///   co_await endpoint.bind("service/chat", chat, use_awaitable);
///
/// Belongs to the loop's thread; not to be ended from within a method. Owns no objects: the end of
/// an object takes it off its channels here, and gives these up. Construction throws
/// std::logic_error if declarations collide.
///
/// **Local calls**: a message for an owned channel that is bound here does not leave the process
/// and is not encoded: its arguments are copied, and it is handled in a later turn of the loop, in
/// the order of sending. Before the first one to a channel and lane, a fence through the bus makes
/// sure that what this process sent there before has been handled. docs/guide/rpc.md, "Local
/// calls".
#pragma once

#include <array>
#include <atomic>
#include <boost/asio/steady_timer.hpp>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "bus/client/bus.hpp"
#include "bus/client/shown_name.hpp"
#include "entity/rpc/call_state.hpp"
#include "entity/rpc/gates.hpp"
#include "entity/rpc/host.hpp"
#include "entity/rpc/limits.hpp"
#include "entity/rpc/local_queue.hpp"
#include "entity/rpc/ticks.hpp"
#include "entity/rpc/turn.hpp"

namespace starbus::entity::rpc {

/// Where a call goes: a channel by its text, or by a bus::Name, which was hashed before. Views what
/// it is made from.
class Address {
 public:
  Address(std::string_view text) : text_(text) {}    // NOLINT: a text is an address
  Address(const char* text) : text_(text) {}         // NOLINT
  Address(const std::string& text) : text_(text) {}  // NOLINT
  Address(const bus::Name& name) : text_(name.text()), name_(&name) {}  // NOLINT
  std::string_view text() const { return text_; }
  const bus::Name* name() const { return name_; }

 private:
  std::string_view text_;
  const bus::Name* name_ = nullptr;
};

struct CallOptions {
  std::chrono::milliseconds deadline{5000};
  /// The call ends as canceled with this object. A Task needs none: it ends with its own.
  HostBase* owner = nullptr;
  bus::Lane lane = bus::Lane::call;
  std::uint64_t hash_key = 0;  // of shared names: see bus::SendOptions
  /// Gates only: for which client, and what that is to the object. See permission.hpp.
  Behalf behalf = Behalf::none;
  std::uint64_t client = 0;
  bus::Trace trace{};
};

/// Of a question: a call whose answer goes to the channel of the object that asked.
struct AskOptions {
  std::chrono::milliseconds deadline{5000};
  bus::Lane lane = bus::Lane::call;
  std::uint64_t hash_key = 0;  // of shared names: see bus::SendOptions
  bus::Trace trace{};
};

/// Where an answer goes: to the process that called, or to a channel.
struct AnswerRoute {
  AnswerRoute(bus::Responder duty) : responder(std::move(duty)) {}  // NOLINT: a duty is a route
  AnswerRoute(std::string_view to, const AnswerId& id) : channel(to), question(id) {}
  bus::Responder responder;
  std::string channel;  // not empty: there, as the answer to
  AnswerId question;
};

struct SendOptions {
  bus::Lane lane = bus::Lane::call;
  std::chrono::milliseconds ttl{0};  // see bus::SendOptions; not for objects of this process
  std::uint64_t hash_key = 0;
  bus::ChannelId from{};  // see bus::SendOptions; such a message always takes the bus
  Behalf behalf = Behalf::none;
  std::uint64_t client = 0;
  bus::Trace trace{};
};

/// Its ticks are those in the method itself.
struct MethodCounters : WorkTicks {
  std::uint64_t calls = 0;    // entered
  std::uint64_t refused = 0;  // not entered: rights, signature, arguments
  WorkTicks answers;          // in callbacks and Asio coroutines that took its answers here
};

/// Objects of one class that are bound here: entities of a type, a service.
struct ClassLoad {
  std::size_t objects = 0;
  std::uint64_t turns = 0;  // of methods of these, of their components, of what they spawned
  std::uint64_t ticks = 0;  // in these turns
};

/// Coroutines that objects of one class have spawned, whether these are bound or not.
struct SpawnedLoad : WorkTicks {
  std::uint64_t coroutines = 0;
};

struct EndpointCounters {
  std::uint64_t local = 0;   // messages to objects of this process, handed over
  std::uint64_t remote = 0;  // messages that the bus brought
  std::uint64_t fences = 0;
  std::uint64_t dropped_replies = 0;  // kMaxUnsentReplies, or a channel that may not be sent to
  std::uint64_t answers = 0;          // to questions, that somebody here waited for
  std::uint64_t late_answers = 0;     // that nobody waits for any more: dropped
  /// Calls and messages that ended so at an object of this process, by the number of the Errc.
  std::array<std::uint64_t, 32> errors{};
};

class Endpoint {
 public:
  explicit Endpoint(bus::Bus& bus);
  ~Endpoint();
  Endpoint(const Endpoint&) = delete;
  Endpoint& operator=(const Endpoint&) = delete;

  /// Completes when it is known who gates are: until then nobody may call anything (adopt), and
  /// bind waits. The errors of bus::Bus::watch.
  template <bus::CompletionFor<void> Token>
  auto ready(Token&& token) {
    return bus::initiate<void>(token, [this](auto done) { start_ready(std::move(done)); });
  }
  /// Lets `host` be called under a name, which this process owns from then on: see bus::Bus::bind
  /// for the three forms and the errors. Waits until it is known who gates are. The end of the host
  /// gives the name up (not_bound if that was sooner).
  template <bus::CompletionFor<bus::Bound> Token>
  auto bind(std::string name, HostBase& host, Token&& token) {
    return bus::initiate<bus::Bound>(token, [this, n = std::move(name), &host](auto done) mutable {
      start_bind(std::move(n), host, std::move(done));
    });
  }
  /// Gives a name up, as bus::Bus::unbind; nothing is handed to its object from now on.
  template <bus::CompletionFor<void> Token>
  auto unbind(std::string name, Token&& token) {
    return bus::initiate<void>(
        token, [this, n = std::move(name)](auto done) { start_unbind(n, std::move(done)); });
  }
  /// Takes an object that is to end off its names, which this process keeps all the same: whoever
  /// calls gets no_such_entity, until the caller of this gives them up (bus::Bus::unbind). For
  /// those whose successor elsewhere must not begin too early.
  std::vector<std::string> retire(HostBase& host);
  /// bus::Bus::move for a name that was bound here: what was sent to it from this process is
  /// handled before `freeze`, or goes to the new place.
  template <bus::CompletionFor<void> Token>
  auto move(std::string name, std::string target, std::function<bus::Bytes()> freeze,
            Token&& token) {
    return bus::initiate<void>(token, [this, n = std::move(name), t = std::move(target),
                                       f = std::move(freeze)](auto done) mutable {
      start_move(n, std::move(t), std::move(f), std::move(done));
    });
  }
  /// For a name that has just arrived (bus::ArrivalHandlers::arrived): the handlers to return.
  bus::Handlers adopt(std::string name, HostBase& host);

  /// As bus::Bus::on_lease_lost, which the endpoint uses itself: all objects are unbound by then.
  void on_lease_lost(std::function<void()> callback) { on_lease_lost_ = std::move(callback); }

  /// Busy time and counts of methods, and busy time of objects; on unless told otherwise.
  void measure(bool on) { measuring_ = on; }
  /// By class, of all that are bound here or were.
  const std::unordered_map<const ClassInfo*, ClassLoad>& loads() const { return loads_; }
  const std::unordered_map<const ClassInfo*, SpawnedLoad>& spawned() const { return spawned_; }
  /// What runs of what has no method of its own: who runs it says so. See running().
  const std::shared_ptr<bus::ShownName>& activity() const { return activity_; }
  const MethodCounters& counters(const MethodInfo& method) const {
    return methods_.at(method.index);
  }
  const EndpointCounters& counters() const { return counters_; }
  double nanoseconds_per_tick() const { return started_.nanoseconds_per_tick(); }
  /// In all of these together, in ticks: each moment once, and none that somebody else was charged
  /// with (OwnTime).
  std::uint64_t measured() const { return measured_; }
  /// What runs now, the innermost: "chat.join", "answer of chat.join", "coroutine of chat"; or what
  /// activity() shows; or nothing. From any thread.
  std::string running() const {
    const std::string name = shown_.load(std::memory_order_acquire).name();
    return name.empty() ? activity_->text() : name;
  }
  const Gates& gates() const { return gates_; }
  const Dictionary& dictionary() const { return *dictionary_; }
  std::size_t pending_calls() const { return calls_; }
  /// JSON: hosts with their components, methods with signatures and counts, the dictionary's hash.
  std::string inspect() const;

  bus::Bus& bus() { return bus_; }
  const bus::Bus& bus() const { return bus_; }
  boost::asio::io_context& loop() { return loop_; }

  // --- for the templates of rpc.hpp ---

  /// An object's place, if it is bound here. Null: the bus knows.
  Slot* local(const Address& to);
  /// The queue that a message for it joins now; null: the bus, in order. Starts a fence if need be.
  LocalQueue* route(Slot& slot, bus::Lane lane);
  /// False: what is in it waits for the bus.
  bool runs_soon(const LocalQueue& queue) const { return &queue == &ready_; }
  /// Whether so many more messages may be queued here.
  bool takes(std::size_t count) const { return local_messages_ + count <= kLocalMessages; }
  bool full() const { return !takes(1); }
  bool may_call() const { return calls_ < kMaxCalls; }
  void push(LocalQueue& queue, LocalMessage* message);
  /// Empty, to encode into; used up by the next send.
  Bytes& scratch() {
    scratch_.clear();
    return scratch_;
  }
  void call_by_bus(const Address& to, const CallOptions& options, CallState& state);
  Result<> send_by_bus(const Address& to, const SendOptions& options);
  Result<> multicast_by_bus(std::span<const std::string> to, const SendOptions& options);
  Result<> announce_by_bus(std::string_view group, const SendOptions& options);
  /// Sends what is in scratch; if the caller's window is full, a little later.
  void answer(AnswerRoute route);
  void answer(AnswerRoute route, const Error& error);
  /// Sends the question that is in scratch. Its answer comes to the channel; so does a refusal,
  /// which this process hands on.
  void ask(const Address& to, const AskOptions& options, std::string_view channel,
           const AnswerId& question);
  /// The name under which an object is bound here; empty: none.
  std::string_view channel_of(const HostBase& host) const;
  /// The object that is bound here under a name; null: none is.
  const HostBase* bound_at(std::string_view name) const {
    const auto found = by_name_.find(name);
    return found == by_name_.end() ? nullptr : slots_[found->second].host;
  }
  bool may_run(const HostBase& host) const;
  void entered(const MethodInfo& method) { ++methods_[method.index].calls; }
  void count_error(Errc code) { ++counters_.errors[static_cast<std::size_t>(code) % 32]; }
  /// Handles a message of the bus for an object, as bytes: the header and the arguments.
  void dispatch(SlotRef to, const bus::Message& message, bus::Call* call);

  // --- for those who belong to it ---
  /// What the watch of gates shows; public for those who have no bus: fuzz targets, benchmarks.
  void update_gates(const std::vector<bus::WatchRow>& changes, bool complete);
  void call_began(CallState& state);
  void call_ended(CallState& state);
  /// Nobody holds it any more.
  void call_gone(CallState& state);
  Deadlines::iterator arm(CallState& state, std::chrono::milliseconds deadline);
  void running_began(Running& running);
  void running_ended(Running& running);
  void host_ended(std::uint32_t slot);
  /// Who takes an answer of a method runs while this lives.
  Turn answer_turn(const MethodInfo& method) {
    return {*this, ShownWork::answer(method), methods_[method.index].answers};
  }
  /// A coroutine of the object begins; what it is charged to: a method, or, if that is null, what
  /// was spawned.
  WorkTicks& work_of(const HostBase& host, const MethodInfo* method);
  /// Where the object, or the one that it is a component of, is bound here; else kNowhere.
  SlotRef slot_of(const HostBase& host) const;

 private:
  friend class Turn;
  friend class HostBase;
  template <class T>
  using Done = std::function<void(bus::Result<T>)>;
  using Self = std::shared_ptr<Endpoint*>;  // null inside once it has ended

  void start_ready(Done<void> done);
  void start_bind(std::string name, HostBase& host, Done<bus::Bound> done);
  void bind_now(SlotRef slot, std::string name, Done<bus::Bound> done);
  void start_unbind(const std::string& name, Done<void> done);
  void start_move(const std::string& name, std::string target, std::function<bus::Bytes()> freeze,
                  Done<void> done);
  void begin_moves();
  bus::Bytes freeze(SlotRef slot, const std::function<bus::Bytes()>& pack);
  void lease_lost();

  void charge(SlotRef slot, std::uint64_t ticks_passed);
  SlotRef take_slot(HostBase& host);
  Slot* find(SlotRef slot);
  void activate(Slot& slot, std::string name);
  /// Nothing is handed to its object any more; what waits for it ends as no_such_entity.
  void release(Slot& slot);
  bus::Handlers handlers(SlotRef slot);

  void start_fence(SlotRef slot, bus::Lane lane);
  void fence_ended(SlotRef slot, bus::Lane lane, const bus::Result<>& result);
  void schedule();
  void drain();
  void run(LocalMessage& message);
  /// Whether the method may be called; `object` is who has it.
  Errc admit(const Slot& slot, const MethodInfo& method, const bus::Process& origin, Behalf behalf,
             HostBase*& object, From& from) const;
  Errc dispatch_call(const Slot& slot, Decoder& in, const bus::Message& message, bus::Call* call,
                     std::string& detail);
  bool has_gates(const bus::Process& origin) const;
  Errc take_answer(const Slot& slot, Decoder& in, const bus::Message& message);
  bus::Result<> send_answer(AnswerRoute& route, ByteView answer);

  void watch_gates();
  void gates_known(const bus::Result<>& result);
  void expire_calls();
  void arm_timer();
  void retry_answers();

  bus::Bus& bus_;
  boost::asio::io_context& loop_;
  Self self_;
  const Dictionary* dictionary_;
  Gates gates_;
  bus::WatchHandle gates_watch_;
  bool watching_gates_ = false;
  std::vector<std::function<void(bus::Result<>)>> until_gates_;

  std::deque<Slot> slots_;
  std::vector<std::uint32_t> free_slots_;
  boost::unordered_flat_map<bus::ChannelId, std::uint32_t> by_id_;
  std::unordered_map<std::string_view, std::uint32_t> by_name_;  // views the slot's own

  LocalQueue ready_;
  std::size_t local_messages_ = 0;  // in all queues
  bool scheduled_ = false;
  struct Move {
    SlotRef slot;
    std::string target;
    std::function<bus::Bytes()> freeze;
    Done<void> done;
  };
  std::vector<Move> moves_;  // that wait for fences

  std::size_t calls_ = 0;
  CallState* first_call_ = nullptr;  // also those that have ended, and are held by somebody
  Deadlines deadlines_;
  boost::asio::steady_timer deadline_timer_;
  std::size_t running_ = 0;
  Running* first_running_ = nullptr;

  Bytes scratch_;
  struct Unsent {
    AnswerRoute route;
    Bytes body;
    std::size_t tries = 0;
  };
  std::deque<Unsent> unsent_;
  std::size_t unsent_bytes_ = 0;
  boost::asio::steady_timer retry_timer_;
  bool retrying_ = false;

  bool measuring_ = true;
  TickMark started_;
  std::atomic<ShownWork> shown_{};
  Turn* innermost_ = nullptr;
  std::uint64_t measured_ = 0;
  std::vector<MethodCounters> methods_;                        // by MethodInfo::index; never grows
  std::unordered_map<const ClassInfo*, ClassLoad> loads_;      // references stay valid
  std::unordered_map<const ClassInfo*, SpawnedLoad> spawned_;  // as well
  const std::shared_ptr<bus::ShownName> activity_ = std::make_shared<bus::ShownName>();
  EndpointCounters counters_;
  std::function<void()> on_lease_lost_;
};

}  // namespace starbus::entity::rpc
