/// An owner of one channel, with what it handles and what it answers as text. One thread.
#pragma once

#include <gmock/gmock.h>

#include "bus/core/ends/owner.hpp"
#include "tests/bus/core/wire/wire_records.hpp"

namespace starbus::bus {

inline const ChannelId kChannel{7, 7};
inline const Process kAlice{1, 1, 1};
inline const Process kBob{1, 2, 1};
inline const Lineage kLife = Epoch::of(1, 5);
inline const Lineage kNextLife = Epoch::of(1, 6);

class OwnerTest : public testing::Test {
 protected:
  OwnerTest() { owner.activate(kChannel, kLife, kLife, 42); }

  /// A run of single-letter messages that follow each other.
  void data(std::uint64_t prev, std::uint64_t seq, std::string_view letters,
            const Process& origin = kAlice, Lineage lineage = kLife, Lane lane = Lane::call) {
    Bytes items;
    Writer writer(items);
    for (const char& letter : letters) {
      writer.put(letter == '-' ? kTombstone : 1U);
      writer.put(&letter == letters.data() ? 0U : 1U);
      if (letter != '-') writer.bytes(as_bytes({&letter, 1}));
    }
    bus::Run run{
        lane, static_cast<std::uint16_t>(letters.size()), origin, kChannel, lineage, prev, seq,
        items};
    owner.on_run(run);
  }
  void probe(std::uint64_t seq, const Process& origin = kAlice) {
    owner.on_probe({Lane::call, origin, kChannel, seq});
  }
  /// What was answered since the last call: "ack 3", "gap 3", "lineage 1.6".
  std::vector<std::string> answers() {
    owner.flush_acks();
    return std::exchange(said, {});
  }

  std::string handled;
  std::vector<std::string> said;
  std::function<void(const Delivery&)> when_handled;
  std::function<void(const Nack&)> when_nack;
  Owner owner{[this](std::uint64_t cookie, const Delivery& delivery) {
                EXPECT_EQ(cookie, 42u);
                handled += as_text(delivery.body);
                if (when_handled) when_handled(delivery);
              },
              [this](ByteView bytes) {
                for (const WireRecord& record : cut_records(bytes)) note(record);
              }};

 private:
  void note(const WireRecord& record) {
    if (record.kind == Kind::ack) {
      const Ack ack = read_record<Ack>(record);
      EXPECT_EQ(ack.channel, kChannel);
      EXPECT_TRUE(ack.lineage);
      said.push_back("ack " + std::to_string(ack.last));
      return;
    }
    const Nack nack = read_record<Nack>(record);
    if (when_nack) when_nack(nack);
    said.push_back(nack.reason == NackReason::gap ? "gap " + std::to_string(nack.last)
                                                  : "lineage " + nack.lineage.to_string());
  }
};

}  // namespace starbus::bus
