// What a session does with each frame of a gate.
#include <algorithm>
#include <utility>

#include "clients/cpp/inflate.hpp"
#include "clients/cpp/session.hpp"

namespace starbus::game {

void Session::hear(const Greeting& frame, Time now) {
  if (state_ != State::greeting) return fault(now);
  if (frame.version != kVersion) return finish(EndReason::version, {});
  if (frame.heartbeat_ms != 0) {
    beat_ = std::clamp(milliseconds(frame.heartbeat_ms), kHeartbeatLeast, kHeartbeatMost);
  }
  frame_bytes_ = frame.frame_bytes;
  inflates_ = settings_.inflates && (frame.features & kInflates) != 0;
  server_schema_ = frame.schema;
  clock_.clear();
  clock_.sample(opened_, now, frame.here);
  measured_ = now;
  state_ = State::waiting;
  if (entry_ == Entry::login) return say(encode(proof_));
  if (entry_ == Entry::resume) return say(encode(Resume{ticket_, position_}));
  Resume signed_part_alone;
  signed_part_alone.ticket.reentry = ticket_.reentry;
  say(encode(signed_part_alone));
}

void Session::hear(const Waiting& frame, Time now) {
  if (state_ != State::waiting && state_ != State::online) return fault(now);
  progress_ = now;
  events_.on_waiting(frame);
}

void Session::hear(const Welcome& frame, Time now) {
  if (state_ != State::waiting) return fault(now);
  const bool mine = entry_ == Entry::resume && frame.ticket.session == ticket_.session &&
                    frame.position.c == position_.c;
  if (frame.goes_on && !mine) return fault(now);
  let_in_by(frame, now);
}

void Session::let_in_by(const Welcome& frame, Time now) {
  std::vector<Ending> endings;
  if (frame.login != login_) {
    endings = requests_.lost();
    bind_ = {};
    playing_ = false;
  }
  if (!frame.goes_on) playing_ = false;
  login_ = frame.login;
  position_ = frame.position;
  ticket_ = frame.ticket;
  entry_ = Entry::resume;
  proof_ = {};
  let_in_ = true;
  state_ = State::online;
  stable_at_ = now + kStable;
  say(encode(Confirm{}));
  if (frame.goes_on && frame.up_bind == bind_) {
    may_ask_ = true;
    say_again(frame.up_seen);
  }
  events_.on_online(frame.goes_on, frame.ticket);
  tell(std::move(endings));
}

void Session::hear(const Busy& frame, Time now) {
  if (state_ != State::online) return fault(now);
  if (!may_ask_) return;  // of a bind that is over
  busy_ = std::max(busy_.value_or(0), frame.up_seen);
  busy_at_ = now + kBusyAgain;
}

void Session::hear(const GoTo& frame, Time now) {
  if (state_ != State::waiting && state_ != State::online) return fault(now);
  route_.go_to(frame.address, now);
  lost(now, {{}, {}, {}, Next::named});
}

void Session::hear(const Ping& frame, Time now) {
  if (state_ == State::greeting) return fault(now);
  say(encode(Pong{frame.time, 0}));
}

void Session::hear(const Pong& frame, Time now) {
  if (!pinged_ || frame.time != static_cast<std::uint64_t>(pinged_->count())) return;
  clock_.sample(*std::exchange(pinged_, std::nullopt), now, frame.here);
}

void Session::hear(const Closed& frame, Time now) {
  close(frame.reason, frame.retry_ms, frame.text, now);
}

void Session::hear(const Packet& frame, Time now) {
  if (state_ != State::online || ended_ || frame.c != position_.c + 1) return fault(now);
  switch (frame.kind) {
    case PacketKind::full:
      return shown(frame, read_full(frame.body), now, [&](const auto& full) { show_full(full); });
    case PacketKind::call:
      return shown(frame, read_call(frame.body), now,
                   [&](const auto& call) { events_.on_call(call); });
    case PacketKind::news:
      return shown(frame, Read<ByteView>{frame.body}, now,
                   [&](ByteView news) { events_.on_news(news); });
    case PacketKind::reply:
      return shown(frame, read_reply(frame.body), now,
                   [&](const auto& reply) { tell(requests_.replied(reply)); });
    case PacketKind::over:
      return shown(frame, read_over(frame.body), now, [&](const auto& over) {
        playing_ = false;
        events_.on_over(over);
      });
    case PacketKind::sight:
      return shown(frame, Read<ByteView>{frame.body}, now,
                   [&](ByteView body) { events_.on_sight(body); });
    case PacketKind::spoken:
      return shown(frame, read_spoken(frame.body), now,
                   [&](const auto& spoken) { events_.on_spoken(spoken); });
    case PacketKind::ended:
      return shown(frame, read_ended(frame.body), now,
                   [&](const auto& ended) { show_ended(ended, now); });
  }
}

template <class T, class Show>
void Session::shown(const Packet& packet, const Read<T>& body, Time now, Show show) {
  if (!body) return fault(now);
  count_packet(packet, now);
  show(*body);
}

void Session::count_packet(const Packet& packet, Time now) {
  position_.c = packet.c;
  progress_ = now;
  ++counts_.packets;
  ++unacked_;
  unacked_bytes_ += packet.body.size();
  if (unacked_ >= kAckPackets || unacked_bytes_ >= kAckBytes) return ack();
  if (ack_at_ == Time::max()) ack_at_ = now + kAckTime;
}

void Session::show_full(const FullState& full) {
  const bool new_bind = full.bind != bind_;
  std::vector<Ending> endings = requests_.state(full, new_bind);
  bind_ = full.bind;
  playing_ = true;
  may_ask_ = !leaving_;
  busy_.reset();
  if (may_ask_) say_again(full.up_seen);
  ask_names();
  events_.on_full(full);
  tell(std::move(endings));
}

void Session::show_ended(const Ended& ended, Time now) {
  ended_ = ended;
  playing_ = may_ask_ = false;
  close_at_ = now + kCloseTime;
  ack();
  tell(requests_.ended(ended));
}

}  // namespace starbus::game
