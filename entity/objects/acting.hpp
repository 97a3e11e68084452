/// What the code of an entity or component does to others and for later: calls, messages, timers
/// and coroutines, all of which end with it. (Calls and coroutines of a component that has no
/// methods of its own end with its entity.)
///
///   auto price = co_await call<&Shop::price>("service/shop", "sword");      // in an rpc::Task
///   call<&Shop::price>("service/shop", "sword")([this](auto price) { ... });
///   call<&Shop::price>("service/shop", {.deadline = 1s}, "sword");
///   if (auto sent = send<&Player::hit>(enemy_, 5); !sent) ...               // enemy_: Ref<Player>
///   if (auto set = every(1s, [this] { regenerate(); }); !set) ...
///   if (auto runs = spawn(trade()); !runs) ...                              // rpc::Task<> trade()
///   world().get<Rules>()
///
/// **Order.** What an entity sends while it has a channel is the channel's own (SendOptions::from):
/// the receiver handles it in the order of sending, also when the entity moves between two of the
/// messages. For that such a message takes the bus, also to an object of this process; rpc::send
/// with world().rpc() does not, and keeps no order through moves. Neither does what goes to a
/// shared name (service/chat), for which the process chooses the instance.
///
/// Belongs to the loop's thread; the base of Part. Failures are values, but for a world without an
/// endpoint: std::logic_error.
#pragma once

#include <chrono>
#include <type_traits>
#include <utility>

#include "bus/core/wire/name.hpp"
#include "entity/objects/ref.hpp"
#include "entity/objects/world.hpp"
#include "entity/rpc/rpc.hpp"
#include "entity/timers/timer_wheel.hpp"

namespace starbus::entity {

class Entity;

namespace objects_detail {

/// Whether the first of the arguments is the options, which have an overload of their own.
template <class Options, class... A>
inline constexpr bool kBeginsWith = false;
template <class Options, class First, class... Rest>
inline constexpr bool kBeginsWith<Options, First, Rest...> =
    std::is_same_v<std::remove_cvref_t<First>, Options>;

/// Where a call of M goes: a channel, or a reference whose class has M.
template <auto M>
inline rpc::Address address_of(const rpc::Address& to) {
  return to;
}
template <auto M, class T>
rpc::Address address_of(const Ref<T>& to) {
  static_assert(MethodFitsReference<typename rpc::TraitsOf<M>::Host, T>::kFits);
  return rpc::Address(to.name());
}

}  // namespace objects_detail

class Acting {
 public:
  /// The surroundings, as the manager of the entity was given them.
  World& world() const;

  /// Calls a method of another object, as rpc::call: `to` is a channel or a Ref. Await the result
  /// in a Task, or give it a callback, which is dropped, and never called, if this entity or
  /// component ends first. `options.owner` is set here.
  template <auto M, class To, class... A>
  requires(!objects_detail::kBeginsWith<rpc::CallOptions, A...>)  //
      auto call(const To& to, A&&... arguments) {
    return call<M>(to, rpc::CallOptions{}, std::forward<A>(arguments)...);
  }
  template <auto M, class To, class... A>
  auto call(const To& to, const rpc::CallOptions& options, A&&... arguments) {
    rpc::CallOptions how = options;
    how.owner = &acting_object();
    auto pending = rpc::call<M>(world().rpc(), objects_detail::address_of<M>(to), how,
                                std::forward<A>(arguments)...);
    pending.drop_with_owner();
    return pending;
  }
  /// The same without an answer, as rpc::send. `options.from` is set here, unless it was given: see
  /// "Order" above. In the hooks of its end, and before it has a channel, the message is the
  /// process' own.
  template <auto M, class To, class... A>
  requires(!objects_detail::kBeginsWith<rpc::SendOptions, A...>)  //
      rpc::Result<> send(const To& to, A&&... arguments) {
    return send<M>(to, rpc::SendOptions{}, std::forward<A>(arguments)...);
  }
  template <auto M, class To, class... A>
  rpc::Result<> send(const To& to, const rpc::SendOptions& options, A&&... arguments) {
    rpc::SendOptions how = options;
    const rpc::Address address = objects_detail::address_of<M>(to);
    if (how.from == bus::ChannelId{} && !bus::is_shared_name(address.text())) {
      how.from = own_channel();
    }
    return rpc::send<M>(world().rpc(), address, how, std::forward<A>(arguments)...);
  }

  /// Calls `callback`, as of TimerWheel::after, unless this ends sooner. It does not move with the
  /// entity: a step does (run_later). Errors: too_many_timers, too_far; closed: it ends, or its
  /// world has no timers.
  template <class Callback>
  TimerResult<TimerId> after(Time delay, Callback callback) {
    TimerWheel* const wheel = acting_wheel();
    if (wheel == nullptr) return TimerErrc::closed;
    return wheel->after(acting_timers(), delay, std::move(callback));
  }
  /// The same every `interval`, the first time after one. What a late loop has missed is called
  /// once (TimerFiring::missed), or with CatchUp::all each time. Also: bad_interval.
  template <class Callback>
  TimerResult<TimerId> every(Time interval, Callback callback, CatchUp catch_up = CatchUp::once) {
    TimerWheel* const wheel = acting_wheel();
    if (wheel == nullptr) return TimerErrc::closed;
    return wheel->every(acting_timers(), interval, interval, catch_up, std::move(callback));
  }
  /// Cancels one of the two. Was it pending?
  bool cancel(TimerId timer);
  /// Runs a coroutine that ends with this, as rpc::spawn. Errors: would_block; destroyed: it ends.
  rpc::Result<> spawn(rpc::Task<> task);

 protected:
  Acting() = default;
  ~Acting() = default;

 private:
  /// Whose code it is.
  virtual const Entity& acting_entity() const = 0;
  /// The object that its calls and coroutines end with.
  virtual rpc::CallableBase& acting_object() = 0;
  virtual TimerOwner& acting_timers() = 0;

  /// The channel that it has at this endpoint; zero: it has none.
  bus::ChannelId own_channel() const;
  /// Null: it ends, or there is none.
  TimerWheel* acting_wheel() const;
};

/// A reference to an object that is bound here; an empty one if it has no channel.
template <class T>
Ref<T> ref_to(const T& object, const rpc::Endpoint& endpoint) {
  return Ref<T>(endpoint.channel_of(object));
}
template <class T>
requires std::is_base_of_v<Acting, T> Ref<T> ref_to(const T& object) {
  const rpc::Endpoint* const endpoint = object.world().find_rpc();
  return endpoint == nullptr ? Ref<T>() : ref_to(object, *endpoint);
}

template <class T>
template <auto M, class By, class... A>
auto Ref<T>::call(By& by, A&&... arguments) const {
  if constexpr (std::is_base_of_v<Acting, By>) {
    return static_cast<Acting&>(by).template call<M>(*this, std::forward<A>(arguments)...);
  } else {
    return rpc::call<M>(by, objects_detail::address_of<M>(*this), rpc::CallOptions{},
                        std::forward<A>(arguments)...);
  }
}

template <class T>
template <auto M, class By, class... A>
auto Ref<T>::send(By& by, A&&... arguments) const {
  if constexpr (std::is_base_of_v<Acting, By>) {
    return static_cast<Acting&>(by).template send<M>(*this, std::forward<A>(arguments)...);
  } else {
    return rpc::send<M>(by, objects_detail::address_of<M>(*this), rpc::SendOptions{},
                        std::forward<A>(arguments)...);
  }
}

}  // namespace starbus::entity
