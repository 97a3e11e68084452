/// Frames of coroutines that are where their handles look for them. g++ 12 lays out some wrongly
/// (docs/design/gcc12.md, scripts/check-coroutines); whoever resumes one takes other bytes for its
/// state.
#pragma once

#include <cstddef>
#include <new>

namespace starbus {

/// The base of a promise; its get_return_object passes its handle through checked(). Costs one
/// write and one comparison a coroutine. Any thread.
class CheckedFrame {
 public:
  /// Of the compiler, for the frame of each coroutine with such a promise.
  static void* operator new(std::size_t bytes) { return newest_ = ::operator new(bytes); }
  /// Likewise.
  static void operator delete(void* frame) noexcept { ::operator delete(frame); }

 protected:
  /// The same handle. Ends the process, saying why, if its frame is not the one that has just been
  /// made: a coroutine like that cannot be resumed.
  template <class Handle>
  static Handle checked(Handle handle) {
    if (handle.address() != newest_) end_process();
    return handle;
  }

 private:
  [[noreturn]] static void end_process();

  inline static thread_local void* newest_ = nullptr;  // of this thread
};

}  // namespace starbus
