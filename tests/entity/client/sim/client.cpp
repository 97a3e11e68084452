// A device of the simulated world: it shows what it gets, asks, and concludes.
#include <algorithm>

#include "tests/entity/client/sim/world.hpp"

namespace starbus::entity::sessions::sim {

Record* Client::record() {
  Gate* const there = world_.gate(gate);
  Record* const found = there == nullptr ? nullptr : there->find(session);
  return found != nullptr && found->state != Record::State::stub ? found : nullptr;
}

void Client::connect(const Pid& to) {
  world_.gate(to)->open(*this, login);
}

void Client::request(const std::string& go) {
  if (!on || run == Run{} || out.size() > 5) return;
  const std::uint64_t id = world_.fresh();
  world_.requests[id] = {name, subject, 0, {}, world_.died_at[{session, bind}]};
  out[next_u] = {id, bind, go};
  put(next_u++);
}

void Client::put(std::uint64_t u) {
  Record* const there = record();
  if (there != nullptr) world_.gate(gate)->request(*there, u, out[u]);
}

void Client::conclude(const std::optional<std::pair<std::uint64_t, Bind>>& up,
                      const std::vector<std::uint64_t>& open, bool under_way) {
  for (auto at = out.begin(); at != out.end();) {
    const auto& [u, request] = *at;
    if (!up || request.bind < up->second) {
      world_.fate(request.id, up ? "unknown" : "lost");
    } else if (u > up->first) {
      if (under_way) {  // the gate has it, or gets it again
        ++at;
        continue;
      }
      world_.fate(request.id, "not begun");
    } else if (std::ranges::find(open, u) != open.end()) {
      ++at;
      continue;
    } else {
      world_.fate(request.id, "gone");
      gone_.insert(u);
    }
    at = out.erase(at);
  }
}

void Client::forget() {
  bind = {};
  run = {};
  n = 0;
  subject.clear();
}

void Client::gate_gone() {
  on = false;
  gate = {};
  session = {};
  forget();
}

/// The login is over, or the session alone.
void Client::ended(Reason reason, const std::optional<Closing>& closing) {
  if (closing && closing->login == login && run != Run{}) {
    conclude(std::pair(closing->up_done, closing->since), {});
  }
  if (reason == Reason::replaced || reason == Reason::fault) {
    conclude({}, {});
    login = 0;
    gone_.clear();
    told = reason == Reason::replaced;
  }
  gate_gone();
}

void Client::shown(const GatePart& part) {
  world_.show(*this, part);
  n = part.n;
  switch (part.part.kind) {
    case PartKind::full: {
      const FullState full = *decode_full(*part.part.body);
      const bool same = part.at.bind == bind;
      conclude(std::pair(full.up_done, full.since), full.open, same);
      if (!same) next_u = full.up_done + 1;
      // Of another login, or of an unknown past, these numbers come again.
      std::erase_if(gone_, [&](std::uint64_t u) { return u > full.up_done; });
      bind = part.at.bind;
      run = part.at.run;
      subject = part.at.subject;
      value = bus::load<std::uint64_t>(full.properties.data());
      break;
    }
    case PartKind::news:
      value = bus::load<std::uint64_t>(part.part.body->data());
      break;
    case PartKind::reply: {
      const std::uint64_t u = decode_reply(*part.part.body)->u;
      if (gone_.contains(u)) World::bad("P3 a reply that was said to be gone has come");
      const auto found = out.find(u);
      if (found == out.end()) break;
      world_.fate(found->second.id, "reply");
      out.erase(found);
      break;
    }
    default:
      break;
  }
}

}  // namespace starbus::entity::sessions::sim
