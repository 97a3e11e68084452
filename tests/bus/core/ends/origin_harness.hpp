/// An origin with a recorded life: virtual time, and what it puts on the link, record by record.
#pragma once

#include "bus/core/origin/origin.hpp"
#include "tests/bus/core/wire/wire_records.hpp"

namespace starbus::bus {

class SendingSide : public OriginEvents {
 public:
  struct Failure {
    Token token;
    std::uint64_t seq;
    Errc reason;
    bool sent;
    friend bool operator==(const Failure&, const Failure&) = default;
  };

  SendingSide() { origin.set_now(now_); }

  Origin origin{*this};
  std::vector<Token> acknowledged;
  std::vector<Failure> failures;
  int rooms = 0;
  std::function<void()> when_room;

  static ChannelId channel(std::uint64_t n) { return {n, n}; }
  static Lineage lineage(std::uint64_t n) { return Epoch::of(1, n); }

  Result<std::uint64_t> try_send(std::uint64_t to, std::string_view body, Token token = 0,
                                 Lineage hint = {}, Time expires = {}, Lane lane = Lane::call) {
    return origin.send({channel(to), hint, {}}, lane, {}, as_bytes(body), token, expires);
  }
  std::uint64_t send(std::uint64_t to, std::string_view body, Token token = 0, Lineage hint = {},
                     Time expires = {}, Lane lane = Lane::call) {
    const auto seq = try_send(to, body, token, hint, expires, lane);
    EXPECT_TRUE(seq) << seq.error().to_string();
    return seq ? *seq : 0;
  }

  /// Everything that is ready in the lane.
  std::vector<WireRecord> pull(Lane lane = Lane::call) {
    Bytes out;
    while (origin.ready(lane)) origin.fill_bundle(lane, 32 * 1024, out);
    return cut_records(out);
  }
  /// The messages of everything that is ready; fails if anything but DATA is.
  std::vector<WireMessage> pull_messages(Lane lane = Lane::call) {
    std::vector<WireMessage> messages;
    for (const WireRecord& record : pull(lane)) {
      EXPECT_EQ(name_of(record.kind), "data");
      const auto run = decode_run(record.payload);
      EXPECT_TRUE(run);
      if (!run) continue;
      for (WireMessage& message : messages_of(*run)) messages.push_back(std::move(message));
    }
    return messages;
  }
  /// Sequence of the one PROBE that is ready; 0 if nothing is.
  std::uint64_t pull_probe(Lane lane = Lane::call) {
    const auto records = pull(lane);
    if (records.empty()) return 0;
    EXPECT_EQ(records.size(), 1u);
    return read_record<Probe>(records[0]).seq;
  }

  void ack(std::uint64_t from, std::uint64_t last, Lineage of = lineage(1),
           Lane lane = Lane::call) {
    origin.on_ack({lane, {}, channel(from), of, last});
  }
  void nack(std::uint64_t from, NackReason reason, std::uint64_t seq, std::uint64_t last = 0,
            Lineage of = {}, Lane lane = Lane::call) {
    origin.on_nack({lane, {}, channel(from), seq, reason, of, last});
  }
  /// There is no owner: said for this message, and for the question that follows if it had left.
  void no_owner(std::uint64_t from, std::uint64_t seq, Lane lane = Lane::call) {
    nack(from, NackReason::no_owner, seq, 0, {}, lane);
    for (const WireMessage& message : pull_messages(lane)) {
      if (message.seq <= Succession::kFirstQuestion) continue;
      nack(from, NackReason::no_owner, message.seq, 0, {}, lane);
    }
  }
  /// Ticks every 10 ms.
  void pass(std::uint64_t ms) { pass(from_ms(ms)); }
  void pass(Time time) {
    for (Time spent{}; spent < time; spent += 10ms) origin.tick(now_ += 10ms);
  }
  /// One tick, so much later.
  void jump(Time time) { origin.tick(now_ += time); }
  Time now() const { return now_; }

 private:
  void on_acknowledged(Token token) override { acknowledged.push_back(token); }
  void on_failed(Token token, const ChannelId&, Lane, std::uint64_t seq, Errc reason,
                 bool sent) override {
    failures.push_back({token, seq, reason, sent});
  }
  void on_room() override {
    ++rooms;
    if (when_room) when_room();
  }

  Time now_ = from_ms(1'000);
};

inline void PrintTo(const SendingSide::Failure& failure, std::ostream* out) {
  *out << "token " << failure.token << " seq " << failure.seq << " " << name_of(failure.reason)
       << (failure.sent ? " sent" : " unsent");
}

/// Two lives of an owner.
inline const Lineage kFirst = SendingSide::lineage(1);
inline const Lineage kSecond = SendingSide::lineage(2);

}  // namespace starbus::bus
