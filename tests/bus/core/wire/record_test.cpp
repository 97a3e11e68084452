/// Every kind of record: what is written is read back, and nothing else is accepted.
#include "bus/core/wire/record_admin.hpp"
#include "bus/core/wire/record_moves.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "bus/core/limits.hpp"
#include "tests/bus/core/wire/wire_records.hpp"

namespace starbus::bus {
namespace {

/// Fills every field of a record with arbitrary values that the wire can carry.
class ArbitraryFields {
 public:
  template <class... T>
  void operator()(T&... values) {
    (fill(values), ...);
  }

 private:
  template <std::unsigned_integral T>
  void fill(T& value) {
    value = *rc::gen::arbitrary<T>();
  }
  void fill(bool& value) { value = *rc::gen::arbitrary<bool>(); }
  void fill(std::string& text) {
    text = *rc::gen::resize(300, rc::gen::arbitrary<std::string>());
    text.resize(std::min<std::size_t>(text.size(), kMaxName));
  }
  void fill(Bytes& bytes) {
    for (const std::uint8_t value : *rc::gen::arbitrary<std::vector<std::uint8_t>>()) {
      bytes.push_back(static_cast<std::byte>(value));
    }
  }
  void fill(Epoch& epoch) { fill(epoch.value); }
  void fill(ChannelId& id) { (*this)(id.high, id.low); }
  void fill(Process& process) { (*this)(process.host, process.slot, process.incarnation); }
  void fill(Ticket& ticket) { (*this)(ticket.source, ticket.target, ticket.number); }
  void fill(Lane& lane) {
    lane = *rc::gen::elementOf(std::vector(std::begin(kDataLanes), std::end(kDataLanes)));
  }
  void fill(PartyKind& kind) { kind = *rc::gen::element(PartyKind::process, PartyKind::busd); }
  void fill(Trust& trust) { trust = *rc::gen::element(Trust::client, Trust::server); }
  void fill(NackReason& reason) { reason = static_cast<NackReason>(*rc::gen::inRange(1, 5)); }
  void fill(RowState& state) { state = static_cast<RowState>(*rc::gen::inRange(1, 5)); }
  void fill(ShardChange::What& what) {
    using What = ShardChange::What;
    what = *rc::gen::element(What::put, What::erase, What::erase_range);
  }
  void fill(PostTarget& target) {
    target = *rc::gen::element(PostTarget::mailbox, PostTarget::log);
  }
  void fill(Errc& code) { code = static_cast<Errc>(*rc::gen::arbitrary<std::uint16_t>()); }
  template <class T>
  void fill(std::vector<T>& list) {
    list.resize(*rc::gen::inRange<std::size_t>(0, 5));
    for (T& item : list) {
      if constexpr (requires { item.fields(*this); }) {
        item.fields(*this);
      } else {
        fill(item);
      }
    }
  }
};

template <class Record>
class RecordTest : public testing::Test {
 protected:
  static Bytes payload_of(const Record& record) {
    Bytes bytes;
    encode(record, bytes);
    return {bytes.begin() + kRecordHeader, bytes.end()};
  }
};

using Kinds =
    testing::Types<Hello, Welcome, Reset, Bye, Heartbeat, Probe, Ack, Nack, Open, ProcessUp, Table,
                   TableEnd, ProcessDead, Bind, Attached, Refused, Active, ActiveOk, Unbind,
                   Unbound, Freed, FreedOk, Move, MoveOk, NoMove, Attach, Reclaim, Reclaimed, Moved,
                   State, StateRefused, Watch, Unwatch, WatchRows, WatchRefused, Query, Answer,
                   Resume, Posted, MailOpen, MailOpened, MailItems, MailConsumed, MailAck,
                   MailAcked, MailEnd, ShardTake, ShardRows, ShardMore, ShardGiven, MailAttempts,
                   MailRefused, RowsTaken>;
TYPED_TEST_SUITE(RecordTest, Kinds);

TYPED_TEST(RecordTest, IsReadBackAndNothingShorterOrLonger) {
  const bool held = rc::check([] {
    TypeParam record;
    ArbitraryFields arbitrary;
    record.fields(arbitrary);
    Bytes bytes;
    encode(record, bytes);
    RC_ASSERT(load<std::uint32_t>(bytes.data()) == bytes.size() - sizeof(std::uint32_t));
    RC_ASSERT(static_cast<Kind>(load<std::uint8_t>(bytes.data() + 4)) == TypeParam::kKind);
    const ByteView payload = ByteView(bytes).subspan(kRecordHeader);
    const auto decoded = decode<TypeParam>(payload);
    RC_ASSERT(decoded.has_value());
    Bytes again;
    encode(*decoded, again);
    RC_ASSERT(again == bytes);
    for (std::size_t size = 0; size < payload.size(); ++size) {
      RC_ASSERT(!decode<TypeParam>(payload.first(size)).has_value());
    }
    bytes.push_back({});
    // A newer minor version may append fields to what opens a session, and to nothing else.
    constexpr bool extensible = requires {
      TypeParam::kExtensible;
    };
    RC_ASSERT(decode<TypeParam>(ByteView(bytes).subspan(kRecordHeader)).has_value() == extensible);
  });
  EXPECT_TRUE(held);
}

TYPED_TEST(RecordTest, ChangedAnywhereItIsReadAsWhatItSaysOrRefused) {
  const bool held = rc::check([] {
    TypeParam record;
    ArbitraryFields arbitrary;
    record.fields(arbitrary);
    Bytes bytes;
    encode(record, bytes);
    if (bytes.size() == kRecordHeader) return;
    const auto at = *rc::gen::inRange<std::size_t>(kRecordHeader, bytes.size());
    bytes[at] = static_cast<std::byte>(*rc::gen::arbitrary<std::uint8_t>());
    const auto decoded = decode<TypeParam>(ByteView(bytes).subspan(kRecordHeader));
    if (!decoded) return;
    Bytes again;
    encode(*decoded, again);
    if constexpr (requires { TypeParam::kExtensible; }) {
      // A length that became shorter leaves the rest to be appended fields of a newer version.
      RC_ASSERT(again.size() <= bytes.size());
      bytes.resize(again.size());
      store(again.data(), load<std::uint32_t>(bytes.data()));
    }
    RC_ASSERT(again == bytes);
  });
  EXPECT_TRUE(held);
}

TYPED_TEST(RecordTest, HasAName) {
  EXPECT_NE(name_of(TypeParam::kKind), "unknown");
}

template <class Record>
Bytes payload_of(const Record& record) {
  Bytes bytes;
  encode(record, bytes);
  return {bytes.begin() + kRecordHeader, bytes.end()};
}

template <class Record>
void expect_refused(const Bytes& payload) {
  const auto decoded = decode<Record>(payload);
  ASSERT_FALSE(decoded);
  EXPECT_EQ(decoded.error(), Errc::bad_bytes);
}

TEST(Records, RefuseUnknownEnumerators) {
  for (const int value : {0, 4, 255}) {
    Bytes probe = payload_of(Probe{});
    probe[0] = static_cast<std::byte>(value);
    expect_refused<Probe>(probe);
  }
  for (const int value : {0, 3, 255}) {
    Bytes hello = payload_of(Hello{});
    hello[1] = static_cast<std::byte>(value);
    expect_refused<Hello>(hello);
  }
  constexpr std::size_t kReasonAt = 1 + 16 + 16 + 8;
  for (const int value : {0, 5, 255}) {
    Bytes nack = payload_of(Nack{});
    nack[kReasonAt] = static_cast<std::byte>(value);
    expect_refused<Nack>(nack);
  }
  for (const int value : {0, 4, 255}) {
    Bytes table = payload_of(Table{{}, {Row{}}});
    table.back() = static_cast<std::byte>(value);
    expect_refused<Table>(table);
  }
  Bytes rows = payload_of(WatchRows{"", false, false, {}});
  rows[1] = std::byte{2};  // neither true nor false
  expect_refused<WatchRows>(rows);
}

TEST(Records, TakeAReasonOfANewerPeer) {
  const auto decoded = decode<Reset>(payload_of(Reset{static_cast<Errc>(9999), "later"}));
  ASSERT_TRUE(decoded);
  EXPECT_EQ(name_of(decoded->reason), "unknown");
}

TEST(Records, RefuseAListThatLiesAboutItsCount) {
  for (const std::uint32_t count : {1U, 0xffffU, 0xffff'ffffU}) {
    Bytes table = payload_of(Table{});
    store(table.data() + table.size() - 4, count);
    expect_refused<Table>(table);
    Bytes rows = payload_of(WatchRows{});
    store(rows.data() + rows.size() - 4, count);
    expect_refused<WatchRows>(rows);
    Bytes answer = payload_of(Answer{});
    store(answer.data() + answer.size() - 4, count);
    expect_refused<Answer>(answer);
  }
}

TEST(Records, CostNoMoreMemoryThanTheirBytesDeserve) {
  // A megabyte of zeros that claims to be a million rows: refused at the first bad row.
  Bytes table = payload_of(Table{});
  store(table.data() + table.size() - 4, std::uint32_t{1'000'000});
  table.resize(table.size() + 1'000'000);
  expect_refused<Table>(table);
}

TEST(Records, BoundTheListsOfARole) {
  Welcome welcome;
  welcome.bind_prefixes.assign(kMaxAclPrefixes, "");
  EXPECT_TRUE(decode<Welcome>(payload_of(welcome)));
  welcome.bind_prefixes.emplace_back();
  expect_refused<Welcome>(payload_of(welcome));
}

TEST(Records, CutFreeTextAtItsLength) {
  const auto decoded = decode<Reset>(payload_of(Reset{Errc::denied, std::string(300, 'x')}));
  ASSERT_TRUE(decoded);
  EXPECT_EQ(decoded->detail.size(), 255u);
}

}  // namespace
}  // namespace starbus::bus
