/// One session: numbering, chunks, the link clock, heartbeats, and what ends it.
#include "bus/core/session.hpp"

#include <gmock/gmock.h>

#include "tests/bus/core/session_harness.hpp"

namespace starbus::bus {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

TEST(Session, KeepsTheOrderWithinALane) {
  SessionPair pair;
  for (std::uint64_t n = 0; n < 1000; ++n) pair.a.queue(Lane::call, n, 100 + n % 900);
  pair.settle();
  ASSERT_THAT(pair.b.seen, SizeIs(1000));
  for (std::uint64_t n = 0; n < 1000; ++n) EXPECT_EQ(pair.b.seen[n].number, n);
}

TEST(Session, NeverExceedsTheLinkClock) {
  SessionPair pair;
  for (std::uint64_t n = 0; n < 110; ++n) {
    pair.a.queue(Lane::bulk, n, kChunk);
    pair.a.queue(Lane::control, n, 50'000);
  }
  for (int i = 0; i < 10; ++i) pair.a.pump();
  EXPECT_LE(pair.a.most_in_flight, kLinkClock);
  EXPECT_GT(pair.a.most_in_flight, kLinkClock / 2);
  EXPECT_FALSE(pair.a.session.may_send());
  EXPECT_LE(pair.a.largest_bundle, kMaxBundle);
  pair.settle();
  EXPECT_THAT(pair.b.seen, SizeIs(220));
  EXPECT_LE(pair.a.most_in_flight, kLinkClock);
}

TEST(Session, CutsTheLargestRecordIntoChunks) {
  SessionPair pair;
  pair.a.queue(Lane::bulk, 1, kMaxRecord);
  pair.settle();
  ASSERT_THAT(pair.b.seen, SizeIs(1));
  EXPECT_EQ(pair.b.seen[0].size, kMaxRecord);
  EXPECT_LE(pair.a.largest_bundle, 2 * kChunk);
  EXPECT_LE(pair.a.most_in_flight, kLinkClock);
}

TEST(Session, AChunkedRecordHoldsUpNoOtherLane) {
  SessionPair pair;
  pair.a.queue(Lane::bulk, 1, 4'000'000);
  pair.a.pump();
  pair.a.queue(Lane::control, 2, 100);
  pair.a.queue(Lane::call, 3, 100);
  pair.settle();
  ASSERT_THAT(pair.b.seen, SizeIs(3));
  EXPECT_EQ(pair.b.seen[0].number, 2u);
  EXPECT_EQ(pair.b.seen[1].number, 3u);
}

TEST(Session, BothDirectionsFullDoNotWaitForEachOther) {  // F12
  SessionPair pair;
  for (std::uint64_t n = 0; n < 100; ++n) {
    pair.a.queue(Lane::call, n, 60'000);
    pair.b.queue(Lane::call, n, 60'000);
  }
  pair.a.pump();
  pair.b.pump();
  EXPECT_FALSE(pair.a.session.may_send());
  EXPECT_FALSE(pair.b.session.may_send());
  pair.settle();
  EXPECT_THAT(pair.a.seen, SizeIs(100));
  EXPECT_THAT(pair.b.seen, SizeIs(100));
}

TEST(Session, NothingLeavesBeforeTheIdIsKnown) {
  SessionEnd a(77);
  SessionEnd b(0);
  b.session.tick(2 * kHeartbeat);
  b.pump();
  EXPECT_THAT(b.pipe, IsEmpty());
  a.session.say(Bye{});
  a.pump();
  ASSERT_TRUE(b.take_from(a));
  b.pump();
  ASSERT_THAT(b.pipe, SizeIs(1));
  EXPECT_TRUE(a.take_from(b));
  EXPECT_EQ(a.session.counters().foreign_bundles, 0u);
  EXPECT_EQ(b.session.id(), 77u);
}

TEST(Session, DiscardsTheBundlesOfAnotherSession) {
  SessionPair pair;
  SessionEnd stale(76);
  stale.queue(Lane::call, 1, 100);
  stale.pump();
  EXPECT_TRUE(pair.b.take_from(stale));
  EXPECT_THAT(pair.b.seen, IsEmpty());
  EXPECT_EQ(pair.b.session.counters().foreign_bundles, 1u);
  pair.a.queue(Lane::call, 2, 100);
  pair.settle();
  EXPECT_THAT(pair.b.seen, SizeIs(1)) << "the session goes on";
}

/// A handler that has had enough gets the rest of the bundle when it is given again, and the peer
/// hears that the bundle is consumed at its end.
TEST(SessionParts, ABundleIsTakenInParts) {
  struct Picky final : RecordHandler {
    std::size_t records = 0;
    bool has_enough = true;
    Result<> on_record(Kind, ByteView) override {
      ++records;
      return {};
    }
    bool enough() override { return has_enough; }
  };
  SessionPair pair;
  pair.a.queue(Lane::call, 0, 100);
  pair.settle();
  for (std::uint64_t n = 1; n <= 3; ++n) pair.a.queue(Lane::call, n, 100);
  pair.a.pump();
  ASSERT_THAT(pair.a.pipe, SizeIs(1));
  const Bytes bundle = std::move(pair.a.pipe.front());
  pair.a.pipe.clear();
  Picky picky;
  Session& session = pair.b.session;
  const auto before = session.counters();
  for (std::size_t part = 1; part <= 2; ++part) {
    ASSERT_TRUE(session.receive(bundle, {}, picky));
    EXPECT_TRUE(session.unfinished());
    EXPECT_EQ(picky.records, part);
  }
  picky.has_enough = false;
  ASSERT_TRUE(session.receive(bundle, {}, picky));
  EXPECT_FALSE(session.unfinished());
  EXPECT_EQ(picky.records, 3u);
  EXPECT_EQ(session.counters().bundles_in, before.bundles_in + 1);
  EXPECT_EQ(session.counters().bytes_in, before.bytes_in + bundle.size());
  pair.a.queue(Lane::call, 4, 100);
  pair.settle();
  EXPECT_EQ(pair.b.seen.back().number, 4u) << "the next bundle is the next";
}

class BadBundle : public testing::Test {
 protected:
  /// A bundle of session 77 with this content.
  static Bytes bundle(std::uint64_t number, std::uint64_t consumed, ByteView records = {},
                      std::uint64_t id = 77) {
    Bytes bytes(kBundleHeaderSize);
    bytes.insert(bytes.end(), records.begin(), records.end());
    seal_bundle(bytes, id, number, consumed);
    return bytes;
  }
  void expect_refused(const Bytes& bytes) {
    const auto result = end.session.receive(bytes, {}, end);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error(), Errc::bad_bytes);
  }
  void expect_refused_records(const Bytes& records) { expect_refused(bundle(1, 0, records)); }
  static Bytes chunk(bool first, bool last, std::uint32_t total, std::size_t size,
                     Kind kind = Kind::query) {
    Bytes piece(size);
    if (first && size > 0) piece[0] = static_cast<std::byte>(kind);
    Bytes out;
    encode_chunk({Lane::bulk, first, last, total, piece}, out);
    return out;
  }
  SessionEnd end{0};
};

TEST_F(BadBundle, OutOfOrder) {
  expect_refused(bundle(2, 0));
}

TEST_F(BadBundle, Repeated) {
  ASSERT_TRUE(end.session.receive(bundle(1, 0), {}, end));
  expect_refused(bundle(1, 0));
}

TEST_F(BadBundle, OfSessionZero) {
  expect_refused(bundle(1, 0, {}, 0));
}

TEST_F(BadBundle, ConsumedMoreThanWasSent) {
  expect_refused(bundle(1, 1));
}

TEST_F(BadBundle, ConsumedLessThanBefore) {
  SessionPair pair;
  pair.a.queue(Lane::call, 1, 100);
  pair.settle();
  const auto out = pair.a.session.counters().bytes_out;
  ASSERT_TRUE(pair.a.session.receive(bundle(1, out), {}, pair.a));
  EXPECT_EQ(pair.a.session.receive(bundle(2, out - 1), {}, pair.a).error(), Errc::bad_bytes);
}

TEST_F(BadBundle, TornRecord) {
  expect_refused_records(Bytes(4));
}

TEST_F(BadBundle, RecordBeyondItsBundle) {
  Bytes records(6);
  store(records.data(), std::uint32_t{3});
  expect_refused_records(records);
  store(records.data(), ~std::uint32_t{0});
}

TEST_F(BadBundle, RecordWithoutKind) {
  expect_refused_records(Bytes(5));
}

TEST_F(BadBundle, ChunkThatContinuesNothing) {
  expect_refused_records(chunk(false, false, 0, 10));
}

TEST_F(BadBundle, ChunksBeyondTheirRecord) {
  expect_refused_records(chunk(true, false, 9, 10));
}

TEST_F(BadBundle, LastChunkTooEarly) {
  expect_refused_records(chunk(true, true, 11, 10));
}

TEST_F(BadBundle, CompleteButNotLast) {
  expect_refused_records(chunk(true, false, 10, 10));
}

TEST_F(BadBundle, ChunkOfMoreThanTheLargestRecord) {
  expect_refused_records(chunk(true, false, kMaxRecord + 1, 10));
}

TEST_F(BadBundle, ChunkWithinAChunk) {
  expect_refused_records(chunk(true, true, 10, 10, Kind::chunk));
}

TEST_F(BadBundle, SecondFirstChunk) {
  Bytes records = chunk(true, false, 30, 10);
  const Bytes second = chunk(true, false, 30, 10);
  records.insert(records.end(), second.begin(), second.end());
  expect_refused_records(records);
}

TEST_F(BadBundle, MalformedHeartbeat) {
  Bytes records;
  encode(Heartbeat{1, 2, 3}, records);
  records.push_back({});
  store(records.data(), load<std::uint32_t>(records.data()) + 1);
  expect_refused_records(records);
}

TEST(SessionTime, HeartbeatsMeasureTheRoundTrip) {
  SessionPair pair;
  Time now = from_ms(1'000);
  for (int beat = 0; beat < 20; ++beat) {
    pair.a.session.tick(now);
    pair.a.pump();
    now += from_ms(30);  // there
    while (!pair.a.pipe.empty()) ASSERT_TRUE(pair.b.take_from(pair.a, now));
    now += from_ms(200);  // the peer's own beat is due at another time
    pair.b.session.tick(now);
    pair.b.pump();
    now += from_ms(30);  // and back
    while (!pair.b.pipe.empty()) ASSERT_TRUE(pair.a.take_from(pair.b, now));
    now += from_ms(740);
  }
  EXPECT_EQ(pair.a.session.round_trip(), from_ms(60));
  EXPECT_EQ(pair.a.session.silence(now), from_ms(740));
}

TEST(SessionTime, SpeaksAtLeastOncePerHeartbeat) {
  SessionPair pair;
  int beats = 0;
  for (Time now{}; now <= 10 * kHeartbeat; now += 100ms) {
    pair.a.session.tick(now);
    pair.settle(now);
  }
  beats = static_cast<int>(pair.b.session.counters().records_in) - 1;
  EXPECT_EQ(beats, 11) << "the first at once: it renews a lease";
}

TEST(SessionTime, TheFirstHeartbeatIsAnsweredAtTheNextTick) {
  SessionPair pair;
  pair.a.session.tick(from_ms(100));  // a has connected
  pair.settle(from_ms(100));
  pair.b.session.tick(from_ms(200));
  pair.settle(from_ms(200));
  EXPECT_EQ(pair.a.session.echoed(), from_ms(100));
}

TEST(SessionTime, AStuckLinkKeepsOneHeartbeatOnly) {
  SessionPair pair;
  for (std::uint64_t n = 0; n < 20; ++n) pair.a.queue(Lane::bulk, n, 60'000);
  pair.a.pump();
  const std::uint64_t before = pair.b.session.counters().records_in;
  for (Time now{}; now < 60 * kHeartbeat; now += 100ms) {
    pair.a.session.tick(now);
    pair.a.pump();
  }
  pair.settle(60 * kHeartbeat);
  EXPECT_EQ(pair.b.session.counters().records_in - before, 21u);
}

TEST(SessionTime, AHeartbeatFromTheFutureIsNoRoundTrip) {
  SessionPair pair;
  pair.b.session.say(Heartbeat{5, 1'000'000, 0});
  pair.b.session.say(Heartbeat{5, ~std::uint64_t{0}, 5});
  pair.settle(from_ms(0));
  EXPECT_EQ(pair.a.session.round_trip(), Time{});
}

}  // namespace
}  // namespace starbus::bus
