#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "entity/rpc/dictionary.hpp"

namespace starbus::entity::rpc {

/// The work that an endpoint runs, in one word: a pointer to static data and a kind. The loop's
/// thread writes it, a thread that watches the loop may read it.
class CurrentWork {
 public:
  CurrentWork() = default;
  static CurrentWork method(const MethodInfo& info) { return CurrentWork(&info, kMethod); }
  /// The caller of a method, not a coroutine of an object, takes its answer.
  static CurrentWork answer(const MethodInfo& info) { return CurrentWork(&info, kAnswer); }
  /// A spawned coroutine of an object of this class.
  static CurrentWork coroutine(const ClassInfo& info) { return CurrentWork(&info, kCoroutine); }

  /// "chat.join", "answer of chat.join", "coroutine of chat"; empty: nothing.
  std::string name() const {
    if (word_ == 0) return {};
    const std::uintptr_t place = word_ & ~kKinds;
    if ((word_ & kKinds) == kCoroutine) {
      return "coroutine of " + std::string(reinterpret_cast<const ClassInfo*>(place)->name);
    }
    const std::string full = reinterpret_cast<const MethodInfo*>(place)->full_name();
    return (word_ & kKinds) == kAnswer ? "answer of " + full : full;
  }

 private:
  static constexpr std::uintptr_t kMethod = 0, kAnswer = 1, kCoroutine = 2, kKinds = 3;
  static_assert(alignof(MethodInfo) > kKinds && alignof(ClassInfo) > kKinds);
  CurrentWork(const void* place, std::uintptr_t kind)
      : word_(reinterpret_cast<std::uintptr_t>(place) | kind) {}
  std::uintptr_t word_ = 0;
};
static_assert(std::atomic<CurrentWork>::is_always_lock_free);

}  // namespace starbus::entity::rpc
