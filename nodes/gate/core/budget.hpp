/// What a gate may send, and how a session's own share of it is counted. Plain values; one thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "nodes/gate/core/effects.hpp"
#include "nodes/gate/core/limits.hpp"

namespace starbus::nodes::gate {

/// `[gate.downlink]`: bytes of frames a second. 0: no bound.
struct Budget {
  std::uint64_t client_rate = kClientRate;    // of one client, in the long run
  std::uint64_t client_burst = kClientBurst;  // and at once
  std::uint64_t gate_rate = kGateRate;        // of all clients
  friend bool operator==(const Budget&, const Budget&) = default;
};

/// So many bytes a second, and a burst at once. It may go below zero by what was sent last, so that
/// anything can be sent that is larger than the burst. The rate is the caller's: thousands of these
/// are small.
class ByteBucket {
 public:
  /// Rate 0: always.
  bool has(std::uint64_t rate, std::uint64_t burst, GateTime now) {
    if (rate == 0) return begun_ = false, true;
    const auto most = static_cast<double>(burst);
    if (!std::exchange(begun_, true)) left_ = most;
    const auto passed = static_cast<double>(std::max(now - filled_, GateTime{}).count());
    left_ = std::min(most, left_ + passed * static_cast<double>(rate) / 1'000.0);
    filled_ = now;
    return left_ > 0;
  }
  /// After has().
  void take(std::size_t bytes) {
    if (begun_) left_ -= static_cast<double>(bytes);
  }

 private:
  double left_ = 0;
  GateTime filled_{};
  bool begun_ = false;
};

/// How far a session's packets have been handed to its connection.
struct Handed {
  std::uint64_t c = 0;       // the last one
  ByteBucket own{};          // of Budget::client_rate
  ByteBucket share{};        // of its part of Budget::gate_rate
  std::int64_t turn = 0;     // bytes that are left of its turn
  std::uint64_t ticket = 0;  // of its place in the ring; 0: it does not wait
};

/// How many bytes a client may have that it has not acknowledged: as many as it has acknowledged
/// in a second, so that what it is told is seldom older than that, however slow its line is.
class CreditMeter {
 public:
  /// The client has acknowledged so many bytes.
  void acked(std::size_t bytes, GateTime now) {
    roll(now);
    current_ += bytes;
  }
  /// Between kLeastCredit and sessions::kMostCredit.
  std::size_t allowed(GateTime now) {
    roll(now);
    return std::clamp(std::max(before_, current_), std::size_t{kLeastCredit},
                      std::size_t{sessions::kMostCredit});
  }

 private:
  void roll(GateTime now) {
    const GateTime passed = now - since_;
    if (passed < kCreditTime) return;
    before_ = passed < 2 * GateTime(kCreditTime) ? current_ : 0;
    current_ = 0;
    since_ = now;
  }
  GateTime since_{};
  std::size_t current_ = 0;
  std::size_t before_ = 0;
};

}  // namespace starbus::nodes::gate
