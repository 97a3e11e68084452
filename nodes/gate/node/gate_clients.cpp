#include "nodes/gate/node/gate_clients.hpp"

#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "base/hex.hpp"
#include "nodes/gate/core/egress.hpp"
#include "nodes/gate/node/limits.hpp"

namespace starbus::nodes::gate {
namespace {

using daemon::AdminRole;
using daemon::Request;
using daemon::Response;
using Json = nlohmann::ordered_json;

std::string hex_id(const SessionId& id) {
  return hex_of(std::string_view(reinterpret_cast<const char*>(&id), sizeof id));
}

/// nullopt: no id.
std::optional<SessionId> id_of(const std::string& text) {
  const auto bytes = bytes_of_hex(text);
  if (!bytes || bytes->size() != sizeof(SessionId)) return std::nullopt;
  SessionId id;
  std::memcpy(&id, bytes->data(), sizeof id);
  return id;
}

const char* name_of_state(SessionState state) {
  switch (state) {
    case SessionState::fresh:
      return "fresh";
    case SessionState::binding:
      return "binding";
    case SessionState::bound:
      return "bound";
    case SessionState::away:
      return "away";
    case SessionState::giving:
      return "giving";
    case SessionState::stub:
      return "stub";
    case SessionState::ended:
      return "ended";
  }
  return "?";
}

Json pair_json(std::uint64_t epoch, std::uint64_t counter) {
  return std::to_string(epoch) + "." + std::to_string(counter);
}

std::uint64_t passed(GateTime since, GateTime now) {
  return now <= since ? 0 : static_cast<std::uint64_t>((now - since).count());
}

/// For how long nobody answers as its subject. One that waits in the queue of a login is not lost.
std::uint64_t lost_ms(const Session& session, GateTime now) {
  const bool here = session.stage == Stage::fresh || session.stage == Stage::live;
  return here && session.lost ? passed(*session.lost, now) : 0;
}

/// One line of a list.
Json row_json(const Session& session, const ClientSide& clients, GateTime now) {
  Json row = {{"session", hex_id(session.id)},
              {"state", name_of_state(session.state())},
              {"account", session.account},
              {"subject", session.subject},
              {"lost_ms", lost_ms(session, now)}};
  if (const auto view = clients.view(session.connection)) {
    row["address"] = view->address;
    row["transport"] = net::kConnectionKinds[static_cast<std::size_t>(view->kind)];
    row["connected_ms"] = view->connected.count();
    row["program"] = view->program;
    row["queued"] = view->queued;
    row["round_trip_ms"] = view->round_trip.count() < 0 ? Json() : Json(view->round_trip.count());
  }
  return row;
}

Json traffic_json(const Traffic& traffic) {
  Json json = Json::object();
  for (const auto& [kind, count] : kinds_of(traffic)) {
    json[std::string(kind)] = {{"number", count.number}, {"bytes", count.bytes}};
  }
  return json;
}

Json session_json(const Session& session, const ClientSide& clients, GateTime now) {
  Json json = row_json(session, clients, now);
  json["opened_ms"] = passed(session.opened, now);
  json["login"] = session.login;
  json["turn"] = session.hand.turn;
  json["bind"] = pair_json(session.order.bind().epoch, session.order.bind().counter);
  json["run"] = pair_json(session.order.run().epoch, session.order.run().counter);
  json["next_part"] = session.order.next();
  json["next_packet"] = session.window.state().next;
  json["acked_packet"] = session.window.state().acked;
  json["window_bytes"] = session.window.bytes();
  json["window_packets"] = session.window.state().packets.size();
  json["waiting_packets"] = Egress::waiting(session);
  json["credit_bytes"] = session.credited;
  json["requests_seen"] = session.requests.seen();
  json["requests_open"] = session.requests.state().pending.size();
  json["groups"] = session.groups;
  json["traffic"] = traffic_json(session.traffic);
  if (const auto view = clients.view(session.connection)) {
    json["control_bytes"] = view->control_bytes;
  }
  if (!session.parted.empty()) {
    json["parted"] = {{"why", session.parted}, {"ago_ms", passed(session.parted_at, now)}};
  }
  if (session.stage == Stage::stub) json["gate"] = session.hand.to.channel;
  return json;
}

/// "account/ada" without its kind.
std::string_view bare(std::string_view channel) {
  const auto slash = channel.find('/');
  return slash == std::string_view::npos ? channel : channel.substr(slash + 1);
}

/// What a question of an operator looks for.
struct Wanted {
  std::string prefix;
  std::string name;
  std::uint64_t lost_ms = 0;

