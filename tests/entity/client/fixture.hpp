/// One link with its account and its gates, for tests of its rules.
#pragma once

#include <gtest/gtest.h>

#include "entity/client/home_lines.hpp"

namespace starbus::entity::sessions::fixture {

inline const GateId kGate1{"gate/one", {1, 1, 10}};
inline const GateId kGate2{"gate/two", {2, 2, 20}};
inline const Key kPass1{11, 12};
inline const Key kPass2{21, 22};
inline const Key kPass3{31, 32};
inline const SessionId kSession{1, 1};
inline const SessionId kOther{2, 2};

inline Body bytes_of(std::string_view text) {
  const bus::ByteView bytes = bus::as_bytes(text);
  return std::make_shared<const bus::Bytes>(bytes.begin(), bytes.end());
}

class LinkTest : public ::testing::Test {
 protected:
  LinkTest() { link_.owned(5, effects_); }

  SetLink set(std::uint64_t counter, SessionId session = kSession, std::uint64_t login = 1) const {
    return {session, kGate1, 1, {3, counter}, login, "account/ada", seal_of(kPass1), std::nullopt};
  }
  Answer account(const ToSubject& word) { return link_.take(word, {}, now_, effects_); }
  Answer gate(const ToSubject& word, const GateId& from = kGate1) {
    return link_.take(word, {from.process, true}, now_, effects_);
  }
  /// All that is to be said goes to the bus.
  std::vector<Part> flush() {
    std::vector<Part> parts;
    while (link_.ready()) {
      last_ = link_.draft(kSectionBytes, kBundleParts, {}, ++handle_);
      link_.taken(last_);
      parts.insert(parts.end(), last_.parts.begin(), last_.parts.end());
    }
    return parts;
  }
  std::string kinds() {
    std::string text;
    for (const Part& part : flush())
      text.append(text.empty() ? "" : " ").append(name_of(part.kind));
    return text;
  }
  Request request(std::uint64_t u, std::string_view body = "buy") const {
    return {link_.state().session, link_.state().turn, link_.state().bind, u, *bytes_of(body)};
  }
  void link() {
    ASSERT_EQ(account(set(1)).kind, AnswerKind::ok);
    ASSERT_EQ(kinds(), "full");
    effects_ = {};
  }
  /// To another home, through bytes.
  void move(std::uint64_t epoch) {
    bus::Bytes bytes;
    encode(link_.freeze(now_), bytes);
    auto state = decode_link(bytes);
    ASSERT_TRUE(state) << state.error().to_string();
    link_ = ClientLink("player/7", std::move(*state), now_);
    link_.arrived({7, 7, 7});
    link_.owned(epoch, effects_);
  }

  LinkTime now_{1'000'000};
  Effects effects_;
  ClientLink link_{"player/7"};
  Section last_;
  std::uint32_t handle_ = 0;
};

}  // namespace starbus::entity::sessions::fixture
