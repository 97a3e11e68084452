#include "nodes/gate/node/gate_admin.hpp"

#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "base/hex.hpp"
#include "nodes/gate/net/front_metrics.hpp"

namespace starbus::nodes::gate {
namespace {

using daemon::AdminRole;
using daemon::Metrics;
using daemon::Request;
using daemon::Response;
using Json = nlohmann::ordered_json;

/// Rows of one answer of /clients: what a person pages through, and one turn of the loop.
constexpr std::size_t kClientRows = 200;
/// Sessions that one question looks at: the answer goes on after the last.
constexpr std::size_t kClientsSeen = 2'000;

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

/// One line of a list.
Json row_json(const Session& session, const ClientSide& clients) {
  Json row = {{"session", hex_id(session.id)},
              {"state", name_of_state(session.state())},
              {"account", session.account},
              {"subject", session.subject}};
  if (const auto view = clients.view(session.connection)) {
    row["address"] = view->address;
    row["program"] = view->program;
    row["queued"] = view->queued;
    row["round_trip_ms"] = view->round_trip.count() < 0 ? Json() : Json(view->round_trip.count());
  }
  return row;
}

Json session_json(const Session& session, const ClientSide& clients) {
  Json json = row_json(session, clients);
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
  if (session.stage == Stage::stub) json["gate"] = session.hand.to.channel;
  return json;
}

Json gate_json(Gate& gate) {
  const GateCore* const core = gate.sessions_core();
  const GateCounters counters = core == nullptr ? GateCounters{} : core->counters();
  const ClientSideCounters& clients = gate.clients().counters();
  const DeflatedFrames::Counters deflated = gate.clients().deflated();
  const BusSideCounters& bus = gate.cluster().counters();
  const net::FrontCounters& front = gate.clients().front().counters();
  return {{"address", gate.settings().address},
          {"sessions", gate.sessions()},
          {"connections", gate.clients().size()},
          {"held_bytes", gate.clients().front().held_bytes()},
          {"sessions_waiting", core == nullptr ? 0 : core->sessions_waiting()},
          {"downlink",
           {{"client_rate", gate.settings().budget.client_rate},
            {"client_burst", gate.settings().budget.client_burst},
            {"gate_rate", gate.settings().budget.gate_rate},
            {"compress_above", gate.settings().compress_above}}},
          {"calls_waiting_bytes", gate.cluster().calls().waiting()},
          {"counters",
           {{"logins", counters.logins},
            {"resumed", counters.resumed},
            {"reentered", counters.reentered},
            {"given", counters.given},
            {"taken", counters.taken},
            {"undone", counters.undone},
            {"refused_tokens", counters.refused_tokens},
            {"reused_tokens", counters.reused_tokens},
            {"refused_positions", counters.refused_positions},
            {"malformed", counters.malformed + clients.malformed},
            {"malformed_words", counters.malformed_words + bus.malformed},
            {"foreign_words", bus.foreign},
            {"parts_late", counters.parts_late},
            {"parts_full", counters.parts_full},
            {"parts_foreign", counters.parts_foreign},
            {"parts_unknown", counters.parts_unknown},
            {"forwarded", counters.forwarded},
            {"pulses", counters.pulses},
            {"resyncs", counters.resyncs},
            {"requests", counters.requests},
            {"requests_dropped", counters.requests_dropped},
            {"busy", counters.busy},
            {"paused", clients.paused},
            {"spoken", counters.spoken},
            {"spoken_twice", counters.spoken_twice},
            {"announcements_refused", bus.refused},
            {"ended", counters.ended},
            {"too_slow", counters.too_slow},
            {"packets_waited", counters.packets_waited},
            {"packets", clients.packets},
            {"packet_bytes", clients.packet_bytes},
            {"deflated_packets", deflated.packets},
            {"deflated_bodies", deflated.bodies},
            {"deflated_from_bytes", deflated.before},
            {"deflated_to_bytes", deflated.after},
            {"frames_in", front.frames_in},
            {"frames_out", front.frames_out}}}};
}

Response clients_json(Gate& gate, const Request& request) {
  GateCore* const core = gate.sessions_core();
  const std::string prefix = request.parameter_or("prefix", "");
  SessionId at{};
  if (const std::string after = request.parameter_or("after", ""); !after.empty()) {
    const auto id = id_of(after);
    if (!id) return Response::error(400, "after: 32 hex digits, as `next` of the last answer");
    at = *id;
  }
  Json rows = Json::array();
  std::size_t seen = 0;
  bool more = false;
  while (core != nullptr) {
    const Session* const session = core->after(at);
    if (session == nullptr) break;
    if (rows.size() == kClientRows || seen == kClientsSeen) {
      more = true;
      break;
    }
    ++seen;
    at = session->id;
    if (session->account.starts_with(prefix) || session->subject.starts_with(prefix)) {
      rows.push_back(row_json(*session, gate.clients()));
    }
  }
  return Response::json({{"sessions", gate.sessions()},
                         {"clients", std::move(rows)},
                         {"next", more ? Json(hex_id(at)) : Json()}});
}

Response client_json(Gate& gate, const Request& request) {
  const auto id = id_of(request.parameter_or("id", ""));
  if (!id) return Response::error(400, "id: the 32 hex digits of a session, as /clients has them");
  GateCore* const core = gate.sessions_core();
  const Session* const session = core == nullptr ? nullptr : core->find(*id);
  if (session == nullptr) return Response::error(404, "this gate has no such session");
  return Response::json(session_json(*session, gate.clients()));
}

void add_gate_metrics(Metrics& metrics, Gate& gate) {
  const auto gauge = [&](const char* name, const char* help, auto read) {
    metrics.gauge(name, help, [&gate, read] { return static_cast<double>(read(gate)); });
  };
  gauge("starbus_gate_sessions", "Sessions, with those that have just ended or gone.",
        [](Gate& g) { return g.sessions(); });
  gauge("starbus_gate_calls_waiting_bytes", "Bytes of calls waiting for the windows of the bus.",
        [](Gate& g) { return g.cluster().calls().waiting(); });
  gauge("starbus_gate_sessions_waiting", "Sessions with packets waiting for a byte budget.",
        [](Gate& g) {
          const GateCore* const core = g.sessions_core();
          return core == nullptr ? 0 : core->sessions_waiting();
        });
  metrics.counter("starbus_gate_deflated_from_bytes_total", "Bytes of bodies before deflate.",
                  [&gate] { return static_cast<double>(gate.clients().deflated().before); });
  metrics.counter("starbus_gate_deflated_to_bytes_total", "Bytes of the same after it.",
                  [&gate] { return static_cast<double>(gate.clients().deflated().after); });
  const auto counter = [&](const char* name, const char* help, std::uint64_t GateCounters::*of) {
    metrics.counter(name, help, [&gate, of] {
      const GateCore* const core = gate.sessions_core();
      return core == nullptr ? 0.0 : static_cast<double>(core->counters().*of);
    });
  };
  counter("starbus_gate_logins_total", "Sessions opened by a login.", &GateCounters::logins);
  counter("starbus_gate_resumed_total", "Connections continuing a session.",
          &GateCounters::resumed);
  counter("starbus_gate_given_total", "Sessions handed to other gates.", &GateCounters::given);
  counter("starbus_gate_taken_total", "Sessions taken from other gates.", &GateCounters::taken);
  counter("starbus_gate_requests_total", "Requests of clients.", &GateCounters::requests);
  counter("starbus_gate_resyncs_total", "Holes filled with full state.", &GateCounters::resyncs);
  counter("starbus_gate_refused_tokens_total", "Connections with a wrong token.",
          &GateCounters::refused_tokens);
  counter("starbus_gate_too_slow_total", "Sessions ended with a full window.",
          &GateCounters::too_slow);
  counter("starbus_gate_packets_waited_total", "Waits of sessions for a byte budget.",
          &GateCounters::packets_waited);
  counter("starbus_gate_reused_tokens_total", "Sessions ended for an erased token.",
          &GateCounters::reused_tokens);
}

}  // namespace

void add_gate_admin(Node& node, Gate& gate) {
  auto& context = node.process_context();
  add_gate_metrics(context.metrics, gate);
  net::add_front_metrics(context.metrics, gate.front());
  context.admin.get("/gate", AdminRole::observe,
                    [&gate](const Request&) { return Response::json(gate_json(gate)); });
  context.admin.get("/clients", AdminRole::read,
                    [&gate](const Request& request) { return clients_json(gate, request); });
  context.admin.get("/client", AdminRole::read,
                    [&gate](const Request& request) { return client_json(gate, request); });
}

}  // namespace starbus::nodes::gate
