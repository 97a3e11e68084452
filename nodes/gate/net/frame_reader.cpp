#include "nodes/gate/net/frame_reader.hpp"

#include <algorithm>
#include <utility>

#include "base/give_back.hpp"
#include "nodes/gate/net/limits.hpp"

namespace starbus::nodes::gate::net {
namespace {

constexpr std::size_t kKeptStorage = 256;  // an idle connection keeps no more than this

void drop(bus::Bytes& bytes) {
  bytes.clear();
  if (bytes.capacity() > kKeptStorage) give_back(bytes);
}

void append(bus::Bytes& to, std::span<std::byte>& from, std::size_t count) {
  to.insert(to.end(), from.begin(), from.begin() + static_cast<std::ptrdiff_t>(count));
  from = from.subspan(count);
}

}  // namespace

void FrameReader::release() {
  if (std::exchange(given_, false)) drop(partial_);
  if (std::exchange(message_given_, false)) drop(message_);
}

FrameReader::Head FrameReader::head_of(bus::ByteView bytes) const {
  Head head;
  if (websocket_) {
    head.ws = read_ws_head(bytes);
    head.state = head.ws.state;
    head.size = head.ws.size;
    head.length = head.ws.length;
  } else if (bytes.size() >= sizeof(std::uint32_t)) {
    head.state = WsHead::State::whole;
    head.size = sizeof(std::uint32_t);
    head.length = bus::load<std::uint32_t>(bytes.data());
  }
  return head;
}

FrameReader::Head FrameReader::complete_head(std::span<std::byte>& input) {
  Head head = head_of(partial_);
  while (head.state == WsHead::State::more && !input.empty()) {
    append(partial_, input, 1);
    head = head_of(partial_);
  }
  return head;
}

bool FrameReader::fits(const Head& head, std::size_t limit) const {
  const bool control = websocket_ && head.ws.opcode >= WsOpcode::close;
  return control || head.length <= limit - std::min(limit, message_.size());
}

FrameStep FrameReader::next(std::span<std::byte>& input, std::size_t limit) {
  release();
  const bool cut = !partial_.empty();
  const Head head = cut ? complete_head(input) : head_of(input);
  if (head.state == WsHead::State::malformed) return {FrameStep::Kind::malformed};
  if (head.state == WsHead::State::more) {
    append(partial_, input, input.size());
    return {};
  }
  if (!fits(head, limit)) return {FrameStep::Kind::too_large};
  const std::size_t whole = head.size + static_cast<std::size_t>(head.length);
  if (!cut && input.size() >= whole) {
    const auto payload = input.subspan(head.size, whole - head.size);
    input = input.subspan(whole);
    return give(head, payload);
  }
  append(partial_, input, std::min(whole - partial_.size(), input.size()));
  if (partial_.size() < whole) return {};
  given_ = true;
  return give(head, std::span(partial_).subspan(head.size));
}

FrameStep FrameReader::give(const Head& head, std::span<std::byte> payload) {
  if (!websocket_) return {FrameStep::Kind::frame, payload};
  unmask(payload, head.ws.mask);
  switch (head.ws.opcode) {
    case WsOpcode::ping:
      return {FrameStep::Kind::ping, payload};
    case WsOpcode::pong:
      return {FrameStep::Kind::pong, payload};
    case WsOpcode::close:
      return {FrameStep::Kind::closed, payload};
    case WsOpcode::text:
      return {FrameStep::Kind::malformed};
    default:
      return message_part(head.ws, payload);
  }
}

FrameStep FrameReader::message_part(const WsHead& head, std::span<std::byte> payload) {
  const bool first = head.opcode == WsOpcode::binary;
  if (first == in_message_) return {FrameStep::Kind::malformed};
  if (first && head.last) return {FrameStep::Kind::frame, payload};
  fragments_ = first ? 1 : fragments_ + 1;
  if (fragments_ > kFragments) return {FrameStep::Kind::malformed};
  message_.insert(message_.end(), payload.begin(), payload.end());
  in_message_ = !head.last;
  if (in_message_) return {FrameStep::Kind::part};
  message_given_ = true;
  return {FrameStep::Kind::frame, message_};
}

}  // namespace starbus::nodes::gate::net
