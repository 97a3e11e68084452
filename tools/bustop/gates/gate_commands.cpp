#include "tools/bustop/gates/gate_commands.hpp"

#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <ostream>

#include "entity/client/limits.hpp"
#include "tools/bustop/bus_trouble.hpp"
#include "tools/bustop/commands.hpp"
#include "tools/bustop/gates/call_text.hpp"
#include "tools/bustop/gates/gate_readings.hpp"
#include "tools/bustop/gates/gate_view.hpp"
#include "tools/terminal/text.hpp"

namespace starbus::bustop {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kLookAgain(50);  // until gates are asked again how far they have come

int say(const ManagerContext& context, const bus::Error& error) {
  return bustop::say(context, error, {.denied = kAskingCure});
}

/// The gates of the cluster, after connect(); with none of them a word to the operator.
struct Gates {
  std::vector<std::string> names;
  std::optional<int> exit;
};
Gates find_gates(const ManagerContext& context, GateLink& link) {
  if (const auto connected = link.connect(); !connected) {
    return {{}, say(context, connected.error())};
  }
  auto names = gates_of([&](const std::string& prefix) { return link.names(prefix); });
  if (!names) return {{}, say(context, names.error())};
  if (names->empty()) {
    context.err << "bustop: no gate is on the bus\n  -> start starbus-gate on some host\n";
    return {{}, kExitNotFound};
  }
  // A refusal is the same at each gate: it is told once, and as the error that it is.
  if (const auto may = link.look(names->front(), "/gate");
      !may && may.error() == bus::Errc::denied) {
    return {{}, say(context, may.error())};
  }
  return {std::move(*names), {}};
}

std::string name_of_user() {
  const passwd* const entry = getpwuid(getuid());
  std::string name = entry == nullptr ? "uid " + std::to_string(getuid()) : entry->pw_name;
  name.resize(std::min(name.size(), entity::sessions::kOperatorName));
  return name;
}

bus::Result<std::string> body_of(const AnnounceOptions& options) {
  if (options.method.empty()) return notice_of(options.text);
  const auto arguments = nlohmann::json::parse(options.arguments, nullptr, false);
  if (arguments.is_discarded()) {
    return bus::Error(bus::Errc::bad_bytes, "--args: not JSON, such as '[\"ann\", 5]'");
  }
  return call_of(options.method, arguments);
}

/// What is wrong with the command, before anybody is asked.
std::optional<std::string> mistake(const AnnounceOptions& options) {
  if (options.group.empty()) return "GROUP: empty; * is all clients";
  if (options.group.size() > entity::sessions::kGroupName) return "GROUP: more than 64 bytes";
  if (options.preview) return std::nullopt;
  if (options.text.empty() == options.method.empty()) return "say either a TEXT or --method";
  return std::nullopt;
}

bool agrees(const ManagerContext& context, const Audience& audience,
            const AnnounceOptions& options) {
  if (options.yes || audience.clients < options.ask_from) return true;
  const std::string answer = context.read_line ? context.read_line("say it? [y/N] ") : "";
  if (answer == "y" || answer == "yes") return true;
  context.err << "bustop: nothing was said\n  -> --yes says it without asking\n";
  return false;
}

/// Gates walk over their clients in slices: until all have come to the end, or time is up.
Heard heard_in_time(const ManagerContext& context, GateLink& link,
                    const std::vector<std::string>& gates, const std::string& number) {
  const auto until = std::chrono::steady_clock::now() + context.timeout;
  for (;;) {
    Heard heard = heard_by(gates, link.looker(), number);
    if (heard.speaking == 0 || std::chrono::steady_clock::now() >= until) return heard;
    link.wait(kLookAgain);
  }
}

}  // namespace

int run_clients(const ManagerContext& context, const ClientsQuery& query) {
  GateLink link(context.busd, context.role, context.timeout);
  const Gates gates = find_gates(context, link);
  if (gates.exit) return *gates.exit;
  const ClientList list = list_clients(gates.names, link.looker(), query);
  context.out << (context.json ? dump(json_of_clients(list))
                               : render_clients(list, query, context.look));
  return list.notes.empty() ? kExitOk : kExitBad;
}

int run_client(const ManagerContext& context, const std::string& id) {
  GateLink link(context.busd, context.role, context.timeout);
  const Gates gates = find_gates(context, link);
  if (gates.exit) return *gates.exit;
  const ClientFound found = find_client(gates.names, link.looker(), id);
  const bool none = found.sessions.empty() && found.partings.empty();
  if (context.json) {
    context.out << dump(json_of_client(found));
  } else if (none) {
    context.err << "bustop: no gate knows " << printable(id)
                << ", now or of late\n  -> bustop clients PREFIX; bustop why account/NAME\n";
  }
  if (!context.json) context.out << render_client(found, context.look);
  if (!found.notes.empty()) return kExitBad;
  return none ? kExitNotFound : kExitOk;
}

int run_announce(const ManagerContext& context, const AnnounceOptions& options) {
  if (const auto wrong = mistake(options)) {
    context.err << "bustop: announce: " << *wrong << "\n";
    return kExitUsage;
  }
  const auto call = options.preview ? bus::Result<std::string>(std::string()) : body_of(options);
  if (!call) {
    context.err << "bustop: announce: " << printable(call.error().detail) << "\n";
    return kExitUsage;
  }
  GateLink link(context.busd, context.role, context.timeout);
  const Gates gates = find_gates(context, link);
  if (gates.exit) return *gates.exit;
  const std::string group = options.group == "*" ? "" : options.group;
  const Audience audience = audience_of(gates.names, link.looker(), group);
  if (options.preview) {
    context.out << (context.json ? dump(json_of_audience(audience, group))
                                 : render_audience(audience, group));
    return audience.notes.empty() ? kExitOk : kExitBad;
  }
  if (!context.json) context.out << render_audience(audience, group) << std::flush;
  if (!agrees(context, audience, options)) return kExitNotFound;
  const auto announced = link.announce(group, name_of_user(), *call);
  if (!announced) return say(context, announced.error());
  const Heard heard = heard_in_time(context, link, gates.names, announced->number);
  context.out << (context.json ? dump(json_of_announced(*announced, heard))
                               : render_announced(*announced, heard, context.look));
  const bool whole = announced->failed.empty() && heard.speaking == 0 && heard.notes.empty();
  return whole ? kExitOk : kExitBad;
}

}  // namespace starbus::bustop
