/// What hostile clients report of their movement, in numbers of any kind: a player is always at a
/// place that there is, as fast as it may be, and never further than its time allows; what is
/// refused changes nothing.
///
/// Input: steps of 40 bytes. What, ms that pass, how epoch, number and the client's clock differ
/// from what is right, a mode, and seven floats: place, velocity, heading.
#include <cmath>
#include <cstring>

#include "nodes/space/movement/move_check.hpp"
#include "tests/fuzz/fuzz_target.hpp"

namespace {

using namespace starbus;
using namespace starbus::nodes::movement;
using bus::require;

constexpr std::size_t kStep = 40;
constexpr float kSpeed = 10;
constexpr float kFall = 60;

MoveRules rules_of(bool walled) {
  MoveRules rules;
  rules.modes = {ModeRules{5, 5, kFall}, ModeRules{kSpeed, kSpeed, kFall}};
  rules.min = {-100, -100, -10};
  rules.max = {100, 100, 50};
  if (walled) {
    rules.may_go = [](const Position& from, const Position& to, std::uint8_t) {
      require(std::isfinite(from.x) && std::isfinite(to.x) && std::isfinite(to.y));
      return (from.x < 50) == (to.x < 50);
    };
  }
  return rules;
}

class Driver {
 public:
  explicit Driver(bool walled)
      : rules_(rules_of(walled)), check_(*MoveCheck::create(rules_, {}, 1, now_)) {}

  void step(bus::ByteView bytes) {
    const auto at = [&](std::size_t place) { return std::to_integer<std::uint8_t>(bytes[place]); };
    now_ += at(1) * 8;
    const Locomotion before = check_.state();
    MoveReport report;
    report.epoch = check_.epoch() + static_cast<std::uint32_t>(static_cast<std::int8_t>(at(2)));
    number_ += static_cast<std::uint32_t>(static_cast<std::int8_t>(at(3)));
    client_ms_ += static_cast<std::uint32_t>(static_cast<std::int8_t>(at(4))) * 8;
    report.number = number_;
    report.client_ms = client_ms_;
    float numbers[7];
    std::memcpy(numbers, bytes.data() + 12, sizeof numbers);
    report.move.position = {numbers[0], numbers[1], numbers[2]};
    if ((at(0) & 0x80U) != 0) {  // from where it is
      report.move.position.x += before.position.x;
      report.move.position.y += before.position.y;
      report.move.position.z += before.position.z;
    }
    report.move.velocity = {numbers[3], numbers[4], numbers[5]};
    report.move.heading = numbers[6];
    report.move.mode = at(5);
    switch (at(0) % 8) {
      case 5:
        if (!check_.teleport(report.move.position, now_)) require(check_.state() == before);
        break;
      case 6:
        static_cast<void>(check_.set_factor(static_cast<double>(numbers[0]), now_));
        factor_ = std::max(factor_, std::isfinite(numbers[0]) ? std::abs(numbers[0]) : 0.0F);
        break;
      case 7:
        check_.client_begins(now_);
        break;
      default:
        take(report, before);
    }
    check(before);
  }

 private:
  void take(const MoveReport& report, const Locomotion& before) {
    const auto judged = check_.take(report, now_);
    if (!judged) return require(check_.state() == before);
    if (judged->correction) require(judged->correction->move == check_.state());
    const Locomotion& now = check_.state();
    if (judged->verdict != Verdict::accepted) return require(now.position == before.position);
    require(now.position == report.move.position && judged->violation == Violation::none);
    // All that may be saved up, and the time in which a correction is not heard.
    const double most =
        static_cast<double>((kJitterAllowance + kAnswerWait).count()) / 1000 * 1.011;
    const double times = std::max(1.0, static_cast<double>(std::min(factor_, 100.0F)));
    const double along = std::hypot(static_cast<double>(now.position.x) - before.position.x,
                                    static_cast<double>(now.position.y) - before.position.y);
    require(along <= kSpeed * times * most + 1e-3);
    require(std::hypot(now.velocity.x, now.velocity.y) <= kSpeed * times * 1.011);
  }
  void check(const Locomotion& before) {
    const Locomotion& now = check_.state();
    require(nodes::movement::check(now).has_value());
    require(now.position.x >= rules_.min.x && now.position.x <= rules_.max.x);
    require(now.position.y >= rules_.min.y && now.position.y <= rules_.max.y);
    require(now.position.z >= rules_.min.z && now.position.z <= rules_.max.z);
    require(std::isfinite(now.velocity.x) && std::isfinite(now.velocity.y) &&
            std::isfinite(now.velocity.z) && std::isfinite(now.heading));
    require(now.mode < rules_.modes.size());
    require(since(now.at, before.at) >= 0);
    require(check_.credit() >= -1e-6 && std::isfinite(check_.credit()));
  }

  const MoveRules rules_;
  std::int64_t now_ = 1'000;
  MoveCheck check_;
  std::uint32_t number_ = 0;
  std::uint32_t client_ms_ = 0;
  float factor_ = 1;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  bus::ByteView input = bus::fuzz_input(data, size);
  if (input.empty()) return 0;
  Driver driver(std::to_integer<int>(input.front()) % 2 == 1);
  for (input = input.subspan(1); input.size() >= kStep; input = input.subspan(kStep)) {
    driver.step(input.first(kStep));
  }
  return 0;
}
