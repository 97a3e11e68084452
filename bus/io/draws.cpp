#include "bus/io/draws.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <system_error>

namespace starbus::bus::io {

void fill_random(std::span<std::byte> bytes) {
  if (getentropy(bytes.data(), bytes.size()) != 0) {
    throw std::system_error(errno, std::generic_category(), "getentropy");
  }
}

std::uint64_t draw_number() {
  std::uint64_t number = 0;
  while (number == 0) fill_random(std::as_writable_bytes(std::span(&number, 1)));
  return number;
}

std::uint64_t draw_incarnation() {
  const auto since_epoch = std::chrono::system_clock::now().time_since_epoch();
  const auto present = static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(since_epoch).count());
  static std::atomic<std::uint64_t> latest{0};
  std::uint64_t before = latest.load();
  std::uint64_t drawn = 0;
  do {
    drawn = std::max(before + 1, present);
  } while (!latest.compare_exchange_weak(before, drawn));
  return drawn;
}

}  // namespace starbus::bus::io
