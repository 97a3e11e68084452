/// A gate of one player, as small as the client protocol allows: one session, one subject that says
/// some calls and answers each request. It counts what it was asked. sans-IO; one thread.
#pragma once

#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <string>

#include "clients/cpp/io/frame_stream.hpp"
#include "entity/archive/encoder.hpp"
#include "entity/client/parts.hpp"
#include "nodes/gate/wire/frames.hpp"

namespace starbus::game::mini {

namespace wire = nodes::gate;
namespace sessions = entity::sessions;

/// See above.
class MiniGate {
 public:
  /// What the subject says at the begin of each session.
  explicit MiniGate(std::vector<std::string> calls) : calls_(std::move(calls)) {}

  /// A connection begins, and the one before is gone.
  void connected() {
    in_ = {};
    out_.clear();
    greeted_ = let_in_ = false;
  }
  void received(ByteView bytes) {
    in_.append(bytes);
    while (const auto frame = in_.next()) {
      const auto read = wire::decode_from_client(*frame);
      ASSERT_TRUE(read.has_value());
      std::visit([&](const auto& each) { hear(each); }, *read);
    }
  }
  /// What goes to the client.
  Bytes output() { return std::exchange(out_, {}); }
  void say(const wire::ToClient& frame) {
    bus::Bytes bytes;
    wire::encode(frame, bytes);
    put_frame(bytes, out_);
  }

  /// How often each request was begun.
  const std::map<std::uint64_t, int>& begun() const { return begun_; }
  std::uint64_t acknowledged() const { return first_ - 1; }
  int byes() const { return byes_; }
  const std::string& account() const { return account_; }

 private:
  void hear(const wire::Hello&) {
    EXPECT_FALSE(std::exchange(greeted_, true));
    say(wire::Greeting{1, 0, 0, 1'790'000'000'000, 10'000, 70'000});
  }
  void hear(const wire::Login& login) {
    EXPECT_TRUE(greeted_ && !let_in_);
    account_ = login.account;
    if (login.proof != bus::Bytes(6, std::byte{'s'})) {
      return say(wire::Closed{wire::CloseReason::denied, 0, "wrong"});
    }
    begin();
    welcome(0, false);
  }
  void hear(const wire::Resume& resume) {
    EXPECT_TRUE(greeted_ && !let_in_);
    const bool known =
        resume.session == session_ && (resume.token == token_ || resume.token == next_);
    if (!known) return say(wire::Closed{wire::CloseReason::token, 0, ""});
    if (resume.position.c + 1 < first_) return say(wire::Closed{wire::CloseReason::window, 0, ""});
    token_ = resume.token;
    welcome(resume.position.c, true);
  }
  void hear(const wire::Confirm&) { token_ = next_; }
  void hear(const wire::Ack& ack) {
    ASSERT_LT(ack.c, first_ + window_.size());
    for (; first_ <= ack.c; ++first_) window_.pop_front();
  }
  void hear(const wire::Ask& ask) {
    if (ask.u <= up_seen_) return;
    if (ask.u > up_seen_ + 1) return say(wire::Busy{up_seen_});
    ++up_seen_;
    ++begun_[ask.u];
    packet(wire::PacketKind::reply, sessions::Reply{ask.u, ask.body});
  }
  void hear(const wire::Ping& ping) { say(wire::Pong{ping.time, 1'790'000'000'000}); }
  void hear(const wire::Pong&) {}
  void hear(const wire::Bye&) {
    ++byes_;
    packet(wire::PacketKind::ended, wire::Ended{wire::CloseReason::ended, true, up_seen_, {1, 1}});
    say(wire::Closed{wire::CloseReason::ended, 0, ""});
  }

  void begin() {
    session_ = {7, ++logins_};
    window_.clear();
    first_ = 1;
    up_seen_ = 0;
    begun_.clear();
    bus::Bytes full;
    entity::Encoder(full).varint(0);
    const sessions::FullState state{"player/7", {1, logins_}, {1, logins_}, 0, {}, {}, {}};
    sessions::encode(state, full);
    window_.push_back({wire::PacketKind::full, full});
    for (const std::string& call : calls_) {
      const ByteView body = bytes_of(call);
      window_.push_back({wire::PacketKind::call, {body.begin(), body.end()}});
    }
  }
  void welcome(std::uint64_t c, bool goes_on) {
    let_in_ = true;
    next_ = {9, ++tokens_};
    say(wire::Welcome{
        session_, next_, "gate/mini", {1, c}, goes_on, logins_, up_seen_, {1, logins_}, {}});
    for (std::uint64_t each = c + 1; each < first_ + window_.size(); ++each) show(each);
  }
  template <class T>
  void packet(wire::PacketKind kind, const T& value) {
    bus::Bytes body;
    encode(value, body);
    window_.push_back({kind, std::move(body)});
    if (let_in_) show(first_ + window_.size() - 1);
  }
  void show(std::uint64_t c) {
    const auto& [kind, body] = window_[static_cast<std::size_t>(c - first_)];
    say(wire::Packet{c, kind, body});
  }

  struct Kept {
    wire::PacketKind kind;
    bus::Bytes body;
  };
  std::vector<std::string> calls_;
  FrameStream in_;
  Bytes out_;
  bool greeted_ = false;
  bool let_in_ = false;
  std::uint64_t logins_ = 0;
  std::uint64_t tokens_ = 0;
  wire::SessionId session_{};
  wire::Key token_{};
  wire::Key next_{};
  std::deque<Kept> window_;  // from first_ on
  std::uint64_t first_ = 1;
  std::uint64_t up_seen_ = 0;
  std::map<std::uint64_t, int> begun_;
  int byes_ = 0;
  std::string account_;
};

}  // namespace starbus::game::mini
