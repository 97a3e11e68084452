#pragma once

#include <cstdint>

namespace starbus {

/// Remembers the thread that an object belongs to, and checks it: one comparison a call.
///
///   class Timers {
///     void add() { thread_.check(); ... }
///     LoopThread thread_;
///   };
///
/// An object belongs to the thread that constructs it, until `rebind` hands it to the calling one.
/// Copies belong to the thread that copies. 4 bytes.
class LoopThread {
 public:
  LoopThread() noexcept : owner_(current()) {}
  LoopThread(const LoopThread&) noexcept : LoopThread() {}
  LoopThread& operator=(const LoopThread&) noexcept { return *this; }

  /// Aborts the process, after a line on stderr with the names of both threads, if the calling
  /// thread is not the owner.
  void check() const noexcept {
    if (owner_ != current()) [[unlikely]]
      fail(owner_);
  }
  bool is_current() const noexcept { return owner_ == current(); }

  /// The object belongs to the calling thread from now on. The threads must be synchronised by
  /// other means: nothing may use the object meanwhile.
  void rebind() noexcept { owner_ = current(); }

 private:
  using ThreadId = std::int32_t;  // as the kernel counts: unique among living threads

  static ThreadId current() noexcept {
    if (current_ == 0) [[unlikely]]
      current_ = ask_kernel();
    return current_;
  }
  static ThreadId ask_kernel() noexcept;
  [[noreturn]] static void fail(ThreadId owner) noexcept;

  static constinit thread_local ThreadId current_;
  ThreadId owner_;
};

}  // namespace starbus
