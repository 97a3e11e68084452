/// Two sessions joined by a pipe that delays, and sources that write numbered records.
#pragma once

#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <vector>

#include "bus/core/session.hpp"
#include "tests/bus/core/wire/wire_records.hpp"

namespace starbus::bus {

/// One end: a session, the queues that it sends from, and what it received. Test records are
/// `query` records without meaning: the first payload byte is the lane, the next eight a number.
class SessionEnd : public RecordHandler {
 public:
  explicit SessionEnd(std::uint64_t id, Time now = {}) : session(id, now) {}

  struct Seen {
    Lane lane;
    std::uint64_t number;
    std::size_t size;
  };

  Session session;
  SourceQueues queues;
  std::deque<Bytes> pipe;  // bundles on their way to the peer
  std::vector<Seen> seen;
  std::size_t largest_bundle = 0;
  std::uint64_t most_in_flight = 0;

  /// Queues a record of `size` bytes, all in all.
  void queue(Lane lane, std::uint64_t number, std::size_t size, std::uint64_t source = 1) {
    ASSERT_GE(size, kRecordHeader + 9);
    Bytes payload(size - kRecordHeader);
    store(payload.data(), static_cast<std::uint8_t>(lane));
    store(payload.data() + 1, number);
    ASSERT_TRUE(queues.push(lane, source, Kind::query, payload, Time{}));
  }
  void pump() {
    session.send_bundles(
        queues, [] { return Bytes{}; },
        [this](Bytes bundle) {
          largest_bundle = std::max(largest_bundle, bundle.size());
          pipe.push_back(std::move(bundle));
        });
    most_in_flight = std::max(most_in_flight, session.in_flight());
  }
  /// Takes the next bundle from the peer's pipe.
  Result<> take_from(SessionEnd& peer, Time now = {}) {
    const Bytes bundle = std::move(peer.pipe.front());
    peer.pipe.pop_front();
    session.trust();
    return session.receive(bundle, now, *this);
  }

  Result<> on_record(Kind kind, ByteView payload) override {
    if (kind != Kind::query) return {};
    seen.push_back({static_cast<Lane>(load<std::uint8_t>(payload.data())),
                    load<std::uint64_t>(payload.data() + 1), kRecordHeader + payload.size()});
    return {};
  }
};

struct SessionPair {
  SessionEnd a{77};
  SessionEnd b{0};

  SessionPair() {  // b learns the id
    a.session.say(Bye{});
    a.pump();
    EXPECT_TRUE(b.take_from(a));
  }
  static void moved(const Result<>& result) { EXPECT_TRUE(result); }
  /// Until nothing moves any more.
  void settle(Time now = {}) {
    a.pump();
    b.pump();
    while (!a.pipe.empty() || !b.pipe.empty()) {
      if (!a.pipe.empty()) moved(b.take_from(a, now));
      if (!b.pipe.empty()) moved(a.take_from(b, now));
      a.pump();
      b.pump();
    }
  }
};

}  // namespace starbus::bus
