#include "nodes/gate/core/packets.hpp"

#include <cassert>
#include <utility>

#include "nodes/gate/core/limits.hpp"

namespace starbus::nodes::gate {

std::size_t size_of(const Parcel& parcel) {
  const Body* body = std::get_if<Body>(&parcel.body);
  return body != nullptr && *body ? (*body)->size() : 0;
}

PacketWindow::PacketWindow(State state) : state_(std::move(state)) {
  for (const Parcel& parcel : state_.packets) bytes_ += size_of(parcel);
}

bool PacketWindow::full() const {
  return bytes_ >= kWindowBytes || state_.packets.size() >= kWindowPackets;
}

const Parcel& PacketWindow::add(PacketKind kind, std::variant<Body, Ended> body, const Mark& mark,
                                std::uint64_t up_seen) {
  state_.packets.push_back({state_.next++, kind, up_seen, std::move(body), mark, mark});
  bytes_ += size_of(state_.packets.back());
  return state_.packets.back();
}

void PacketWindow::silent(const Mark& mark) {
  (state_.packets.empty() ? state_.marked : state_.packets.back().last) = mark;
}

void PacketWindow::ack(std::uint64_t c) {
  assert(holds(c));
  state_.acked = c;
  while (!state_.packets.empty() && state_.packets.front().c <= c) {
    const Parcel& shown = state_.packets.front();
    if (shown.last.n != 0) state_.marked = shown.last;
    bytes_ -= size_of(shown);
    state_.packets.pop_front();
  }
}

std::optional<Mark> PacketWindow::take_credit() {
  if (state_.marked.n == 0 || state_.marked == state_.credited) return {};
  state_.credited = state_.marked;
  return state_.marked;
}

}  // namespace starbus::nodes::gate
