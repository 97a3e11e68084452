#include "nodes/gate/node/gate_admin.hpp"

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/wall_clock.hpp"
#include "nodes/gate/net/front_metrics.hpp"
#include "nodes/gate/node/gate_clients.hpp"

namespace starbus::nodes::gate {
namespace {

using daemon::AdminRole;
using daemon::Metrics;
using daemon::Request;
using daemon::Response;
using Json = nlohmann::ordered_json;

Json gate_json(Gate& gate) {
  const GateCore* const core = gate.sessions_core();
  const GateCounters counters = core == nullptr ? GateCounters{} : core->counters();
  const ClientSideCounters& clients = gate.clients().counters();
  const DeflatedFrames::Counters deflated = gate.clients().deflated();
  const BusSideCounters& bus = gate.cluster().counters();
  const net::FrontCounters& front = gate.clients().front().counters();
  return {{"address", gate.settings().address},
          {"now_ms", wall_ms()},
          {"draining", gate.draining()},
          {"cut_off", core != nullptr && core->cut_off()},
          {"sessions", gate.sessions()},
          {"most_sessions", gate.settings().sessions},
          {"connections", gate.clients().size()},
          {"most_connections", gate.clients().front().limits().connections},
          {"certificates_expire", gate.clients().front().certificates_expire()},
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
            {"found", counters.found},
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
            {"cut_off", counters.cut_off},
            {"too_slow", counters.too_slow + front.of(net::Ending::too_slow)},
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

std::vector<Metrics::Sample> bytes_by_kind(const Traffic& traffic) {
  std::vector<Metrics::Sample> samples;
  for (const auto& [kind, count] : kinds_of(traffic)) {
    samples.push_back({{{"kind", std::string(kind)}}, static_cast<double>(count.bytes)});
  }
  return samples;
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
  counter("starbus_gate_announced_total", "Announcements handed to clients, one for each client.",
          &GateCounters::spoken);
  counter("starbus_gate_too_slow_total", "Sessions ended because their client took nothing.",
          &GateCounters::too_slow);
  metrics.family("starbus_gate_body_bytes_total", "Bytes of bodies of clients, by kind.",
                 Metrics::Kind::counter, [&gate] {
                   const GateCore* const core = gate.sessions_core();
                   return bytes_by_kind(core == nullptr ? Traffic{} : core->counters().traffic);
                 });
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
  context.admin.offer("/gate");
  add_client_routes(context.admin, gate);
}

}  // namespace starbus::nodes::gate
