/// The sending side of durable channels: released by results alone, patient while nobody is there.
#include <gmock/gmock.h>

#include "tests/bus/core/ends/origin_harness.hpp"

namespace starbus::bus {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr std::uint64_t kStored = 7;

class OriginDurable : public SendingSide, public testing::Test {
 protected:
  void post(std::string_view body, Token token, Time expires = {}) {
    const auto seq = origin.send({channel(kStored), kFirst, {}, true}, Lane::call, {},
                                 as_bytes(body), token, expires);
    ASSERT_TRUE(seq) << seq.error().to_string();
  }
  void said(std::uint64_t last, std::vector<PostResult> results, bool complete = false,
            Lineage lineage = kFirst) {
    origin.on_posted(
        {Lane::call, {}, channel(kStored), lineage, last, complete, std::move(results)});
  }
  std::vector<std::string> ends;

 private:
  void on_posted(Token token, Errc status, std::uint64_t number) override {
    ends.push_back(std::to_string(token) + " " + std::string(name_of(status)) + " " +
                   std::to_string(number));
  }
};

TEST_F(OriginDurable, EachMessageEndsWithItsResult) {
  post("a", 11);
  post("b", 12);
  post("c", 13);
  pull();
  said(2, {{1, Errc::ok, 100}, {2, Errc::mailbox_full, 0}});
  EXPECT_THAT(ends, ElementsAre("11 ok 100", "12 mailbox_full 0"));
  said(3, {{3, Errc::ok, 101}});
  EXPECT_THAT(ends, SizeIs(3));
  EXPECT_TRUE(origin.idle());
  EXPECT_THAT(failures, IsEmpty());
  EXPECT_THAT(acknowledged, IsEmpty());
}

TEST_F(OriginDurable, AResultThatWasLostIsWaitedFor) {
  post("a", 11);
  post("b", 12);
  pull();
  said(2, {{2, Errc::ok, 2}});  // the record with the first result never came
  EXPECT_THAT(ends, IsEmpty());
  said(2, {{1, Errc::ok, 1}, {2, Errc::ok, 2}}, true);
  EXPECT_THAT(ends, ElementsAre("11 ok 1", "12 ok 2"));
}

TEST_F(OriginDurable, WhatTheOwnerHasForgottenIsUnknown) {
  post("a", 11);
  post("b", 12);
  pull();
  said(2, {{2, Errc::ok, 9}}, true);
  EXPECT_THAT(ends, ElementsAre("12 ok 9"));
  EXPECT_THAT(failures, ElementsAre(Failure{11, 1, Errc::owner_lost, true}));
}

TEST_F(OriginDurable, AGapReleasesNothingAndSendsAgain) {
  post("a", 11);
  post("b", 12);
  pull();
  nack(kStored, NackReason::gap, 2, 1, kFirst);
  EXPECT_THAT(ends, IsEmpty());
  EXPECT_THAT(pull_messages(), ElementsAre(WireMessage{0, 1, "a"}, WireMessage{1, 2, "b"}));
}

TEST_F(OriginDurable, WaitsWhileNobodyOwnsTheChannel) {
  post("a", 11);
  pull();
  nack(kStored, NackReason::no_owner, 1);
  EXPECT_THAT(failures, IsEmpty());
  EXPECT_EQ(pull_probe(), 0u);
  pass(kChokeLongest);
  EXPECT_EQ(pull_probe(), 1u);
  said(0, {}, true);
  EXPECT_THAT(pull_messages(), ElementsAre(WireMessage{0, 1, "a"}));
}

TEST_F(OriginDurable, ExpiresWhileItWaits) {
  post("a", 11, now() + from_ms(500));
  pull();
  nack(kStored, NackReason::no_owner, 1);
  pass(1'000);
  EXPECT_THAT(failures, ElementsAre(Failure{11, 1, Errc::expired, true}));
}

TEST_F(OriginDurable, AnotherLineageMeansThatTheDiskIsAnother) {
  post("a", 11);
  pull();
  said(0, {}, true, kSecond);
  EXPECT_THAT(failures, ElementsAre(Failure{11, 1, Errc::owner_lost, true}));
}

TEST_F(OriginDurable, HasAWindowOfMessages) {
  for (Token token = 1; token <= kDurableWindow; ++token) post("m", token);
  const auto more =
      origin.send({channel(kStored), kFirst, {}, true}, Lane::call, {}, as_bytes("m"), 1, {});
  ASSERT_FALSE(more);
  EXPECT_EQ(more.error(), Errc::would_block);
}

}  // namespace
}  // namespace starbus::bus
