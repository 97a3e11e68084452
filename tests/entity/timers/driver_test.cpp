/// What a wheel tells the loop that drives it, and asks it.
#include <optional>
#include <stdexcept>
#include <typeinfo>

#include "tests/entity/timers/wheel_fixture.hpp"

namespace starbus::entity {
namespace {

using testing::ElementsAre;

class Driver final : public TimerDriver {
 public:
  Time now() override { return present; }
  void due_sooner() override { ++sooner; }
  void began(const std::type_info& callback) override { types.push_back(&callback); }
  void ended() override { ++ends; }

  Time present{0};
  int sooner = 0;
  int ends = 0;
  std::vector<const std::type_info*> types;
};

class TimerDriverTest : public TimerWheelTest {
 protected:
  TimerDriverTest() {
    driver.present = kStart;
    wheel.drive(&driver);
  }
  Driver driver;
};

TEST_F(TimerDriverTest, ADelayCountsFromThePresentAlsoIfNoPassHasComeForAnHour) {
  driver.present = kStart + 1h;
  ASSERT_TRUE(wheel.after(owner, 10ms, note("a")));
  EXPECT_THAT(fired_at(1h + 9ms), ElementsAre());
  EXPECT_THAT(fired_at(1h + 10ms), ElementsAre("a"));
}

TEST_F(TimerDriverTest, WithinAPassADelayCountsFromThePass) {
  ASSERT_TRUE(wheel.after(owner, 1ms, [this] {
    driver.present += 50ms;  // the callback takes its time
    ASSERT_TRUE(wheel.after(owner, 10ms, note("b")));
  }));
  fired_at(1ms);
  EXPECT_THAT(fired_at(11ms), ElementsAre("b"));
}

TEST_F(TimerDriverTest, ASleepingLoopIsWokenOnceForEarlierTimers) {
  wheel.sleep_until(kStart + 1s);
  ASSERT_TRUE(wheel.after(owner, 2s, note("later")));
  EXPECT_EQ(driver.sooner, 0);
  ASSERT_TRUE(wheel.after(owner, 500ms, note("sooner")));
  ASSERT_TRUE(wheel.after(owner, 100ms, note("soonest")));
  EXPECT_EQ(driver.sooner, 1) << "it is awake";
  wheel.sleep_until(std::nullopt);
  ASSERT_TRUE(wheel.after(owner, 10h, note("any is sooner than none")));
  EXPECT_EQ(driver.sooner, 2);
}

TEST_F(TimerDriverTest, ALoopThatIsInAPassIsNotWoken) {
  ASSERT_TRUE(wheel.after(owner, 1ms, [this] { ASSERT_TRUE(wheel.after(owner, 0ms, note("a"))); }));
  wheel.sleep_until(kStart + 1ms);
  fired_at(1ms);
  EXPECT_EQ(driver.sooner, 0) << "the pass says that there is more";
  EXPECT_TRUE(last.more);
}

TEST_F(TimerDriverTest, CallbacksAreNamedByTheirTypesAlsoThoseThatDoNotFit) {
  const auto small = [] {};
  const auto large = [filler = std::array<char, 200>{}] { (void)filler; };
  ASSERT_TRUE(wheel.after(owner, 1ms, small));
  ASSERT_TRUE(wheel.after(owner, 1ms, large));
  fired_at(1ms);
  ASSERT_EQ(driver.types.size(), 2u);
  EXPECT_TRUE(*driver.types[0] == typeid(small));
  EXPECT_TRUE(*driver.types[1] == typeid(large));
  EXPECT_EQ(driver.ends, 2);
}

TEST_F(TimerDriverTest, ACallbackThatThrowsHasEnded) {
  ASSERT_TRUE(wheel.after(owner, 1ms, [] { throw std::runtime_error("oh"); }));
  EXPECT_THROW(fired_at(1ms), std::runtime_error);
  EXPECT_EQ(driver.ends, 1);
}

}  // namespace
}  // namespace starbus::entity
