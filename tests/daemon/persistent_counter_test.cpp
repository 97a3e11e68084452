#include "daemon/persistent_counter.hpp"

#include <gtest/gtest.h>

#include "tests/daemon/support.hpp"

namespace starbus::daemon {
namespace {

constexpr std::uint64_t kEnd = 1000;
constexpr std::uint64_t kReserve = 10;

class PersistentCounterTest : public testing::Test {
 protected:
  void SetUp() override {
    auto opened = StateDirectory::open(folder_.path());
    ASSERT_TRUE(opened);
    state_.emplace(std::move(*opened));
    number_.emplace(*state_, "number", kEnd);
  }
  std::uint64_t next(std::uint64_t least = 1) { return *number_->next(least, kReserve); }
  std::string stored() const { return state_->read("number")->value_or(""); }
  /// What a power cut leaves of a file that was not synced is anything; the boot is another.
  void cut_power(const std::string& note) { ASSERT_TRUE(state_->write("number.noted", note)); }

  test::TempFolder folder_;
  std::optional<StateDirectory> state_;
  std::optional<PersistentCounter> number_;
};

TEST_F(PersistentCounterTest, GrowsByOneAndWaitsForTheDiskSeldom) {
  EXPECT_EQ(next(), 1U);
  EXPECT_EQ(stored(), "11\n");
  for (std::uint64_t expected = 2; expected <= 11; ++expected) EXPECT_EQ(next(), expected);
  EXPECT_EQ(stored(), "11\n");
  EXPECT_EQ(next(), 12U);
  EXPECT_EQ(stored(), "22\n");
}

TEST_F(PersistentCounterTest, NeverRepeatsAfterAPowerCut) {
  for (const std::string& note : {std::string(), std::string("another-boot 3\n"), boot_id() + " 3",
                                  boot_id() + "3\n", boot_id() + " x\n", boot_id() + " 1000\n"}) {
    SCOPED_TRACE(note);
    ASSERT_TRUE(state_->write("number", "20\n"));
    cut_power(note);
    EXPECT_EQ(next(), 21U);
    EXPECT_EQ(stored(), "31\n");
    EXPECT_EQ(next(), 22U);
  }
}

TEST_F(PersistentCounterTest, FollowsAClockThatIsAhead) {
  EXPECT_EQ(next(500), 500U);
  EXPECT_EQ(next(505), 505U);
  EXPECT_EQ(stored(), "510\n");
  EXPECT_EQ(next(100), 506U) << "the clock was set back";
}

TEST_F(PersistentCounterTest, AFileThatHoldsNoNumberIsAnErrorAndNotABeginning) {
  for (const char* broken : {"", "x\n", "12x\n", "-1\n", "1000\n", "99999999999999999999999\n"}) {
    ASSERT_TRUE(state_->write("number", broken));
    EXPECT_EQ(number_->next(1, kReserve).error(), bus::Errc::io_error) << broken;
    EXPECT_EQ(number_->read().error(), bus::Errc::io_error) << broken;
  }
}

TEST_F(PersistentCounterTest, EndsWithAnErrorAndNotFromTheBeginning) {
  EXPECT_EQ(next(kEnd - 2), kEnd - 2);
  EXPECT_EQ(next(), kEnd - 1);
  EXPECT_EQ(number_->next(1, kReserve).error(), bus::Errc::io_error);
}

TEST_F(PersistentCounterTest, ReadsTheHigherOfWhatIsNotedAndStored) {
  EXPECT_EQ(*number_->read(), 0U);
  ASSERT_TRUE(number_->note(7));
  EXPECT_EQ(*number_->read(), 7U);
  ASSERT_TRUE(number_->store(9));
  EXPECT_EQ(*number_->read(), 9U);
  cut_power("another-boot 12\n");
  EXPECT_EQ(*number_->read(), 9U);
}

}  // namespace
}  // namespace starbus::daemon
