// Answers without room: kept in order, replaced by failures, dropped at the very end.
#include "bus/client/parts/reply_queue.hpp"

#include <gtest/gtest.h>

#include "tests/bus/core/ends/origin_harness.hpp"

namespace starbus::bus {
namespace {

using Fate = ReplyQueue::Fate;

const Lineage kFirst = SendingSide::lineage(1);

class ReplyQueueTest : public ::testing::Test {
 protected:
  std::uint64_t calls_ = 0;  // number of the latest reply
  Fate reply(std::uint64_t caller, std::string_view body) {
    Envelope envelope;
    envelope.kind = EnvelopeKind::reply;
    envelope.call = ++calls_;
    const auto fate = queue.send({SendingSide::channel(caller), kFirst, {}}, Lane::call, envelope,
                                 as_bytes(body));
    EXPECT_TRUE(fate);
    return fate ? *fate : Fate::dropped;
  }
  /// Fills what the origin takes for this caller.
  void fill(std::uint64_t caller) {
    EXPECT_EQ(reply(caller, std::string(kChannelWindow, 'x')), Fate::sent);
    while (side.origin.has_reply_room(SendingSide::channel(caller), Lane::call, 10)) {
      EXPECT_EQ(reply(caller, ""), Fate::sent);
    }
  }
  /// What the caller gets of all that is transmitted now, and acknowledges it.
  std::vector<Envelope> take(std::uint64_t caller) {
    std::vector<Envelope> taken;
    bodies_.push_back(side.pull_messages());
    if (bodies_.back().empty()) return taken;
    for (const WireMessage& message : bodies_.back()) {
      taken.push_back(*decode_envelope(as_bytes(message.body)));
    }
    side.ack(caller, bodies_.back().back().seq);
    return taken;
  }

  SendingSide side;
  ReplyQueue queue{side.origin};

 private:
  std::deque<std::vector<WireMessage>> bodies_;  // which envelopes refer to
};

TEST_F(ReplyQueueTest, KeepsAnswersInOrderUntilThereIsRoom) {
  fill(1);
  EXPECT_EQ(reply(1, "kept"), Fate::kept);
  EXPECT_EQ(reply(1, std::string(kMaxBody / 2, 'y')), Fate::kept);
  EXPECT_EQ(reply(1, ""), Fate::kept) << "not before the others";
  EXPECT_EQ(reply(2, "another caller"), Fate::sent);
  const std::uint64_t other = calls_;
  EXPECT_EQ(queue.kept(), 3U);
  EXPECT_EQ(queue.on_room(), 0U);
  std::vector<std::uint64_t> numbers;
  for (int turn = 0; turn < 5; ++turn) {
    for (const Envelope& envelope : take(1)) {
      if (envelope.call != other) numbers.push_back(envelope.call);
    }
    (void)queue.on_room();
  }
  EXPECT_EQ(queue.kept(), 0U);
  EXPECT_TRUE(std::ranges::is_sorted(numbers));
  EXPECT_EQ(reply(1, "again at once"), Fate::sent);
}

TEST_F(ReplyQueueTest, PutsAFailureInThePlaceOfAReplyThatDoesNotFit) {
  fill(1);
  EXPECT_EQ(reply(1, std::string(kMaxBody, 'x')), Fate::kept) << "the largest one fits alone";
  EXPECT_EQ(reply(1, std::string(10'000, 'y')), Fate::replaced);
  std::optional<Envelope> last;
  for (int turn = 0; turn < 5; ++turn) {
    for (const Envelope& envelope : take(1)) last = envelope;
    (void)queue.on_room();
  }
  ASSERT_TRUE(last);
  EXPECT_EQ(last->kind, EnvelopeKind::failure);
  EXPECT_EQ(last->failure, Errc::handler_failed);
  EXPECT_EQ(queue.kept(), 0U);
}

TEST_F(ReplyQueueTest, IsBoundedOverAllCallers) {
  const std::string body(kMaxBody - 1'000, 'x');
  std::uint64_t callers = 0;
  std::size_t kept = 0;
  while (kept < 10) {
    fill(++callers);
    const Fate fate = reply(callers, body);
    if (fate == Fate::replaced) break;
    EXPECT_EQ(fate, Fate::kept);
    ++kept;
  }
  EXPECT_EQ(kept, kKeptReplyTotal / kMaxBody);
}

TEST_F(ReplyQueueTest, DropsBeyondItsNumber) {
  fill(1);
  for (std::size_t i = 0; i < kKeptReplies; ++i) ASSERT_EQ(reply(1, ""), Fate::kept);
  EXPECT_EQ(reply(1, ""), Fate::dropped);
  EXPECT_EQ(reply(2, ""), Fate::sent) << "another caller";
  const auto forgotten = queue.clear();
  ASSERT_EQ(forgotten.size(), 1U);
  EXPECT_EQ(forgotten[0].replies, kKeptReplies);
  EXPECT_EQ(queue.kept(), 0U);
}

TEST_F(ReplyQueueTest, RefusesABodyAboveTheLargest) {
  Envelope envelope;
  envelope.kind = EnvelopeKind::reply;
  const Bytes body(kMaxBody + 1);
  const auto refused =
      queue.send({SendingSide::channel(1), kFirst, {}}, Lane::call, envelope, body);
  EXPECT_EQ(refused.error(), Errc::too_large);
}

}  // namespace
}  // namespace starbus::bus
