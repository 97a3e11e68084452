#include "nodes/gate/core/request_table.hpp"

#include "nodes/gate/core/limits.hpp"

namespace starbus::nodes::gate {

void RequestTable::full(const Bind& bind, std::uint64_t up_done,
                        const std::vector<std::uint64_t>& open) {
  if (bind != state_.bind) {
    state_.seen = up_done;
    state_.bind = bind;
    state_.pending.clear();
    state_.open.clear();
  }
  // Those above were handed to the subject after it has drawn this state.
  state_.open.erase(state_.open.begin(), state_.open.upper_bound(up_done));
  state_.open.insert(open.begin(), open.end());
}

RequestTable::Take RequestTable::take(std::uint64_t u, const Bind& bind, const bus::Bytes& body) {
  if (bind != state_.bind || bind == Bind{} || u <= state_.seen) return Take::dropped;
  const bool room = state_.open.size() < sessions::kRequestsOpen &&
                    state_.pending.size() < sessions::kRequestsOpen;
  if (u != state_.seen + 1 || !room) return Take::busy;
  state_.seen = u;
  state_.pending.emplace(u, body);
  if (!body.empty()) state_.open.insert(u);
  return Take::taken;
}

}  // namespace starbus::nodes::gate
