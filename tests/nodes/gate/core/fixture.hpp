/// One gate with a clock, whose clients, homes, account and neighbours are the test.
#pragma once

#include <gtest/gtest.h>

#include "nodes/gate/core/gate_core.hpp"

namespace starbus::nodes::gate::fixture {

inline const GateId kOne{"gate/one", {1, 1, 10}};
inline const GateId kTwo{"gate/two", {2, 2, 20}};
inline const bus::Process kHome{7, 7, 70};
inline const bus::Process kHome2{8, 8, 80};
inline constexpr Bind kBind{3, 1};
inline constexpr Run kRun{5, 1};

inline Body body_text(std::string_view text) {
  const bus::ByteView bytes = bus::as_bytes(text);
  return std::make_shared<const bus::Bytes>(bytes.begin(), bytes.end());
}
template <class T>
bus::Bytes bytes_of(const T& word) {
  bus::Bytes bytes;
  encode(word, bytes);
  return bytes;
}

class CountingKeys : public KeySource {
 public:
  explicit CountingKeys(std::uint64_t first) : last_(first) {}
  Key key() override { return {++last_, 1}; }

 private:
  std::uint64_t last_;
};

/// A gate and the effects that it has had.
class Driven {
 public:
  explicit Driven(const GateId& self, std::size_t sessions = kSessions,
                  std::uint64_t last_question = 0)
      : keys_(self.process.incarnation * 1'000'000),
        core({self, self.channel + ":1", sessions, {}, last_question}, keys_) {
    tick();
  }
  /// What it wants since the last call, of one kind; others are dropped.
  template <class T>
  std::vector<T> all() {
    std::vector<T> found;
    for (Effect& effect : core.take()) {
      if (auto* each = std::get_if<T>(&effect)) found.push_back(std::move(*each));
    }
    return found;
  }
  /// Frames of one kind, to anybody.
  template <class T>
  std::vector<T> frames() {
    std::vector<T> found;
    for (SendFrame& each : all<SendFrame>()) {
      if (auto* frame = std::get_if<T>(&each.frame)) found.push_back(std::move(*frame));
    }
    return found;
  }
  /// Words of one kind to subjects.
  template <class T>
  std::vector<T> words() {
    std::vector<T> found;
    for (TellSubject& each : all<TellSubject>()) {
      if (auto* word = std::get_if<T>(&each.word)) found.push_back(std::move(*word));
    }
    return found;
  }
  void tick(GateTime passed = {}) {
    now += passed;
    for (int i = 0; i < 1'000 && core.tick(now); ++i) {
    }
    core.input_drained();
  }
  void bound(std::uint64_t question, const Bind& bind, const std::string& subject = "player/7") {
    sessions::AccountAnswer answer{sessions::AccountAnswerKind::bound, bind, subject, 4, 0, {}};
    core.outcome(question, Outcome::ok, bytes_of(answer));
  }
  /// A client logs in; its first full state comes from kHome. The welcome, and what it got.
  Welcome log_in(ConnectionId connection, const std::string& subject = "player/7") {
    core.opened(connection, "1.2.3.4");
    core.frame(connection, Login{"password", "ada", {}});
    const auto asks = all<TellLogin>();
    EXPECT_EQ(asks.size(), 1U);
    core.login_said(asks.at(0).question, LoginAdmitted{"account/ada", 4, {}, bus::Bytes(3)});
    const auto binds = all<TellAccount>();
    EXPECT_EQ(binds.size(), 1U);
    bound(binds.at(0).question, kBind, subject);
    const auto welcomes = frames<Welcome>();
    EXPECT_EQ(welcomes.size(), 1U);
    say(welcomes.at(0).session, 1, {full(subject)}, subject);
    EXPECT_EQ(all<SendPacket>().size(), 1U);
    return welcomes.at(0);
  }
  static Part full(const std::string& subject = "player/7",
                   std::vector<std::string> groups = {"guild"}) {
    sessions::FullState state{subject, kBind, kBind, 0, {}, std::move(groups), {}};
    return {sessions::PartKind::full, sessions::body_of(state)};
  }
  static Part call(std::string_view text) { return {sessions::PartKind::call, body_text(text)}; }
  /// Parts from `first` on, as a home says them.
  void say(const SessionId& session, std::uint64_t first, std::vector<Part> parts,
           const std::string& subject = "player/7", std::uint32_t turn = 1, Run run = kRun,
           const bus::Process& home = kHome, Bind bind = kBind) {
    bus::Bytes bytes;
    const Introduction at{session, turn, bind, run, subject};
    sessions::encode_bundle({{++handle_, at, first, std::move(parts)}}, bytes);
    core.bundle(home, bytes);
  }

 private:
  CountingKeys keys_;
  std::uint32_t handle_ = 0;

 public:
  GateTime now{1'000'000};
  GateCore core;
};

class GateTest : public ::testing::Test {
 protected:
  /// All that one gate tells the other is handled there, and answered.
  static void carry(Driven& from, const bus::Process& process, Driven& to) {
    for (const TellGate& each : from.all<TellGate>()) {
      bus::Bytes bytes;
      ASSERT_TRUE(encode(each.word, bytes));
      const auto word = decode_gate_word(bytes);
      ASSERT_TRUE(word) << word.error().to_string();
      const auto answer = to.core.told(process, *word);
      if (each.question == 0) continue;
      from.core.outcome(each.question, Outcome::ok, answer ? bytes_of(*answer) : bus::Bytes{});
    }
  }
  Driven one_{kOne};
};

}  // namespace starbus::nodes::gate::fixture
