/// The base of objects whose methods can be called: entities, components, services, managers.
///
///   class Chat : public rpc::Callable<Chat> { ... static constexpr auto kRpc = rpc::methods(...);
///   }; class Player : public rpc::Callable<Player, Avatar>     // has Avatar's methods, too
///
/// Belongs to the loop's thread, and to its creator. Its end takes it off its channels,
/// destroys its suspended coroutines, ends the calls that it owns as canceled, and lets nothing of
/// it run. Two words, and more once it is bound, has components, coroutines or calls.
#pragma once

#include <boost/smart_ptr/intrusive_ptr.hpp>
#include <coroutine>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bus/core/wire/ids.hpp"
#include "entity/rpc/dictionary.hpp"
#include "entity/rpc/loop_time.hpp"
#include "entity/rpc/wire.hpp"

namespace starbus::entity::rpc {

class BindingTable;
class CallState;
class Dispatcher;
class Running;

/// Takes the answers to the questions that an object has asked: see EndpointCore::ask.
class AnswerSink {
 public:
  /// False: the question is not open.
  virtual bool take_answer(const AnswerId& question, ByteView answer) = 0;

 protected:
  ~AnswerSink() = default;
};

/// Knows which client plays an object.
class ClientCheck {
 public:
  /// Whether this gate speaks for it under this number (CallOptions::client).
  virtual bool is_client(const bus::Process& process, std::uint64_t client) const = 0;

 protected:
  ~ClientCheck() = default;
};

/// The part of Callable that does not depend on its class. Belongs to the loop's thread.
class CallableBase {
 public:
  CallableBase(const CallableBase&) = delete;
  CallableBase& operator=(const CallableBase&) = delete;

  /// Lets calls to this object reach the methods of a component, which it does not own: own methods
  /// first, then those of components, in the order in which they were attached. duplicate: it has
  /// one of that class, or is of it; too_many_components. A component belongs to one object.
  Result<> attach(CallableBase& component);
  /// Its methods answer rpc_not_found from now on, as those of a component whose init has failed.
  /// Its coroutines and calls go on: see close_rpc of the component. The end of a component does
  /// both.
  void detach(CallableBase& component);

  /// The end, as far as calls are concerned; nothing of this object runs for one afterwards. The
  /// destructor does it, too, but by then the members of the derived class are destroyed: call it
  /// first if variables of suspended coroutines refer to the object. Idempotent.
  void close_rpc();

  const ClassInfo& rpc_class() const { return *class_; }
  /// The components that are attached, in order.
  std::vector<const CallableBase*> rpc_components() const;
  std::size_t rpc_coroutines() const;
  /// So many of its own coroutines at once, instead of kMaxRunningPerHost: for an object that is
  /// asked by all, and has a bound of its own for who waits. kMaxRunning counts all the same.
  void limit_coroutines(std::size_t most);
  std::size_t most_coroutines() const;

  // An object that is packed for another process, with its components, which follow it.

  /// Suspended coroutines stay suspended until resume_rpc(), whatever they wait for comes. New ones
  /// are refused as would_block, or, with `admits`, begin then. Calls to it are not stopped: the
  /// code that moves an object sees to that. Idempotent.
  void pause_rpc(bool admits = false);
  /// They go on within this call, in the order in which what they waited for came. The object may
  /// end within it.
  void resume_rpc();
  /// Or the object that it is a component of is.
  bool rpc_paused() const {
    if (!ties_) return false;
    return (ties_->pause && ties_->pause->on) || (ties_->owner && ties_->owner->rpc_paused());
  }
  /// False: a new coroutine would be refused.
  bool rpc_admits() const {
    if (!ties_) return true;
    return (!ties_->pause || !ties_->pause->on || ties_->pause->admits) &&
           (!ties_->owner || ties_->owner->rpc_admits());
  }
  /// Coroutines that have not ended, and calls with CallOptions::owner whose end no coroutine waits
  /// for; of components, too.
  std::size_t rpc_under_way() const;
  /// Those calls alone.
  std::size_t rpc_owned_calls() const;
  /// The names of coroutines that have not ended ("guild.invite", "coroutine of guild"), at most so
  /// many.
  std::vector<std::string> rpc_running(std::size_t most) const;
  /// Calls `idle` once when rpc_under_way() becomes 0, within the end of the last one: it may only
  /// post. A later one replaces it; null takes it away.
  void when_rpc_idle(std::function<void()> idle);

