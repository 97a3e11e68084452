/// The counters of an endpoint. Belongs to the loop's thread.
#pragma once

#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>

#include "entity/rpc/error.hpp"

namespace starbus::entity::rpc {

/// The time that one kind of work has taken, in ticks (ticks.hpp).
struct WorkTicks {
  std::uint64_t ticks = 0;    // in all
  std::uint64_t longest = 0;  // of one frame
  void add(std::uint64_t passed) {
    ticks += passed;
    if (passed > longest) longest = passed;
  }
};

/// `ticks` and `longest` count the time in the method body only.
struct MethodCounters : WorkTicks {
  std::uint64_t calls = 0;    // entered
  std::uint64_t refused = 0;  // not entered: permission, signature or arguments
  std::uint64_t threw = 0;    // entered, and ended by an exception
  WorkTicks answers;          // in callbacks and Asio coroutines here that took its answers
};

/// Objects of one class that are bound here: entities of a type, a service.
struct ClassLoad {
  std::size_t objects = 0;
  std::uint64_t turns = 0;  // frames of their methods, their components and their coroutines
  std::uint64_t ticks = 0;  // in these frames
};

/// Coroutines that objects of one class have spawned, bound or not.
struct SpawnedLoad : WorkTicks {
  std::uint64_t coroutines = 0;
  std::uint64_t threw = 0;  // ended by an exception
};

/// Numbers of errors; too_many_components is the last one.
inline constexpr std::size_t kErrorCount = static_cast<std::size_t>(Errc::too_many_components) + 1;

struct EndpointCounters {
  std::uint64_t local = 0;            // messages handed to objects of this process
  std::uint64_t remote = 0;           // messages from the bus
  std::uint64_t fences = 0;           // sent
  std::uint64_t dropped_replies = 0;  // kMaxUnsentReplies, or a channel that may not be sent to
  std::uint64_t answers = 0;          // to questions that were still open
  std::uint64_t late_answers = 0;     // to questions that had ended: dropped
  std::uint64_t false_clients = 0;    // gates that spoke for a client that plays another object
  /// Calls and messages that ended with an error at an object of this process, by Errc.
  std::array<std::uint64_t, kErrorCount> errors{};

  /// An error of another domain counts as Errc::bus.
  void count(Code code) {
    const auto index = static_cast<std::size_t>(counted_as(code));
    assert(index < errors.size());
    ++errors[index];
  }
};

}  // namespace starbus::entity::rpc
