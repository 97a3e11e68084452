/// Catches what the code of a game throws, at the border where starbus calls it: one piece of work
/// ends, and the loop goes on.
///
///   guarded(UnitKind::timer, typeid(callback), [&] { callback(firing); });
///
/// A unit is one call of one callable of the program: a handler of a message, a timer, a listener.
/// What it throws goes to the ThrownSink of the calling thread, which a node installs; on a thread
/// without one (tests, tools, programs without a node) exceptions pass through as if there were no
/// guard. std::bad_alloc always passes through: a process without memory ends. Asserts of starbus
/// are not exceptions, and abort. Costs one read of a thread-local variable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <typeinfo>
#include <utility>

namespace starbus {

/// What kind of callable has thrown. The name is a label in metrics.
enum class UnitKind : std::uint8_t {
  message,     // a handler of the bus: of messages, calls, arrivals, link events
  method,      // an RPC method
  coroutine,   // a spawned one
  completion,  // a callback with a result
  timer,
  closure,   // posted to the loop
  tick,      // a function of the tick
  listener,  // of events, watches, properties, audiences
  hook,      // of an entity or a service
  deadline,  // the handler of a state machine's deadline
  state,     // a callback of Node::on_state
  step,      // before readiness, or of a drain
  program,   // functions of nodes::App
  handler,   // one that the program has given to the loop itself
};
inline constexpr std::size_t kUnitKinds = static_cast<std::size_t>(UnitKind::handler) + 1;

/// "message"
std::string_view name_of(UnitKind kind);

/// what(), for an object that is not a std::exception a text that says so.
std::string what_of(const std::exception_ptr& thrown);
/// A type's name as people write it: the type of a lambda names the enclosing function.
std::string name_of_type(const std::type_info& type);

/// Gets what units of one thread throw, from its construction until its end. Belongs to that
/// thread. If there are several, the latest that still exists gets all.
class ThrownSink {
 public:
  ThrownSink(const ThrownSink&) = delete;
  ThrownSink& operator=(const ThrownSink&) = delete;

  /// Called within the catch. `place` names the callable: the method, the type of a closure;
  /// empty: not known. Both texts live until this returns.
  virtual void thrown(UnitKind kind, std::string_view place, std::string_view what) noexcept = 0;

 protected:
  ThrownSink();
  ~ThrownSink();

 private:
  friend class UnitGuard;
  ThrownSink* outer_;
};

/// The sink of the calling thread.
class UnitGuard {
 public:
  static bool active() noexcept { return sink_ != nullptr; }
  /// Tells the sink of something that was caught elsewhere. False: there is no sink.
  static bool report(UnitKind kind, std::string_view place, std::string_view what) noexcept;
  /// Within a catch: tells the sink. Throws a std::bad_alloc again.
  static void caught(UnitKind kind, std::string_view place);
  static void caught(UnitKind kind, const std::type_info& place) {
    caught(kind, name_of_type(place));
  }

 private:
  friend class ThrownSink;
  static constinit thread_local ThrownSink* sink_;
};

/// Runs a unit. `place` is a text, a std::type_info, or a function that returns one of these and is
/// called only if the unit throws: it may use what the unit cannot have destroyed. False: it threw.
template <class Place, class Unit>
bool guarded(UnitKind kind, const Place& place, Unit&& unit) {
  if (!UnitGuard::active()) {
    std::forward<Unit>(unit)();
    return true;
  }
  try {
    std::forward<Unit>(unit)();
    return true;
  } catch (...) {
    if constexpr (std::is_invocable_v<const Place&>) {
      UnitGuard::caught(kind, place());
    } else {
      UnitGuard::caught(kind, place);
    }
    return false;
  }
}

/// The callable as a unit of its own, so that what it throws does not reach its caller. Null stays
/// null.
template <class... A>
std::function<void(A...)> as_unit(UnitKind kind, std::function<void(A...)> callable) {
  if (!callable) return nullptr;
  return [kind, callable = std::move(callable)](A... values) {
    guarded(kind, callable.target_type(), [&] { callable(std::forward<A>(values)...); });
  };
}

}  // namespace starbus
