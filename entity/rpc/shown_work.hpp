#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "entity/rpc/dictionary.hpp"

namespace starbus::entity::rpc {

/// What an endpoint runs, in one word, which a thread that watches the loop from beside may read:
/// what it points to lives for ever.
class ShownWork {
 public:
  ShownWork() = default;
  static ShownWork method(const MethodInfo& info) { return ShownWork(&info, kMethod); }
  /// Who waits for the answer of a method, and is no coroutine of an object, takes it.
  static ShownWork answer(const MethodInfo& info) { return ShownWork(&info, kAnswer); }
  /// A coroutine that no call has started, of an object of this class.
  static ShownWork coroutine(const ClassInfo& info) { return ShownWork(&info, kCoroutine); }

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
  ShownWork(const void* place, std::uintptr_t kind)
      : word_(reinterpret_cast<std::uintptr_t>(place) | kind) {}
  std::uintptr_t word_ = 0;
};
static_assert(std::atomic<ShownWork>::is_always_lock_free);

}  // namespace starbus::entity::rpc