  /// Adds time that the loop spent on it outside its methods, in ticks, for busy_ms_per_s and
  /// reports. The time of a component counts for its object.
  void add_busy(std::uint64_t ticks_passed);
  /// How busy it keeps the loop, with its components, in the latest second that was sampled.
  double busy_ms_per_s() const { return ties_ ? ties_->busy.ms_per_s() : 0; }

 protected:
  CallableBase();
  ~CallableBase();
  void set_class(const ClassInfo* info) { class_ = info; }
  /// Lives as long as the object.
  void answers_to(AnswerSink* sink) { ties().answers = sink; }
  /// From now on a gate that calls for the object's own client must speak for the one that it
  /// knows. Lives as long as the object.
  void clients_are(const ClientCheck* check) { ties().clients = check; }

 private:
  friend class BindingTable;
  friend class CallState;
  friend class Dispatcher;
  friend class Running;

  struct Component {
    const ClassInfo* info;
    CallableBase* host;  // null: it was detached
  };
  /// What waits for the end of a pause, and for the end of all coroutines; of an object that is no
  /// component.
  struct Pause {
    bool on = false;
    bool admits = false;                              // new coroutines, which begin when it ends
    std::vector<boost::intrusive_ptr<Running>> held;  // in the order of their wake-up
    std::function<void()> idle;
  };
  struct Binding {
    BindingTable* table;
    std::uint32_t slot;
  };
  /// Rarely used state, allocated on demand.
  struct Ties {
    std::vector<Component> components;
    std::vector<Binding> bindings;
    CallableBase* owner = nullptr;          // whose component this is
    boost::intrusive_ptr<Running> running;  // the first of a list
    std::uint32_t coroutines = 0;
    std::uint32_t most_coroutines = 0;  // 0: kMaxRunningPerHost
    BusyTime busy;
    CallState* calls = nullptr;  // that end with this object
    AnswerSink* answers = nullptr;
    const ClientCheck* clients = nullptr;
    std::unique_ptr<Pause> pause;
  };
  /// The object itself, or the one that it is a component of.
  CallableBase& rpc_root() { return ties_ && ties_->owner != nullptr ? *ties_->owner : *this; }
  /// A coroutine, or a call, of this object or of a component of it has ended.
  void rpc_ended();
  Pause& pause();
  Ties& ties() { return ties_ ? *ties_ : make_ties(); }
  Ties& make_ties();
  /// Objects of classes that have links believe no gate without one; others believe each gate.
  bool is_own_client(const bus::Process& process, std::uint64_t client) const {
    if (ties_ && ties_->clients != nullptr) return ties_->clients->is_client(process, client);
    return !class_->has_link();
  }
  AnswerSink* answer_sink() const { return ties_ ? ties_->answers : nullptr; }
  /// The object that has the methods of a class: this, or a component. Null: `why` is set.
  CallableBase* object_for(const ClassInfo* owner, Errc& why) {
    if (class_ == owner) return this;
    return search_object(owner, why);
  }
  CallableBase* search_object(const ClassInfo* owner, Errc& why);

  const ClassInfo* class_ = nullptr;
  std::unique_ptr<Ties> ties_;
};

template <class C>
struct ClassOf;  // invoke.hpp

/// `Base` is CallableBase, or a class with a kRpc of its own whose methods this one has, too.
template <class Self, class Base = CallableBase>
class Callable : public Base {
 public:
  using RpcBase = Base;

 protected:
  template <class... A>
  explicit Callable(A&&... arguments) : Base(std::forward<A>(arguments)...) {
    this->set_class(ClassOf<Self>::get());
  }
  ~Callable() = default;
};

}  // namespace starbus::entity::rpc
