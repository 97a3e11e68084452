#include "tests/entity/client/sim/client.hpp"

#include <algorithm>

#include "tests/entity/client/sim/world.hpp"

namespace starbus::entity::sessions::sim {

using gates::CloseReason;

void Client::connect(const Pid& to) {
  if (wire) world_.drop(wire);
  on = told = lied = false;
  wire = world_.connect(this, to);
  if (!session) {
    wire->up.emplace_back(gates::Login{"sim", account, {}});
    return;
  }
  bus::Bytes signed_part(8);
  bus::store(signed_part.data(), login);
  const bus::ByteView who = bus::as_bytes(account);
  signed_part.insert(signed_part.end(), who.begin(), who.end());
  wire->up.emplace_back(gates::Resume{session, token, gate, position, std::move(signed_part)});
}

void Client::unplug() {
  wire.reset();
  on = false;
}

void Client::request(const std::string& go) {
  if (!on || run == Run{} || out.size() > 5) return;
  const std::uint64_t id = world_.fresh();
  world_.oracle.requests[id] = {name, subject, 0, {}, world_.oracle.died_at[{session, bind}]};
  out[next_u] = {id, bind, go};
  put(next_u++);
}

void Client::put(std::uint64_t u) {
  if (!wire || !on) return;
  const ClientRequest& request = out[u];
  bus::Bytes body(8);
  bus::store(body.data(), request.id);
  const bus::ByteView go = bus::as_bytes(request.go);
  body.insert(body.end(), go.begin(), go.end());
  wire->up.emplace_back(gates::Ask{u, request.bind, std::move(body)});
}

void Client::again(std::uint64_t up_seen) {
  for (const auto& [u, request] : out) {
    if (u > up_seen && request.bind == bind) put(u);
  }
}

void Client::tick() {
  if (!wire || !on) return;
  if (position.c != 0) wire->up.emplace_back(gates::Ack{position.c});
  if (busy_) again(*busy_);
  busy_.reset();
}

void Client::received(const Wire::Down& what) {
  if (std::holds_alternative<Wire::Eof>(what)) return unplug();
  if (const auto* parcel = std::get_if<Parcel>(&what)) {
    if (!on) Oracle::bad("P1 a packet before the welcome: " + name);
    return shown(*parcel);
  }
  const auto& frame = std::get<gates::ToClient>(what);
  if (const auto* welcome = std::get_if<gates::Welcome>(&frame)) {
    welcomed(*welcome);
  } else if (const auto* busy = std::get_if<gates::Busy>(&frame)) {
    busy_ = busy->up_seen;
  } else if (const auto* go = std::get_if<gates::GoTo>(&frame)) {
    for (std::uint32_t slot = 1; slot <= 3; ++slot) {
      const Pid there = world_.pid_of(1, slot);
      if (there != Pid{} && channel_of(there) == go->address) return connect(there);
    }
  } else if (const auto* close = std::get_if<gates::Closed>(&frame)) {
    closed(close->reason);
  }
}

void Client::welcomed(const gates::Welcome& welcome) {
  if (welcome.goes_on != (welcome.session == session)) {
    Oracle::bad("P1 a welcome to another session: " + name);
  }
  if (welcome.login != login) conclude({}, {});
  if (welcome.goes_on) {
    if (welcome.position.c != position.c) Oracle::bad("P1 a welcome to another position: " + name);
  } else {
    forget();
    heard.clear();
  }
  if (welcome.login != login) gone_.clear();
  session = welcome.session;
  token = welcome.token;
  gate = welcome.gate;
  login = welcome.login;
  position = welcome.position;
  on = true;
  if (world_.chance.likely(0.7)) wire->up.emplace_back(gates::Confirm{});
  if (run != Run{} && bind == welcome.up_bind) again(welcome.up_seen);
}

/// The login is over: only a proof of identity opens another session.
void Client::log_out(bool replaced) {
  conclude({}, {});
  gone_.clear();
  forget();
  session = {};
  login = 0;
  told = replaced;
}

void Client::closed(CloseReason reason) {
  ++world_.oracle.count["closed " + std::to_string(static_cast<int>(reason))];
  world_.drop(wire);
  unplug();
  switch (reason) {
    case CloseReason::replaced:
      world_.oracle.check_replaced(*this);
      return log_out(true);
    case CloseReason::token:
    case CloseReason::token_reused:
    case CloseReason::ended:
    case CloseReason::denied:
      return log_out(false);
    case CloseReason::window:
      if (!world_.deaths) Oracle::bad("P1 a position is refused: " + name);
      return gate.clear();
    case CloseReason::malformed:
      if (!lied) Oracle::bad("an honest client is malformed: " + name);
      return;
    case CloseReason::fault:
      if (!world_.deaths && !lied && !world_.oracle.came_back(*this)) {
        Oracle::bad("P5 a session ends as a fault: " + name);
      }
      return;
    default:
      return;
  }
}

void Client::conclude(const std::optional<std::pair<std::uint64_t, Bind>>& up,
                      const std::vector<std::uint64_t>& open, bool under_way) {
  for (auto at = out.begin(); at != out.end();) {
    const auto& [u, request] = *at;
    if (!up || request.bind < up->second) {
      world_.oracle.fate(request.id, up ? "unknown" : "lost");
    } else if (u > up->first) {
      if (under_way) {  // the gate has it, or gets it again
        ++at;
        continue;
      }
      world_.oracle.fate(request.id, "not begun");
    } else if (std::ranges::find(open, u) != open.end()) {
      ++at;
      continue;
    } else {
      world_.oracle.fate(request.id, "gone");
      gone_.insert(u);
    }
    at = out.erase(at);
  }
}

void Client::forget() {
  position = {};
  bind = {};
  run = {};
  n = 0;
  subject.clear();
}

void Client::full_state(const Parcel& parcel) {
  const FullState full = *decode_full(*std::get<Body>(parcel.body));
  const bool same = full.bind == bind;
  conclude(std::pair(full.up_done, full.since), full.open, same);
  if (!same) next_u = full.up_done + 1;
  // Of another login, or of an unknown past, these numbers come again.
  std::erase_if(gone_, [&](std::uint64_t u) { return u > full.up_done; });
  bind = full.bind;
  run = parcel.mark.run;
  subject = full.subject;
  value = bus::load<std::uint64_t>(full.properties.data());
  if (same) again(parcel.up_seen);
}

void Client::shown(const Parcel& parcel) {
  world_.oracle.show(*this, parcel);
  position.c = parcel.c;
  if (const auto* last = std::get_if<gates::Ended>(&parcel.body)) {
    if (last->closing && run != Run{}) conclude(std::pair(last->up_done, last->since), {});
    return;
  }
  const Body& body = std::get<Body>(parcel.body);
  switch (parcel.kind) {
    case gates::PacketKind::full:
      full_state(parcel);
      break;
    case gates::PacketKind::news:
      value = bus::load<std::uint64_t>(body->data());
      break;
    case gates::PacketKind::reply: {
      const std::uint64_t u = decode_reply(*body)->u;
      if (gone_.contains(u)) Oracle::bad("P3 a reply that was said to be gone has come");
      const auto found = out.find(u);
      if (found == out.end()) break;
      world_.oracle.fate(found->second.id, "reply");
      out.erase(found);
      break;
    }
    default:
      break;
  }
  if (parcel.mark.n != 0) n = parcel.mark.n;
}

}  // namespace starbus::entity::sessions::sim