  bool fits(std::string_view channel) const {
    if (!name.empty()) return channel == name || bare(channel) == name;
    return channel.starts_with(prefix) || bare(channel).starts_with(prefix);
  }
  bool fits(const Session& session, GateTime now) const {
    if (lost_ms != 0 && nodes::gate::lost_ms(session, now) < lost_ms) return false;
    return fits(session.account) || fits(session.subject);
  }
};

/// Calls `see` for sessions after `at`, until it returns false or kClientsSeen were seen. The last
/// that was seen, if there are more.
template <class See>
std::optional<SessionId> walk(GateCore* core, SessionId at, See see) {
  for (std::size_t seen = 0; core != nullptr; ++seen) {
    const Session* const session = core->after(at);
    if (session == nullptr) break;
    if (seen == kClientsSeen || !see(*session)) return at;
    at = session->id;
  }
  return {};
}

/// The `after` of a question; nullopt: it is malformed.
std::optional<SessionId> place_of(const Request& request) {
  const std::string after = request.parameter_or("after", "");
  return after.empty() ? SessionId{} : id_of(after);
}

Response bad_place() {
  return Response::error(400, "after: 32 hex digits, as `next` of the last answer");
}

Json next_json(const std::optional<SessionId>& next) {
  return next ? Json(hex_id(*next)) : Json();
}

}  // namespace

std::vector<std::pair<std::string_view, Traffic::Count>> kinds_of(const Traffic& traffic) {
  return {{"calls", traffic.calls},
          {"properties", traffic.properties},
          {"sight", traffic.sight},
          {"replies", traffic.replies},
          {"announcements", traffic.announcements},
          {"control", traffic.control},
          {"requests", traffic.requests}};
}

Response clients_answer(GateCore* core, const ClientSide& clients, const Request& request) {
  const auto lost = request.number_or("lost_ms", 0);
  if (!lost) return Response::no_number("lost_ms");
  const auto from = place_of(request);
  if (!from) return bad_place();
  const Wanted wanted{request.parameter_or("prefix", ""), request.parameter_or("name", ""), *lost};
  const GateTime now = core == nullptr ? GateTime{} : core->now();
  Json rows = Json::array();
  const auto next = walk(core, *from, [&](const Session& session) {
    if (rows.size() == kClientRows) return false;
    if (wanted.fits(session, now)) rows.push_back(row_json(session, clients, now));
    return true;
  });
  return Response::json({{"sessions", core == nullptr ? 0 : core->size()},
                         {"clients", std::move(rows)},
                         {"next", next_json(next)}});
}

Response client_answer(GateCore* core, const ClientSide& clients, const Request& request) {
  const auto id = id_of(request.parameter_or("id", ""));
  if (!id) return Response::error(400, "id: the 32 hex digits of a session, as /clients has them");
  const Session* const session = core == nullptr ? nullptr : core->find(*id);
  if (session == nullptr) return Response::error(404, "this gate has no such session");
  return Response::json(session_json(*session, clients, core->now()));
}

Response partings_answer(const GateCore* core, const Request& request) {
  const Wanted wanted{request.parameter_or("prefix", ""), request.parameter_or("name", ""), 0};
  Json rows = Json::array();
  if (core != nullptr) {
    const auto& all = core->partings().rows();
    for (auto row = all.rbegin(); row != all.rend() && rows.size() < kClientRows; ++row) {
      const std::string session = hex_id(row->session);
      if (session != wanted.name && !wanted.fits(row->account) && !wanted.fits(row->subject)) {
        continue;
      }
      rows.push_back({{"ago_ms", passed(row->at, core->now())},
                      {"session", session},
                      {"account", row->account},
                      {"subject", row->subject},
                      {"address", row->address},
                      {"why", row->why},
                      {"over", row->over}});
    }
  }
  return Response::json({{"partings", std::move(rows)}});
}

Response audience_answer(GateCore* core, const Request& request) {
  const auto from = place_of(request);
  if (!from) return bad_place();
  const std::string group = request.parameter_or("group", "");
  std::uint64_t clients = 0;
  std::optional<SessionId> next;
  if (!group.empty()) {
    clients = core == nullptr ? 0 : core->members(group);
  } else {
    next = walk(core, *from, [&](const Session& session) {
      clients += session.listens() ? 1 : 0;
      return true;
    });
  }
  return Response::json({{"group", group}, {"clients", clients}, {"next", next_json(next)}});
}

Response announced_answer(const GateCore* core, const Request& request) {
  constexpr std::uint64_t kNone = std::numeric_limits<std::uint64_t>::max();
  const auto host = request.number_or("host", kNone);
  const auto slot = request.number_or("slot", kNone);
  const auto incarnation = request.number_or("incarnation", kNone);
  const auto number = request.number_or("number", kNone);
  for (const auto& each : {host, slot}) {
    if (!each || *each > std::numeric_limits<std::uint32_t>::max()) {
      return Response::error(400, "host, slot: numbers of a process");
    }
  }
  if (!incarnation) return Response::no_number("incarnation");
  if (!number) return Response::no_number("number");
  const bus::Process origin{static_cast<std::uint32_t>(*host), static_cast<std::uint32_t>(*slot),
                            *incarnation};
  const auto reach = core == nullptr ? std::nullopt : core->reach(origin, *number);
  const char* state = "unknown";
  if (reach && reach->state == Reach::State::speaking) state = "speaking";
  if (reach && reach->state == Reach::State::done) state = "done";
  if (reach && reach->state == Reach::State::refused) state = "refused";
  return Response::json(
      {{"state", state}, {"handed", reach ? reach->handed : 0}, {"kept", reach ? reach->kept : 0}});
}

void add_client_routes(daemon::AdminServer& admin, Gate& gate) {
  admin.get("/clients", AdminRole::read, [&gate](const Request& request) {
    return clients_answer(gate.sessions_core(), gate.clients(), request);
  });
  admin.get("/client", AdminRole::read, [&gate](const Request& request) {
    return client_answer(gate.sessions_core(), gate.clients(), request);
  });
  admin.get("/partings", AdminRole::read, [&gate](const Request& request) {
    return partings_answer(gate.sessions_core(), request);
  });
  admin.get("/audience", AdminRole::observe, [&gate](const Request& request) {
    return audience_answer(gate.sessions_core(), request);
  });
  admin.get("/announced", AdminRole::observe, [&gate](const Request& request) {
    return announced_answer(gate.sessions_core(), request);
  });
  for (const char* path : {"/clients", "/client", "/partings", "/audience", "/announced"}) {
    admin.offer(path);
  }
}

}  // namespace starbus::nodes::gate
