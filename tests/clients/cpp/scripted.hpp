/// A session, a clock, and a gate that says what a test wants: frames go through the gate's codec.
/// sans-IO; one thread.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "clients/cpp/session.hpp"
#include "entity/archive/encoder.hpp"
#include "entity/client/parts.hpp"
#include "nodes/gate/wire/frames.hpp"

namespace starbus::game::scripted {

namespace wire = nodes::gate;
namespace sessions = entity::sessions;
using namespace std::chrono_literals;

inline Bytes bytes(std::string_view text) {
  const ByteView view = bytes_of(text);
  return {view.begin(), view.end()};
}

/// Keeps what it is told, a line each.
class Diary : public Events {
 public:
  void on_waiting(const Waiting& w) override { line("waiting " + std::string(name_of(w.what))); }
  void on_online(bool goes_on, const Ticket& ticket) override {
    line(goes_on ? "goes on" : "new session");
    ticket_ = ticket;
  }
  void on_lost(const Lost& lost) override {
    if (lost.was_online) return line("lost");
    if (lost.reason) line("refused " + std::string(name_of(*lost.reason)));
  }
  void on_full(const FullState& full) override {
    line("full " + full.subject);
    if (also != nullptr) also->on_full(full);
  }
  void on_call(const Call& call) override {
    line("call " + std::string(text_of(call.arguments)));
    if (also != nullptr) also->on_call(call);
  }
  void on_news(ByteView news) override {
    line("news " + std::string(text_of(news)));
    if (also != nullptr) also->on_news(news);
  }
  void on_sight(ByteView body) override {
    if (also != nullptr) also->on_sight(body);
  }
  void on_names(const ServerNames& names, std::span<const Difference> differ) override {
    if (also != nullptr) also->on_names(names, differ);
  }
  void on_spoken(const Spoken& spoken) override { line("spoken " + spoken.group); }
  void on_over(const Over& over) override { line("over " + std::string(name_of(over.reason))); }
  void on_ended(EndReason reason, std::string_view text) override {
    line("ended " + std::string(name_of(reason)) + (text.empty() ? "" : ": ") + std::string(text));
  }
  /// The lines since it was asked last.
  std::vector<std::string> read() { return std::exchange(lines_, {}); }
  const Ticket& ticket() const { return ticket_; }
  void line(std::string text) { lines_.push_back(std::move(text)); }
  Events* also = nullptr;  // hears of calls, properties and names, too

 private:
  std::vector<std::string> lines_;
  Ticket ticket_;
};

inline Settings settings_of(std::vector<std::string> addresses, const NameTable* names) {
  Settings settings;
  settings.addresses = std::move(addresses);
  settings.program = "test 1";
  settings.schema = names == nullptr ? 7 : 0;
  settings.seed = 3;
  settings.names = names;
  return settings;
}

/// See above.
class World {
 public:
  explicit World(std::vector<std::string> addresses = {"a:1"}, const NameTable* names = nullptr)
      : session(settings_of(std::move(addresses), names), diary) {}

  /// What the client has said and not been read yet.
  std::vector<wire::FromClient> said() {
    std::vector<wire::FromClient> frames;
    while (const auto frame = session.next_frame()) {
      auto read = wire::decode_from_client(*frame);
      EXPECT_TRUE(read.has_value());
      if (read) frames.push_back(*read);
    }
    return frames;
  }
  /// The numbers of requests among these.
  std::vector<std::uint64_t> asked() {
    std::vector<std::uint64_t> numbers;
    for (const auto& frame : said()) {
      if (const auto* const ask = std::get_if<wire::Ask>(&frame)) numbers.push_back(ask->u);
    }
    return numbers;
  }
  void say(const wire::ToClient& frame) {
    bus::Bytes bytes;
    wire::encode(frame, bytes);
    session.received(bytes, now);
  }
  template <class T>
  void packet(wire::PacketKind kind, const T& body) {
    bus::Bytes bytes;
    encode(body, bytes);
    say(wire::Packet{++c, kind, bytes});
  }
  void call(std::string_view arguments) {
    say(wire::Packet{++c, wire::PacketKind::call, bytes("methtype" + std::string(arguments))});
  }
  struct Full {
    std::uint64_t up_seen = 0;
    sessions::FullState state{};
    friend void encode(const Full& full, bus::Bytes& out) {
      entity::Encoder(out).varint(full.up_seen);
      sessions::encode(full.state, out);
    }
  };
  void full(wire::Bind bind, std::uint64_t up_done = 0, std::vector<std::uint64_t> open = {},
            std::uint64_t up_seen = 0, wire::Bind since = {}) {
    packet(wire::PacketKind::full,
           Full{up_seen, {"player/7", bind, since, up_done, std::move(open), {"zone"}, {}}});
  }
  void reply(std::uint64_t u) { packet(wire::PacketKind::reply, sessions::Reply{u, bytes("yes")}); }

  /// Goes on to the time of the next deadline, and lets the session do what is due.
  void advance() {
    ASSERT_NE(session.deadline(), Time::max());
    now = std::max(now, session.deadline());
    session.tick(now);
  }
  void wait(milliseconds time) {
    now += time;
    session.tick(now);
  }
  /// Connects where the session wants to; the address.
  std::string connect() {
    for (int i = 0; i < 100; ++i) {
      if (const auto address = session.connect(now)) {
        session.connected(now);
        return *address;
      }
      now = std::max(now, session.deadline());
      session.tick(now);
      if (session.state() == State::ended) break;
    }
    return "nowhere";
  }
  /// Connects, and is greeted.
  std::string greeted() {
    const std::string address = connect();
    say(wire::Greeting{1, 0, 7, 1'790'000'000'000, 10'000, 70'000});
    return address;
  }
  void welcome(bool goes_on = false, std::uint64_t login = 1, std::uint64_t up_seen = 0,
               wire::Bind up_bind = {}) {
    if (!goes_on) c = 0;
    say(wire::Welcome{
        {1, 2}, {3, ++token}, "gate/a", {1, c}, goes_on, login, up_seen, up_bind, reentry});
  }
  /// Logged in, with a first full state under bind {1, 1}.
  void online() {
    ASSERT_TRUE(session.login({"password", "anna", bytes("secret")}, now));
    static_cast<void>(greeted());
    welcome();
    full({1, 1});
    ASSERT_EQ(session.state(), State::online);
    static_cast<void>(said());
    static_cast<void>(diary.read());
  }
  void lose() { session.disconnected(now); }
  Asked ask(std::string_view body = "buy") {
    return session.ask(bytes_of(body), [this](const Outcome& outcome) {
      fates.push_back(std::to_string(outcome.u) + " " + std::string(name_of(outcome.fate)));
    });
  }
  /// The fates that were told since it was asked last.
  std::vector<std::string> told() { return std::exchange(fates, {}); }

  Diary diary;
  Session session;
  Time now{1'000};
  std::uint64_t c = 0;
  std::uint64_t token = 0;
  bus::Bytes reentry = bytes("signed");
  std::vector<std::string> fates;
};

using Lines = std::vector<std::string>;
using Numbers = std::vector<std::uint64_t>;

}  // namespace starbus::game::scripted
