/// Tells ThreadSanitizer that memory changes hands inside libzmq, whose own synchronisation it
/// cannot see. Does nothing in any other build.
#pragma once

#if defined(__SANITIZE_THREAD__)
#define STARBUS_THREAD_SANITIZER
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define STARBUS_THREAD_SANITIZER
#endif
#endif

#ifdef STARBUS_THREAD_SANITIZER
#include <sanitizer/tsan_interface.h>
#endif

namespace starbus::bus::io {

/// Orders the work of this thread so far before the work of the thread that takes `object` over.
inline void hand_over([[maybe_unused]] void* object) {
#ifdef STARBUS_THREAD_SANITIZER
  __tsan_release(object);
#endif
}
inline void take_over([[maybe_unused]] void* object) {
#ifdef STARBUS_THREAD_SANITIZER
  __tsan_acquire(object);
#endif
}

}  // namespace starbus::bus::io
