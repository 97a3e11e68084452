/// A client that walks along x as fast as it may, for tests of MoveCheck.
#pragma once

#include <gtest/gtest.h>

#include "nodes/space/movement/move_check.hpp"

namespace starbus::nodes::movement {

/// 5 m/s in mode 0, 20 m/s in mode 1, in a space of 2 km.
inline MoveRules walking_rules() {
  MoveRules rules;
  rules.modes = {{.speed = 5, .climb = 3, .fall = 50}, {.speed = 20, .climb = 20, .fall = 50}};
  rules.min = {-1000, -1000, -10};
  rules.max = {1000, 1000, 500};
  return rules;
}

class MoveCheckTest : public testing::Test {
 protected:
  /// The next report: `metres` further along x, after `ms` of the client's time.
  MoveReport walk(double metres, std::uint32_t ms) {
    ++last_.number;
    last_.client_ms += ms;
    x_ += metres;
    last_.move.position.x = static_cast<float>(x_);
    return last_;
  }
  Judged take(const MoveReport& report, std::int64_t now) {
    const auto judged = check_.take(report, now);
    EXPECT_TRUE(judged) << judged.error().to_string();
    return judged ? *judged : Judged{};
  }
  /// As a client does that has nothing to make again.
  void obey(const Correction& correction) {
    last_.epoch = correction.epoch;
    last_.move.position = correction.move.position;
    x_ = correction.move.position.x;
  }
  float x() const { return check_.state().position.x; }

  MoveRules rules_ = walking_rules();
  MoveCheck check_ = *MoveCheck::create(rules_, {}, 1, 0);
  MoveReport last_{1, 0, 5000, {}};
  double x_ = 0;
};

}  // namespace starbus::nodes::movement
