#include "examples/arena/operator/survey.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "daemon/admin/admin_http.hpp"
#include "daemon/admin/http_client.hpp"

namespace arena::view {

using nlohmann::json;

namespace {

/// Answers come from programs of other versions, too: what is missing, or is something else, is
/// left out.
template <class T>
T part(const json& object, const char* key, T otherwise) {
  const auto found = object.is_object() ? object.find(key) : object.end();
  if (found == object.end()) return otherwise;
  try {
    return found->template get<T>();
  } catch (const json::exception&) {
    return otherwise;
  }
}
json list(const json& object, const char* key) {
  const json found = part<json>(object, key, json::array());
  return found.is_array() ? found : json::array();
}
json table(const json& object, const char* key) {
  const json found = part<json>(object, key, json::object());
  return found.is_object() ? found : json::object();
}

/// m, rounded to what a picture can show.
double metres(const json& place, std::size_t axis) {
  const bool there = place.is_array() && place.size() > axis && place[axis].is_number();
  const double value = there ? place[axis].get<double>() : 0;
  return std::round(value * 10) / 10;
}

/// [id, x, y, is it a player, [[x, y] of each corner to which it still goes]]; the last one only if
/// it has a way.
json dot(const json& member) {
  const json at = list(member, "at");
  json row = {part<std::string>(member, "id", ""), metres(at, 0), metres(at, 1),
              part(member, "player", false) ? 1 : 0};
  json way = json::array();
  for (const json& corner : list(table(member, "nav"), "way")) {
    if (way.size() == Survey::kMostCorners) break;
    way.push_back({metres(corner, 0), metres(corner, 1)});
  }
  if (!way.empty()) row.push_back(std::move(way));
  return row;
}

}  // namespace

Ask ask_by_socket(std::chrono::milliseconds patience) {
  return [patience](const Program& program, const std::string& target) -> std::optional<json> {
    const auto client = starbus::daemon::HttpClient::at("unix://" + program.socket, patience);
    if (!client) return std::nullopt;
    const auto body = client->get(target);
    if (!body) return std::nullopt;
    json answer = json::parse(*body, nullptr, false);
    if (!answer.is_object()) return std::nullopt;
    return answer;
  };
}

Survey::Survey(const RunFolder& folder, Ask ask, std::function<bool()> goes_on)
    : folder_(folder), ask_(std::move(ask)), goes_on_(std::move(goes_on)) {}

std::optional<Round> Survey::round(Moment now) {
  on_bus_.clear();
  hosts_ = json::array();
  json rows = json::array();
  json spaces = json::array();
  Round found;
  // Daemons first: their answers are parts of the rows of nodes.
  std::vector<const Program*> order;
  for (const Program& program : folder_.programs()) order.push_back(&program);
  std::stable_partition(order.begin(), order.end(),
                        [](const Program* each) { return each->kind == "busd"; });
  for (const Program* const program : order) {
    if (!goes_on_()) return std::nullopt;
    rows.push_back(program_row(*program, now));
    found.up[program->name] = rows.back()["up"].get<bool>();
    if (program->kind == "arena" && rows.back()["answers"] == true) {
      ask_spaces(*program, spaces, found.crowds);
    }
  }
  found.shown = {{"hosts", std::move(hosts_)},
                 {"programs", std::move(rows)},
                 {"spaces", std::move(spaces)},
                 {"run", folder_.folder().string()}};
  return found;
}

json Survey::program_row(const Program& program, Moment now) {
  json row = {{"name", program.name}, {"host", program.host}, {"kind", program.kind}};
  const auto process = folder_.look(program);
  row["up"] = process.has_value();
  row["answers"] = false;
  if (process) {
    row["pid"] = process->pid;
    row["started"] = process->started;
    row["memory"] = process->memory;
    row["processor"] = processor_share(program.name, *process, now);
  } else {
    used_.erase(program.name);
  }
  const bool asks = process && !program.socket.empty();
  if (asks && program.node.empty()) ask_daemon(program, row);
  if (asks && !program.node.empty()) ask_node(program, row);
  if (program.socket.empty()) row["answers"] = process.has_value();  // there is nobody to ask
  if (program.kind == "busd" && row["answers"] == false) {
    hosts_.push_back({{"host", program.host}, {"connected", false}});
  }
  return row;
}

/// Of one processor, since the round before.
double Survey::processor_share(const std::string& name, const Process& process, Moment now) {
  const auto before = used_.find(name);
  double share = 0;
  if (before != used_.end() && before->second.process.started == process.started) {
    const double passed = std::chrono::duration<double>(now - before->second.at).count();
    if (passed > 0) share = (process.processor - before->second.process.processor) / passed;
  }
  used_[name] = {process, now};
  return std::max(0.0, share);
}

void Survey::ask_daemon(const Program& program, json& row) {
  const auto topology = ask_(program, "/topology");
  if (!topology) return;
  row["answers"] = true;
  row["names"] = part<std::uint64_t>(*topology, "names", 0);
  if (program.kind != "busd") {
    const bool grace = part(*topology, "grace", false);
    row["state"] = grace ? "waits for hosts" : "ready";
    return;
  }
  for (const json& process : list(*topology, "processes")) {
    on_bus_[part<std::string>(process, "name", "")] = process;
  }
  const json uplink = table(*topology, "uplink");
  const bool connected = part(uplink, "connected", false);
  row["state"] = connected ? "ready" : "cut off from busroot";
  hosts_.push_back({{"host", program.host},
                    {"connected", connected},
                    {"rtt_us", part(uplink, "rtt_us", 0.0)},
                    {"names", row["names"]}});
}

void Survey::ask_node(const Program& program, json& row) {
  const auto inspected = ask_(program, "/inspect");
  if (!inspected) return;
  row["answers"] = true;
  row["state"] = part<std::string>(*inspected, "state", "");
  row["busy"] = part(table(*inspected, "load"), "busy_ms_per_s", 0.0);
  if (const auto found = on_bus_.find(program.host + "." + program.node); found != on_bus_.end()) {
    row["names"] = part<std::uint64_t>(found->second, "names", 0);
    row["sent"] = part<std::uint64_t>(table(found->second, "vitals"), "sent_per_s", 0);
  }
  if (program.kind != "gate") return;
  const auto gate = ask_(program, "/gate");
  if (gate) row["sessions"] = part<std::uint64_t>(*gate, "sessions", 0);
}

void Survey::ask_spaces(const Program& program, json& spaces, std::vector<Crowd>& crowds) {
  const auto page = ask_(program, "/spaces");
  if (!page) return;
  std::size_t asked = 0;
  for (const json& space : list(*page, "spaces")) {
    if (!goes_on_()) return;
    spaces.push_back(space_row(program, space, asked++ < kMostSpaces, crowds));
  }
}

json Survey::space_row(const Program& program, const json& space, bool members,
                       std::vector<Crowd>& crowds) {
  const json tick = table(space, "tick");
  json row = {{"space", part<std::string>(space, "space", "")},
              {"program", program.name},
              {"host", program.host},
              {"state", part<std::string>(space, "state", "")},
              {"players", part<std::uint64_t>(space, "players", 0)},
              {"others", part<std::uint64_t>(space, "others", 0)},
              {"capacity", part<std::uint64_t>(space, "capacity", 0)},
              {"rate", part(tick, "per_second", 0.0)},
              {"took_ms", part(table(tick, "took_ms"), "p99", 0.0)},
              {"missed", part<std::uint64_t>(tick, "window_missed", 0)},
              {"dots", json::array()}};
  if (!members || row["state"] != "running") return row;
  const auto page = ask_(program, "/spaces/members?space=" + starbus::daemon::percent_encode(
                                                                 row["space"].get<std::string>()));
  if (!page) return row;
  row["min"] = list(*page, "min");
  row["max"] = list(*page, "max");
  Crowd crowd{.space = row["space"], .program = program.name, .heroes = {}};
  for (const json& member : list(*page, "members")) {
    if (row["dots"].size() < kMostMembers) row["dots"].push_back(dot(member));
    const auto id = part<std::string>(member, "persistent_id", "");
    if (part(member, "player", false) && !id.empty()) crowd.heroes.push_back(id);
  }
  crowds.push_back(std::move(crowd));
  return row;
}

}  // namespace arena::view
