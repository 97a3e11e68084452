#include "nodes/gate/net/connection.hpp"

#include <sys/epoll.h>

#include <algorithm>

#include "base/give_back.hpp"
#include "nodes/gate/net/proxy_header.hpp"

namespace starbus::nodes::gate::net {
namespace {

using Io = Wire::Io;

constexpr std::uint32_t kReads = EPOLLIN;
constexpr std::uint32_t kWrites = EPOLLOUT;
constexpr std::array<std::byte, 2> kNormalClosure = {std::byte{0x03}, std::byte{0xe8}};  // 1000

Body shared(bus::ByteView bytes) {
  return std::make_shared<const bus::Bytes>(bytes.begin(), bytes.end());
}

}  // namespace

Connection::Connection(ConnectionId id, FileDescriptor socket,
                       std::shared_ptr<const ListenerRules> rules, const PeerAddress& address,
                       Time now)
    : id_(id),
      wire_(std::move(socket)),
      rules_(std::move(rules)),
      address_(address),
      phase_(rules_->proxy ? Phase::proxy : after_address()),
      reader_(rules_->websocket),
      now_(now),
      began_(now),
      heard_(now),
      notes_(now) {}

Connection::Phase Connection::after_address() const {
  return rules_->tls ? Phase::before_tls : after_tls();
}

void Connection::begin_turn(Time now) {
  now_ = now;
  read_ = 0;
  more_ready_ = drained_ = false;
}

Connection::Event Connection::next(std::span<std::byte> buffer) {
  for (;;) {
    switch (phase_) {
      case Phase::proxy:
        return next_proxy(buffer);
      case Phase::before_tls:
        return first_of_tls();
      case Phase::tls: {
        const Event event = next_tls();
        if (phase_ != Phase::upgrade) return event;
        break;
      }
      case Phase::upgrade:
        return next_upgrade(buffer);
      case Phase::open:
        return notes_.told ? next_frame(buffer) : opened();
      case Phase::lingering:
        return linger(buffer);
      default:
        return {};
    }
  }
}

Connection::Event Connection::opened() {
  return {Event::Kind::opened};
}

Connection::Event Connection::next_proxy(std::span<std::byte> buffer) {
  for (;;) {
    const ProxyHeader header = read_proxy_header(kept_);
    if (header.state == ProxyHeader::State::malformed) return ended(Ending::proxy);
    if (header.state == ProxyHeader::State::whole) {
      if (header.client) address_ = *header.client;
      give_back(kept_);
      phase_ = after_address();
      return {Event::Kind::addressed};
    }
    // Not a byte more than the header: what follows is for TLS, which reads by itself.
    const Wire::Moved moved = wire_.read_raw(buffer.first(header.size - kept_.size()));
    if (moved.io == Io::would_read) return {};
    if (moved.io != Io::done) return ended(kept_.empty() ? Ending::left : Ending::lost);
    kept_.insert(kept_.end(), buffer.begin(),
                 buffer.begin() + static_cast<std::ptrdiff_t>(moved.bytes));
  }
}

Connection::Event Connection::first_of_tls() {
  if (waits_for_tls_) return {};
  switch (wire_.peek()) {
    case Io::done:
      waits_for_tls_ = true;
      return {Event::Kind::hello};
    case Io::would_read:
      return {};
    case Io::ended:
      return ended(Ending::left);
    default:
      return ended(Ending::lost);
  }
}

bool Connection::admit_tls() {
  waits_for_tls_ = false;
  phase_ = Phase::tls;
  return wire_.secure(rules_->tls->get());
}

Connection::Event Connection::next_tls() {
  const Io io = wire_.shake();
  read_blocked_on_write_ = io == Io::would_write;
  switch (io) {
    case Io::done:
      phase_ = after_tls();
      return opened();
    case Io::would_read:
    case Io::would_write:
      return {};
    default:
      return ended(Ending::tls);
  }
}

std::optional<Connection::Event> Connection::read(std::span<std::byte> buffer) {
  if (drained_) return Event{};
  more_ready_ = read_ >= kReadTurn;
  if (more_ready_) return Event{};
  const Wire::Moved moved = wire_.read(buffer);
  read_blocked_on_write_ = moved.io == Io::would_write;
  switch (moved.io) {
    case Io::done:
      input_ = buffer.first(moved.bytes);
      read_ += moved.bytes;
      drained_ = moved.drained;
      heard_ = now_;
      return std::nullopt;
    case Io::would_read:
    case Io::would_write:
      return Event{};
    case Io::ended:
      return ended(reader_.in_frame() || !kept_.empty() ? Ending::lost : Ending::left);
    default:
      return ended(Ending::lost);
  }
}

Connection::Event Connection::next_upgrade(std::span<std::byte> buffer) {
  for (;;) {
    const std::size_t room = kUpgradeBytes - kept_.size();
    if (room == 0) {
      say(refuse_upgrade(431, "a long request").response);
      return ended(Ending::upgrade);
    }
    if (auto event = read(buffer.first(std::min(buffer.size(), room)))) return *event;
    const std::size_t seen = kept_.size();
    kept_.insert(kept_.end(), input_.begin(), input_.end());
    input_ = {};
    if (const std::size_t size = size_of_request(kept_, seen); size > 0) return answer(size);
  }
}

Connection::Event Connection::answer(std::size_t request) {
  UpgradeAnswer given =
      answer_upgrade(bus::as_text(bus::ByteView(kept_).first(request)), rules_->upgrade);
  say(std::move(given.response));
  if (given.status != 101) return ended(Ending::upgrade);
  queue_.promise(queue_.bytes());  // it goes before any last word
  input_ = std::span(kept_).subspan(request);
  phase_ = Phase::open;
  return opened();
}

Connection::Event Connection::next_frame(std::span<std::byte> buffer) {
  for (;;) {
    if (input_.empty()) {
      reader_.release();
      if (!kept_.empty()) give_back(kept_);
    } else {
      const FrameStep step = reader_.next(input_, notes_.frame_limit);
      if (step.kind != FrameStep::Kind::more) return event_of(step);
      continue;
    }
    if (const auto event = read(buffer)) {
      note_cut_frame();
      return *event;
    }
  }
}

void Connection::note_cut_frame() {
  if (!reader_.in_frame()) {
    frame_since_ = {};
  } else if (frame_since_ == Time{}) {
    frame_since_ = now_;
  }
}

Connection::Event Connection::event_of(const FrameStep& step) {
  switch (step.kind) {
    case FrameStep::Kind::frame:
      frame_since_ = {};
      return {Event::Kind::frame, step.bytes};
    case FrameStep::Kind::ping:
      say(WsOpcode::pong, step.bytes);
      return {Event::Kind::part};
    case FrameStep::Kind::closed:
      return ended(Ending::left);
    case FrameStep::Kind::malformed:
      return ended(Ending::malformed);
    case FrameStep::Kind::too_large:
      return ended(Ending::too_large);
    default:
      return {Event::Kind::part};
  }
}

Connection::Event Connection::linger(std::span<std::byte> buffer) {
  for (;;) {
    const Wire::Moved moved = wire_.read_raw(buffer);
    dropped_ += moved.bytes;
    if (moved.io == Io::would_read) return {};
    if (moved.io != Io::done || dropped_ > kLingerBytes) {
      phase_ = Phase::over;
      return {};
    }
  }
}

void Connection::keep_rest() {
  bus::Bytes rest(input_.begin(), input_.end());
  reader_.release();
  kept_ = std::move(rest);
  input_ = kept_;
}

void Connection::forget_input() {
  input_ = {};
  give_back(kept_);
  reader_ = FrameReader(rules_->websocket);
}

void Connection::push(Body body, bus::ByteView prefix) {
  if (phase_ != Phase::open) return;
  const std::size_t size = prefix.size() + body->size();
  FrameHead head = rules_->websocket ? ws_head(WsOpcode::binary, size) : length_head(size);
  head.append(prefix);
  queue_.push(std::move(body), head);
}

void Connection::say(std::string text) {
  queue_.push(shared(bus::as_bytes(text)), {});
}

void Connection::say(WsOpcode opcode, bus::ByteView payload) {
  queue_.push(shared(payload), ws_head(opcode, payload.size()));
}

bool Connection::flush(std::span<std::byte> scratch) {
  if (phase_ == Phase::over) return false;
  if (is_ending()) forget_input();
  const Wire::Moved moved = wire_.write(queue_, kWriteTurn, scratch);
  write_blocked_ = moved.io == Io::would_write || moved.io == Io::would_read;
  if (moved.io == Io::ended || moved.io == Io::failed) return false;
  if (queue_.empty() && phase_ == Phase::closing) {
    wire_.end_writing();
    phase_ = Phase::lingering;
  }
  return true;
}

void Connection::close(Body last, bool drop, Time now) {
  if (is_ending()) return;
  if (phase_ < Phase::upgrade) return cut();
  if (phase_ == Phase::upgrade && queue_.empty()) say(refuse_upgrade(503, "").response);
  if (phase_ == Phase::open) {
    if (drop) queue_.drop_unsent();
    if (last) push(std::move(last));
    if (rules_->websocket) say(WsOpcode::close, kNormalClosure);
  }
  phase_ = Phase::closing;
  closing_since_ = now;
}

std::uint32_t Connection::wants() const {
  const bool writes = write_blocked_ || read_blocked_on_write_;
  switch (phase_) {
    case Phase::over:
      return 0;
    case Phase::closing:
      return write_blocked_ ? kWrites : 0;
    case Phase::lingering:
      return kReads;
    case Phase::before_tls:
      return waits_for_tls_ ? 0 : kReads;
    default:
      return (notes_.paused ? 0 : kReads) | (writes ? kWrites : 0);
  }
}

Connection::Due Connection::due(const FrontLimits& limits) const {
  if (is_ending()) return {closing_since_ + limits.close_time, Ending::owner};
  if (notes_.paused) return {Time::max(), Ending::silent};
  if (!notes_.first_frame) return {began_ + limits.handshake_time, Ending::slow_handshake};
  const Due silent{heard_ + kSilentBeats * limits.heartbeat, Ending::silent};
  if (frame_since_ == Time{}) return silent;
  const Due slow{frame_since_ + limits.frame_time, Ending::slow_frame};
  return slow.at < silent.at ? slow : silent;
}

}  // namespace starbus::nodes::gate::net
