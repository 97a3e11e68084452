/// A player's client and its server with a line between them that delays, loses and reorders, in
/// one thread with virtual time. The way up may lose reports; the way down loses nothing.
#pragma once

#include <cmath>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <random>

#include "nodes/space/movement/move_check.hpp"
#include "nodes/space/movement/move_replay.hpp"

namespace starbus::nodes::movement {

/// How a line behaves: ms, and the share of reports that are lost, at most four in a row.
struct LineOptions {
  int least_delay = 20;
  int jitter = 300;
  double loss = 0.1;
};

/// What a player does in a frame.
struct Stride {
  float x = 0;  ///< m/s
  float y = 0;
  int ms = 0;
};

inline Locomotion stride_from(const Locomotion& from, const Stride& stride) {
  Locomotion to = from;
  to.position.x += stride.x * static_cast<float>(stride.ms) / 1000;
  to.position.y += stride.y * static_cast<float>(stride.ms) / 1000;
  to.velocity = {stride.x, stride.y, 0};
  to.heading = std::atan2(stride.y, stride.x);
  return to;
}

class LineSimulation {
 public:
  using Lie = std::function<void(MoveReport&)>;

  LineSimulation(const MoveRules& rules, const LineOptions& line, unsigned seed)
      : line_(line),
        random_(seed),
        check_(*MoveCheck::create(rules, {}, 1, 0)),
        client_(check_.start(), stride_from),
        speed_(rules.modes[0].speed) {}

  /// One frame of the client, and what comes to either end in that time.
  void frame(const Lie& lie = {}) {
    const int ms = 16 + below(20);
    if (turns_-- <= 0) turn();
    MoveReport report =
        client_.move({direction_.x, direction_.y, ms}, static_cast<std::uint32_t>(now_));
    if (lie) lie(report);
    const bool lost = !calm_ && lost_ < kLostInARow && unit() < line_.loss;
    lost_ = lost ? lost_ + 1 : 0;
    if (!lost) up_.emplace(now_ + delay(), report);
    run(ms);
  }
  /// Stands still on a good line until all is told.
  void settle() {
    calm_ = true;
    for (int i = 0; i < 200; ++i) {
      turns_ = 1;
      direction_ = {};
      frame();
    }
  }
  void teleport(const Position& to) {
    if (auto told = check_.teleport(to, now_)) tell(*told);
  }

  const MoveCheck& check() const { return check_; }
  const MoveReplay<Stride>& client() const { return client_; }
  std::int64_t now() const { return now_; }
  int corrections() const { return corrections_; }
  int accepted() const { return accepted_; }
  int below(int bound) { return std::uniform_int_distribution<>(0, bound - 1)(random_); }
  double unit() { return std::uniform_real_distribution<>(0, 1)(random_); }
  /// Called after each accepted report.
  std::function<void(const Locomotion& from, const Locomotion& to)> on_accepted = {};

 private:
  static constexpr int kLostInARow = 4;
  struct Down {
    std::int64_t at;
    std::optional<Correction> correction;
    std::optional<MoveAck> ack;
  };
  int delay() { return line_.least_delay + (calm_ ? 0 : below(line_.jitter + 1)); }
  void turn() {
    turns_ = 1 + below(60);
    const double angle = unit() * 6.28;
    const double pace = below(4) == 0 ? 0 : speed_;
    direction_ = {static_cast<float>(pace * std::cos(angle)),
                  static_cast<float>(pace * std::sin(angle)), 0};
  }
  void tell(const Correction& correction) { send_down({0, correction, std::nullopt}); }
  void send_down(Down down) {
    down.at = std::max(now_ + delay(), down_.empty() ? 0 : down_.back().at);  // in order
    down_.push_back(down);
  }
  void run(int ms) {
    for (const std::int64_t end = now_ + ms; now_ < end; ++now_) {
      for (; !up_.empty() && up_.begin()->first <= now_; up_.erase(up_.begin())) {
        hear(up_.begin()->second);
      }
      for (; !down_.empty() && down_.front().at <= now_; down_.pop_front()) {
        if (down_.front().ack) client_.ack(*down_.front().ack);
        if (down_.front().correction) client_.correct(*down_.front().correction);
      }
      if (now_ % 50 != 0) continue;
      if (const auto ack = check_.ack()) send_down({0, std::nullopt, ack});
    }
  }
  void hear(const MoveReport& report) {
    const Locomotion before = check_.state();
    const auto judged = check_.take(report, now_);
    if (!judged) return;
    if (judged->verdict == Verdict::accepted) {
      ++accepted_;
      if (on_accepted) on_accepted(before, check_.state());
    }
    if (judged->correction) {
      ++corrections_;
      tell(*judged->correction);
    }
  }

  LineOptions line_;
  std::mt19937 random_;
  MoveCheck check_;
  MoveReplay<Stride> client_;
  float speed_;
  std::int64_t now_ = 0;
  std::multimap<std::int64_t, MoveReport> up_;
  std::deque<Down> down_;
  Stride direction_;
  int turns_ = 0;
  int lost_ = 0;
  int corrections_ = 0;
  int accepted_ = 0;
  bool calm_ = false;
};

}  // namespace starbus::nodes::movement
