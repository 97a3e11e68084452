#include "clients/cpp/requests.hpp"

#include <algorithm>
#include <utility>

#include "clients/cpp/limits.hpp"

namespace starbus::game {

std::string_view name_of(Fate fate) {
  constexpr std::string_view kNames[] = {"replied", "reply_lost", "not_begun", "unknown"};
  return kNames[static_cast<std::size_t>(fate) - 1];
}

bool Requests::full() const {
  // The gate draws the next number after a full state: none may follow the last one.
  return open_.size() >= kRequestsOpen || next_ == 0 || next_ == ~std::uint64_t{0};
}

std::uint64_t Requests::add(Bind bind, ByteView body, Told told) {
  open_.insert_or_assign(next_, Open{bind, Bytes(body.begin(), body.end()), std::move(told)});
  return next_++;
}

std::vector<Ending> Requests::replied(const Reply& reply) {
  std::vector<Ending> endings;
  const auto at = open_.find(reply.u);
  if (at == open_.end()) return endings;
  end(at, Fate::replied, endings);
  endings.back().outcome.answer = reply.answer;
  return endings;
}

std::vector<Ending> Requests::state(const FullState& state, bool new_bind) {
  std::vector<Ending> endings;
  for (auto at = open_.begin(); at != open_.end();) {
    const auto& [u, request] = *at;
    const bool begun = u <= state.up_done;
    if (request.bind < state.since) {
      at = end(at, Fate::unknown, endings);
    } else if (begun && std::ranges::find(state.open, u) == state.open.end()) {
      at = end(at, Fate::reply_lost, endings);
    } else if (!begun && new_bind) {
      at = end(at, Fate::not_begun, endings);
    } else {
      ++at;
    }
  }
  if (new_bind) next_ = state.up_done + 1;
  return endings;
}

std::vector<Ending> Requests::ended(const Ended& ended) {
  std::vector<Ending> endings;
  for (auto at = open_.begin(); at != open_.end();) {
    Fate fate = at->first <= ended.up_done ? Fate::reply_lost : Fate::not_begun;
    if (!ended.closing || at->second.bind < ended.since) fate = Fate::unknown;
    at = end(at, fate, endings);
  }
  return endings;
}

std::vector<Ending> Requests::lost() {
  std::vector<Ending> endings;
  for (auto at = open_.begin(); at != open_.end();) at = end(at, Fate::unknown, endings);
  next_ = 1;
  return endings;
}

Requests::Table::iterator Requests::end(Table::iterator at, Fate fate,
                                        std::vector<Ending>& endings) {
  endings.push_back({{at->first, fate, {}}, std::move(at->second.told)});
  return open_.erase(at);
}

}  // namespace starbus::game
