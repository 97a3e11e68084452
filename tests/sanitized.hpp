/// Whether this program was compiled with a sanitizer: figures of memory and time mean nothing
/// then.
#pragma once

namespace starbus {

#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool kAddressSanitizer = true;
#elif defined(__has_feature)
inline constexpr bool kAddressSanitizer = __has_feature(address_sanitizer);
#else
inline constexpr bool kAddressSanitizer = false;
#endif

#if defined(__SANITIZE_THREAD__)
inline constexpr bool kThreadSanitizer = true;
#elif defined(__has_feature)
inline constexpr bool kThreadSanitizer = __has_feature(thread_sanitizer);
#else
inline constexpr bool kThreadSanitizer = false;
#endif

/// How many of something a test tries: each takes some ten times as long with AddressSanitizer,
/// which sees some of them. CI runs the whole count optimised, by tests of its own
/// (tests/sim/CMakeLists.txt).
template <typename Count>
constexpr Count whole_or(Count whole, Count sanitized) {
  return kAddressSanitizer ? sanitized : whole;
}

}  // namespace starbus
