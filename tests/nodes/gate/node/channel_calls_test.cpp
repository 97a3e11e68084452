#include "nodes/gate/node/channel_calls.hpp"

#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "nodes/gate/node/limits.hpp"

namespace starbus::nodes::gate {
namespace {

/// Calls that a test answers when it wants to.
class ChannelCallsTest : public ::testing::Test {
 protected:
  struct Begun {
    std::string channel;
    std::string word;
    ChannelCalls::Done done;
  };
  void answer(std::size_t index) {
    const Begun call = begun_[index];
    begun_.erase(begun_.begin() + static_cast<std::ptrdiff_t>(index));
    call.done(Outcome::ok, {});
  }
  void ask(const std::string& channel, std::string word) {
    calls_.call(channel, std::move(word), [this](Outcome, bus::ByteView) { ++ended_; });
  }

  std::vector<Begun> begun_;
  std::size_t ended_ = 0;
  ChannelCalls calls_{
      [this](const std::string& channel, const std::string& word, ChannelCalls::Done done) {
        begun_.push_back({channel, word, std::move(done)});
      }};
};

TEST_F(ChannelCallsTest, AChannelHasAWindow) {
  const std::string half(kCallWindow / 2, 'x');
  ask("player/1", half);
  ask("player/1", half);  // with their heads they are more than the window
  ask("player/1", "small, and not before the one that waits");
  ask("player/2", "another");
  ASSERT_EQ(begun_.size(), 2u);
  EXPECT_EQ(begun_[1].channel, "player/2");
  EXPECT_GT(calls_.waiting(), half.size());
  answer(0);
  ASSERT_EQ(begun_.size(), 3u);
  EXPECT_EQ(begun_[1].word, half);
  EXPECT_TRUE(begun_[2].word.starts_with("small"));
  while (!begun_.empty()) answer(0);
  EXPECT_EQ(ended_, 4u);
  EXPECT_EQ(calls_.waiting() + calls_.under_way() + calls_.channels(), 0u);
}

TEST_F(ChannelCallsTest, ACallBeyondTheWindowGoesAlone) {
  ask("player/1", std::string(kCallWindow + 1, 'x'));
  ask("player/1", "next");
  EXPECT_EQ(begun_.size(), 1u);
  answer(0);
  EXPECT_EQ(begun_.size(), 1u);
  EXPECT_EQ(begun_[0].word, "next");
}

TEST_F(ChannelCallsTest, AllChannelsShareAWindow) {
  const std::string word(kCallWindow - kCallHead, 'x');
  const std::size_t fit = kCallsWindow / kCallWindow;
  for (std::size_t i = 0; i < 3 * fit; ++i) ask("player/" + std::to_string(i), word);
  EXPECT_EQ(begun_.size(), fit);
  std::map<std::string, int> seen;
  while (!begun_.empty()) {
    ++seen[begun_[0].channel];
    answer(0);
    EXPECT_LE(begun_.size(), fit);
  }
  EXPECT_EQ(seen.size(), 3 * fit);  // each got its turn
  EXPECT_EQ(ended_, 3 * fit);
  EXPECT_EQ(calls_.waiting() + calls_.under_way() + calls_.channels(), 0u);
}

TEST_F(ChannelCallsTest, AnAnswerThatAsksAgainKeepsTheOrder) {
  std::vector<std::string> order;
  calls_.call("player/1", "a", [&](Outcome, bus::ByteView) {
    order.push_back("a");
    calls_.call("player/1", "c", [&](Outcome, bus::ByteView) { order.push_back("c"); });
  });
  calls_.call("player/1", "b", [&](Outcome, bus::ByteView) { order.push_back("b"); });
  while (!begun_.empty()) answer(0);
  EXPECT_EQ(order, (std::vector<std::string>{"a", "b", "c"}));
}

}  // namespace
}  // namespace starbus::nodes::gate
