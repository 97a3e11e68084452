// The bytes of sessions, and what decoders do with others.
#include "entity/client/words.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/hex.hpp"
#include "tests/entity/client/fixture.hpp"

namespace starbus::entity::sessions {
namespace {

using namespace fixture;

template <class T>
std::string hex(const T& word) {
  bus::Bytes bytes;
  encode(word, bytes);
  return hex_of(bus::as_text(bytes));
}
bus::Bytes from_hex(std::string_view text) {
  const std::string bytes = bytes_of_hex(text).value();
  const bus::ByteView view = bus::as_bytes(bytes);
  return {view.begin(), view.end()};
}

const std::string kSessionHex =
    "0100000000000000"
    "0200000000000000";
const std::string kGateHex =
    "06"
    "676174652f61"
    "010203";
const GateId kGateA{"gate/a", {1, 2, 3}};

TEST(SessionWords, HaveGoldenBytes) {
  const SessionId session{1, 2};
  const Closing closing{9, 300, {5, 6}, {299, 300}};
  const std::string closing_hex =
      "01"
      "09"
      "ac02"
      "0506"
      "02"
      "ab02"
      "ac02";
  const std::pair<ToSubject, std::string> golden[] = {
      {SetLink{session, kGateA, 4, {5, 6}, 9, "account/a", {7, 8}, closing},
       "c1" + kSessionHex + kGateHex +
           "04"
           "0506"
           "09"
           "09"
           "6163636f756e742f61"
           "0700000000000000"
           "0800000000000000" +
           closing_hex},
      {Unlink{{5, 6}, Reason::switched},
       "c2"
       "0506"
       "02"},
      {Relink{session, {5, 6}, 4, kGateA, {{{1, 0}, {0, 2}}}}, "c3" + kSessionHex +
                                                                   "0506"
                                                                   "04" +
                                                                   kGateHex +
                                                                   "01"
                                                                   "0100000000000000"
                                                                   "0000000000000000"
                                                                   "0000000000000000"
                                                                   "0200000000000000"},
      {Resync{session, 4, {5, 6}, {7, 8}, 300}, "c4" + kSessionHex +
                                                    "04"
                                                    "0506"
                                                    "0708"
                                                    "ac02"},
      {Pulse{session, 4, {5, 6}, {7, 8}, 300}, "c5" + kSessionHex +
                                                   "04"
                                                   "0506"
                                                   "0708"
                                                   "ac02"},
      {Credit{session, {5, 6}, {7, 8}, 3, 300}, "c6" + kSessionHex +
                                                    "0506"
                                                    "0708"
                                                    "03"
                                                    "ac02"},
      {ClientGone{session, {5, 6}}, "c7" + kSessionHex + "0506"},
      {Unknown{session, 4}, "c8" + kSessionHex + "04"},
      {Request{session, 4, {5, 6}, 3, *bytes_of("hi")}, "c9" + kSessionHex +
                                                            "04"
                                                            "0506"
                                                            "03"
                                                            "026869"},
  };
  for (const auto& [word, bytes] : golden) {
    EXPECT_EQ(hex(word), bytes);
    const auto read = decode_to_subject(from_hex(bytes));
    ASSERT_TRUE(read) << bytes;
    EXPECT_TRUE(*read == word) << bytes;
  }
  EXPECT_EQ(hex(Answer{AnswerKind::refused, {5, 6}, {7, 8}, 3, 4, kGateA, {}}),
            "ca"
            "04"
            "0506"
            "0708"
            "03"
            "04" +
                kGateHex + "00");
  EXPECT_EQ(hex(ToAccount(Left{session, {5, 6}, "p/1", Reason::away, closing})),
            "cb" + kSessionHex +
                "0506"
                "03"
                "702f31"
                "03" +
                closing_hex.substr(2));
  EXPECT_EQ(hex(ToAccount(LinkLost{"p/1"})),
            "cc"
            "03"
            "702f31");
  EXPECT_EQ(hex(ToGate(Bound{session, {5, 6}, "p/1"})), "ce" + kSessionHex +
                                                            "0506"
                                                            "03"
                                                            "702f31");
  EXPECT_EQ(hex(ToGate(End{session, {5, 6}, Reason::replaced, {}})), "cf" + kSessionHex +
                                                                         "0506"
                                                                         "01"
                                                                         "00");
}

TEST(SessionWords, ABundleHasEachBodyOnceAndIntroducesHandles) {
  const Body hello = bytes_of("hi");
  std::vector<Section> sections(2);
  sections[0] = {7, Introduction{{1, 2}, 4, {5, 6}, {7, 8}, "p/1"}, 2, {{PartKind::call, hello}}};
  sections[1] = {300, std::nullopt, 9, {{PartKind::news, bytes_of("x")}, {PartKind::call, hello}}};
  bus::Bytes bytes;
  encode_bundle(sections, bytes);
  EXPECT_EQ(hex_of(bus::as_text(bytes)),
            "c0"
            "02"
            "026869"
            "0178"
            "02"
            "0f" +
                kSessionHex +
                "04"
                "0506"
                "0708"
                "03"
                "702f31"
                "02"
                "01"
                "0200"
                "d804"
                "09"
                "02"
                "0301"
                "0200");
  const auto read = decode_bundle(bytes);
  ASSERT_TRUE(read);
  ASSERT_EQ(read->size(), 2U);
  EXPECT_EQ((*read)[0].introduces, sections[0].introduces);
  EXPECT_EQ((*read)[1].handle, 300U);
  EXPECT_EQ((*read)[1].parts[1].body, (*read)[0].parts[0].body);
}

TEST(SessionWords, CutOrForgedBytesAreRefused) {
  bus::Bytes bytes;
  encode(ToSubject(SetLink{{1, 2}, kGateA, 4, {5, 6}, 9, "account/a", {7, 8}, Closing{}}), bytes);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(decode_to_subject(bus::ByteView(bytes).first(size))) << size;
  }
  bytes.push_back(std::byte{0});
  EXPECT_EQ(decode_to_subject(bytes).error(), DataErrc::trailing);
  EXPECT_FALSE(decode_to_subject(from_hex("ca")));
  EXPECT_FALSE(
      decode_to_subject(from_hex("c2"
                                 "0506"
                                 "07")));  // no such reason
  // A full state that is not the first of its run, and a run that begins with something else.
  EXPECT_FALSE(
      decode_bundle(from_hex("c0"
                             "01"
                             "00"
                             "01"
                             "02"
                             "02"
                             "01"
                             "0100")));
  EXPECT_FALSE(
      decode_bundle(from_hex("c0"
                             "01"
                             "00"
                             "01"
                             "02"
                             "01"
                             "01"
                             "0200")));
  EXPECT_TRUE(
      decode_bundle(from_hex("c0"
                             "01"
                             "00"
                             "01"
                             "02"
                             "01"
                             "01"
                             "0100")));
  // A body that is not there.
  EXPECT_FALSE(
      decode_bundle(from_hex("c0"
                             "01"
                             "00"
                             "01"
                             "02"
                             "01"
                             "01"
                             "0101")));
}

TEST(SessionWords, BodiesComeBackAsTheyWere) {
  const FullState full{"p/1", {1, 2}, {3, 4}, 5, {4, 5}, {"guild"}, *bytes_of("state")};
  EXPECT_EQ(*decode_full(*body_of(full)), full);
  const Reply reply{3, *bytes_of("ok")};
  EXPECT_EQ(*decode_reply(*body_of(reply)), reply);
  const Idle idle{bus::Process{1, 2, 3}};
  EXPECT_EQ(*decode_idle(*body_of(idle)), idle);
  const Over over{Reason::away, {1, 2, {3, 4}, {2}}};
  EXPECT_EQ(*decode_over(*body_of(over)), over);
}

TEST(SessionWords, APassIsKnownByItsSealAlone) {
  EXPECT_EQ(seal_of(kPass1), seal_of(kPass1));
  EXPECT_NE(seal_of(kPass1), seal_of(kPass2));
  EXPECT_NE(client_number(kSession, {1, 2}), client_number(kSession, {1, 3}));
  EXPECT_NE(client_number(kSession, {1, 2}), client_number(kOther, {1, 2}));
}

TEST(SessionWords, ToAccountsThatAnswerHaveGoldenBytes) {
  const SessionId session{1, 2};
  const std::pair<AskAccount, std::string> golden[] = {
      {Prove{}, "d1"},
      {BindSession{session, kGateA, 4, {7, 8}, *bytes_of("hi")}, "d2" + kSessionHex + kGateHex +
                                                                     "04"
                                                                     "0700000000000000"
                                                                     "0800000000000000"
                                                                     "026869"},
      {Where{session, {5, 6}}, "d3" + kSessionHex + "0506"},
      {Relink{session, {5, 6}, 4, kGateA, {}},
       "d4" + kSessionHex + "0506" + "04" + kGateHex + "00"},
  };
  for (const auto& [word, bytes] : golden) {
    EXPECT_EQ(hex(word), bytes);
    const auto read = decode_ask_account(from_hex(bytes));
    ASSERT_TRUE(read) << bytes;
    EXPECT_TRUE(*read == word) << bytes;
  }
  const AccountAnswer answer{AccountAnswerKind::bound, {5, 6}, "p/1", 9, 4, kGateA};
  const std::string bytes =
      "d501"
      "0506"
      "03702f31"
      "09"
      "04" +
      kGateHex;
  EXPECT_EQ(hex(answer), bytes);
  EXPECT_TRUE(decode_account_answer(from_hex(bytes)).value() == answer);
  EXPECT_FALSE(decode_account_answer(from_hex("d506")));
}

Key any_key() {
  return {*rc::gen::arbitrary<std::uint64_t>(), *rc::gen::arbitrary<std::uint64_t>()};
}
Bind any_bind() {
  return {*rc::gen::arbitrary<std::uint64_t>(), *rc::gen::arbitrary<std::uint64_t>()};
}
GateId any_gate() {
  const std::string name = *rc::gen::container<std::string>(rc::gen::inRange('a', 'z'));
  return {"gate/" + name.substr(0, 200),
          {*rc::gen::arbitrary<std::uint32_t>(), *rc::gen::arbitrary<std::uint32_t>(),
           *rc::gen::arbitrary<std::uint64_t>()}};
}

/// What is said to accounts and by them comes back as it was, whole, and in no other form.
RC_GTEST_PROP(SessionWordsProperty, WhatAccountsHearAndSayComesBack, ()) {
  const auto turn = *rc::gen::arbitrary<std::uint32_t>();
  std::vector<Pass> passes(*rc::gen::inRange<std::size_t>(0, kRelinkChain + 1));
  for (Pass& pass : passes) pass = {any_key(), any_key()};
  const AskAccount asks[] = {
      BindSession{any_key(), any_gate(), turn, any_key(),
                  bus::Bytes(*rc::gen::inRange<std::size_t>(0, kTicketBytes + 1))},
      Where{any_key(), any_bind()}, Relink{any_key(), any_bind(), turn, any_gate(), passes}};
  for (const AskAccount& word : asks) {
    bus::Bytes bytes;
    encode(word, bytes);
    RC_ASSERT(decode_ask_account(bytes).value() == word);
    const std::size_t cut = *rc::gen::inRange<std::size_t>(0, bytes.size());
    RC_ASSERT(!decode_ask_account(bus::ByteView(bytes).first(cut)));
  }
  const AccountAnswer answer{static_cast<AccountAnswerKind>(*rc::gen::inRange(0, 6)),
                             any_bind(),
                             "player/" + std::to_string(turn),
                             any_bind().epoch,
                             turn,
                             any_gate()};
  bus::Bytes bytes;
  encode(answer, bytes);
  RC_ASSERT(decode_account_answer(bytes).value() == answer);
}

TEST(SessionWords, ATicketIsBounded) {
  BindSession word{{1, 2}, kGateA, 4, {7, 8}, bus::Bytes(kTicketBytes)};
  bus::Bytes bytes;
  encode(AskAccount(word), bytes);
  EXPECT_TRUE(decode_ask_account(bytes));
  word.ticket.resize(kTicketBytes + 1);
  bytes.clear();
  encode(AskAccount(word), bytes);
  EXPECT_EQ(decode_ask_account(bytes).error(), DataErrc::too_large);
}

}  // namespace
}  // namespace starbus::entity::sessions
