#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>

namespace starbus::nodes::gate::net {

/// The keys that encrypt TLS session tickets: a fresh one after each `life`, the one before it
/// still decrypts. Secrets of this process; never written down. One thread.
class TicketKeys {
 public:
  using Time = std::chrono::steady_clock::time_point;
  using Clock = std::function<Time()>;
  struct Key {
    std::array<std::uint8_t, 16> name{};
    std::array<std::uint8_t, 32> cipher{};
    std::array<std::uint8_t, 32> mac{};
  };

  explicit TicketKeys(std::chrono::milliseconds life, Clock clock = std::chrono::steady_clock::now);

  /// The key of now. nullptr if the system gives no random bytes.
  const Key* current();
  /// The key of this name; nullptr if there is none, or it is too old.
  const Key* find(std::span<const std::uint8_t> name);

 private:
  void rotate();

  const std::chrono::milliseconds life_;
  const Clock clock_;
  std::optional<Key> current_;
  std::optional<Key> before_;
  Time since_{};  // of current_
};

}  // namespace starbus::nodes::gate::net
