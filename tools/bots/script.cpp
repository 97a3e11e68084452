#include "tools/bots/script.hpp"

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>

#include "bus/core/error.hpp"
#include "clients/cpp/limits.hpp"
#include "daemon/config/config.hpp"
#include "tools/bots/limits.hpp"

namespace starbus::bots {
namespace {

using daemon::ConfigReader;
using namespace std::chrono_literals;

constexpr milliseconds kLongestRun = 30 * 24h;
constexpr std::string_view kTarget = "{target}";

std::string in_marks(const std::string& text) {
  return "'" + text + "'";
}

/// "class.method".
void read_method(ConfigReader& in, std::string& method, Signature& types) {
  method = in.required_string("method");
  const std::size_t dot = method.find('.');
  if (!method.empty() && (dot == 0 || dot == std::string::npos || dot + 1 == method.size())) {
    in.problem("method", in_marks(method) + " is not of the form class.method");
  }
  const std::string text = in.required_string("types");
  if (text.empty()) return;
  auto read = read_signature(text);
  if (const auto* const bad = std::get_if<BadSignature>(&read)) {
    return in.problem("types", in_marks(text) + " " + bad->why);
  }
  types = std::get<Signature>(std::move(read));
}

void read_arguments(ConfigReader& in, Say& say) {
  say.arguments = in.scalars("arguments");
  if (say.types.text.empty()) return;
  if (say.arguments.size() != say.types.arguments.size()) {
    return in.problem("arguments", "'arguments' must be " +
                                       std::to_string(say.types.arguments.size()) +
                                       " values, as 'types' has it; they are " +
                                       std::to_string(say.arguments.size()));
  }
  for (std::size_t i = 0; i < say.arguments.size(); ++i) {
    const auto* const text = std::get_if<std::string>(&say.arguments[i]);
    say.has_other =
        say.has_other || (text != nullptr && text->find("{other}") != std::string::npos);
    say.has_letter =
        say.has_letter || (text != nullptr && text->find("{letter}") != std::string::npos);
    if (text != nullptr && *text == kTarget && say.types.arguments[i] == Type::u64) {
      if (say.target.empty()) in.problem("arguments", "'{target}' needs 'target', a class");
      continue;
    }
    if (const auto why = misfit(say.types.arguments[i], say.arguments[i])) {
      in.problem("arguments", "argument " + std::to_string(i + 1) + " " + *why);
    }
  }
}

void read_when(ConfigReader& in, Say& say) {
  say.rate = in.number("rate", 0, 0.001, static_cast<double>(kPerSecond));
  say.think = in.duration("think", 0ms, 1ms, kLongestRun);
  say.think_most = in.duration("think_most", say.think, say.think, kLongestRun);
  const std::string at = in.choice("at", "start", {"start"});
  if (int{in.has("rate")} + int{in.has("think")} + int{in.has("at")} != 1) {
    in.problem("rate", "give one of 'rate', 'think' and 'at': when it is said");
  }
  say.when = in.has("rate")    ? Say::When::rate
             : in.has("think") ? Say::When::think
                               : Say::When::start;
}

Say read_say(ConfigReader& in) {
  Say say;
  say.name = in.required_string("name");
  read_method(in, say.method, say.types);
  say.target = in.string("target", "");
  say.reach = in.number("reach", 3, 0.1, 10'000);
  read_arguments(in, say);
  say.size = in.integer<std::size_t>("size", 16, 0, kPayloadBytes);
  say.size_most = in.integer<std::size_t>("size_most", say.size, say.size, kPayloadBytes);
  read_when(in, say);
  say.chance = in.number("chance", 1, 0, 1);
  say.answer = in.boolean("answer", true);
  const std::string expect = in.choice("expect", "any", {"any", "echo", "count"});
  say.expect = expect == "echo"    ? Say::Expect::echo
               : expect == "count" ? Say::Expect::count
                                   : Say::Expect::any;
  const std::string wanted = expect == "echo" ? "str" : "{[u64]}";
  if (say.expect != Say::Expect::any && say.types.answer != wanted) {
    in.problem("expect", in_marks(expect) + " needs 'types' that answer " + wanted);
  }
  return say;
}

std::optional<Hear::Field> field_of(const std::string& name) {
  constexpr std::string_view kNames[] = {"skip",   "account", "origin", "life",
                                         "number", "time",    "letter"};
  const auto at = std::ranges::find(kNames, name);
  if (at == std::end(kNames)) return std::nullopt;
  return static_cast<Hear::Field>(at - std::begin(kNames));
}

void read_fields(ConfigReader& in, Hear& hear) {
  const auto names = in.scalars("fields");
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto* const name = std::get_if<std::string>(&names[i]);
    const auto field = name == nullptr ? std::nullopt : field_of(*name);
    if (!field) {
      in.problem("fields", "field " + std::to_string(i + 1) +
                               " must be one of skip, account, origin, life, number, time, letter");
      return;
    }
    const bool text = *field == Hear::Field::account || *field == Hear::Field::origin ||
                      *field == Hear::Field::letter;
    if (i < hear.types.arguments.size() && *field != Hear::Field::skip &&
        hear.types.arguments[i] != (text ? Type::str : Type::u64)) {
      in.problem("fields", in_marks(*name) + " must be an argument of type " +
                               (text ? "str" : "u64") + ", as 'types' has it");
    }
    hear.fields.push_back(*field);
  }
  if (hear.fields.size() > hear.types.arguments.size() && !hear.types.text.empty()) {
    in.problem("fields", "'fields' are more than the arguments of 'types'");
  }
  hear.fields.resize(hear.types.arguments.size(), Hear::Field::skip);
}

Hear read_hear(ConfigReader& in) {
  Hear hear;
  hear.name = in.required_string("name");
  read_method(in, hear.method, hear.types);
  if (in.has("group")) hear.group = in.string("group", "");
  read_fields(in, hear);
  return hear;
}

/// Each has a name of its own: the summary has them by it.
template <class Row, class Read>
std::vector<Row> read_rows(ConfigReader& in, const char* key, std::size_t most, Read read) {
  std::vector<Row> rows;
  std::set<std::string> names;
  for (ConfigReader& each : in.tables(key)) {
    rows.push_back(read(each));
    if (!names.insert(rows.back().name).second) {
      each.problem("name", in_marks(rows.back().name) + " is the name of another one");
    }
  }
  if (rows.size() > most) {
    in.problem(key, "at most " + std::to_string(most) + " of [[" + key + "]]; they are " +
                        std::to_string(rows.size()));
  }
  return rows;
}

Gates read_gates(ConfigReader in) {
  Gates gates;
  for (const std::string& text : in.strings("urls")) {
    const auto url = read_gate_url(text);
    if (!url) {
      in.problem("urls", in_marks(text) +
                             " is not of the form tcp://HOST:PORT, tls://HOST:PORT, "
                             "ws://HOST:PORT/PATH or wss://HOST:PORT/PATH");
    } else if (!gates.urls.empty() && !gates.urls.front().same_way(*url)) {
      in.problem("urls", in_marks(text) + " is of another kind than those before it");
    } else {
      gates.urls.push_back(*url);
    }
  }
  if (gates.urls.size() > game::kAddresses) {
    in.problem("urls", "at most " + std::to_string(game::kAddresses) + " gates");
  }
  gates.ca = in.string("ca", "");
  gates.pins = in.strings("pins");
  if (const std::string text = in.string("from", ""); !text.empty()) {
    gates.from = read_sources(text);
    if (!gates.from) in.problem("from", in_marks(text) + " is not of the form 127.1.0.0/16");
  }
  return gates;
}

Entry read_login(ConfigReader in) {
  Entry login;
  login.method = in.string("method", login.method);
  login.account = in.string("account", login.account);
  login.password = in.string("password", login.password);
  login.tickets = in.string("tickets", "");
  login.in_order = in.boolean("in_order", false);
  if (login.method == "reentry" && login.tickets.empty()) {
    in.problem("method", "'reentry' needs 'tickets', a file that --save-tickets has written");
  }
  if (login.account.find("{n}") == std::string::npos) {
    in.problem("account", "'account' must have {n} in it: each bot has an account of its own");
  }
  return login;
}

void read_times(ConfigReader& in, Script& script) {
  script.come_in = in.duration("come_in", 120s, 1s, kLongestRun);
  script.warm_up = in.duration("warm_up", 0s, 0s, kLongestRun);
  script.duration = in.duration("duration", 10s, 0s, kLongestRun);
  script.settle = in.duration("settle", 15s, 0s, kLongestRun);
}

Walk read_walk(ConfigReader in) {
  Walk walk;
  walk.speed = in.number("speed", 4, 0.1, 100);
  walk.range = in.number("range", 40, 1, 10'000);
  walk.rest = in.duration("rest", 1s, 0s, kLongestRun);
  if (in.has("paths")) walk.paths = in.integer<std::uint32_t>("paths", 0, 0, 0xFFFF'FFFF);
  walk.toward = in.string("toward", "");
  return walk;
}

Travel read_travel(ConfigReader in) {
  Travel travel;
  travel.every = in.duration("every", 60s, 100ms, kLongestRun);
  for (ConfigReader& each : in.tables("portal")) {
    Travel::Portal portal;
    portal.space = each.required_string("space");
    const auto at = each.scalars("at");
    std::vector<double> place;
    for (const auto& number : at) {
      if (const auto* const whole = std::get_if<std::int64_t>(&number)) {
        place.push_back(static_cast<double>(*whole));
      } else if (const auto* const part = std::get_if<double>(&number)) {
        place.push_back(*part);
      }
    }
    if (at.size() != 2 || place.size() != 2) {
      each.problem("at", "'at' must be [x, y], in m");
      continue;
    }
    portal.x = place[0];
    portal.y = place[1];
    travel.portals.push_back(std::move(portal));
  }
  if (travel.portals.empty()) in.problem("portal", "give at least one [[travel.portal]]");
  if (travel.portals.size() > kPortals) {
    in.problem("portal", "at most " + std::to_string(kPortals) +
                             " of [[travel.portal]]; they are " +
                             std::to_string(travel.portals.size()));
  }
  return travel;
}

Leave read_leave(ConfigReader in) {
  Leave leave;
  leave.every = in.duration("every", 60s, 100ms, kLongestRun);
  leave.away = in.duration("away", 5s, 0s, kLongestRun);
  return leave;
}

Result<Script> read_all(ConfigReader& in) {
  Script script;
  script.bots = in.integer<std::uint64_t>("bots", 1, 1, kBots);
  script.first = in.integer<std::uint64_t>("first", 1, 0, 1'000'000'000);
  script.arrive = in.number("arrive", 50, 0, 1'000'000);
  read_times(in, script);
  script.gates = read_gates(in.table("gates"));
  script.login = read_login(in.table("login"));
  if (in.has("character")) script.character = in.table("character").string("name", "Bot {n}");
  script.says = read_rows<Say>(in, "say", kSays, read_say);
  script.hears = read_rows<Hear>(in, "hear", kHears, read_hear);
  script.states = read_rows<StateTable>(in, "state", kStates, read_state);
  if (std::ranges::count_if(script.states, &StateTable::own) > 1) {
    in.problem("state", "'own = true' in one [[state]] at most: a bot plays one thing");
  }
  for (const StateTable& each : script.states) {
    const auto at = std::ranges::find(script.says, each.letters_of, &Say::name);
    if (each.letters && (at == script.says.end() || !at->has_letter || !at->has_other)) {
      in.problem("state", in_marks(each.letters_of) +
                              " must be the name of a [[say]] with {other} and {letter}");
    }
  }
  if (in.has("walk")) script.walk = read_walk(in.table("walk"));
  if (in.has("travel")) {
    script.travel = read_travel(in.table("travel"));
    if (!script.walk) in.problem("travel", "[travel] needs [walk]: bots go to portals");
  }
  if (in.has("leave")) script.leave = read_leave(in.table("leave"));
  ConfigReader cut = in.table("cut");
  if (cut.has("every")) script.cut_every = cut.duration("every", 10s, 10ms, kLongestRun);
  script.cut_bytes = cut.integer<std::size_t>("bytes", 1000, 0, 1'000'000);
  ConfigReader takeover = in.table("takeover");
  if (takeover.has("every")) {
    script.takeover_every = takeover.duration("every", 60s, 100ms, kLongestRun);
  }
  if (auto read = in.finish(); !read) return read.error();
  return script;
}

}  // namespace

bool Hear::has(Field field) const {
  return std::ranges::find(fields, field) != fields.end();
}

Result<Script> read_script(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  if (!in || !(text << in.rdbuf())) {
    return Error(bus::Errc::bad_config,
                 file.string() + ": cannot be read; give the path of a script, see examples/plaza");
  }
  return parse_script(text.view(), file.string());
}

Result<Script> parse_script(std::string_view text, const std::string& name) {
  auto in = ConfigReader::parse(text, name);
  if (!in) return in.error();
  return read_all(*in);
}

Result<> use_gates(Script& script, const std::vector<std::string>& urls) {
  std::vector<GateUrl> all;
  for (const std::string& text : urls) {
    const auto url = read_gate_url(text);
    if (!url || (!all.empty() && !all.front().same_way(*url))) {
      return Error(bus::Errc::bad_config,
                   "--gate " + text +
                       ": give tcp://HOST:PORT, tls://HOST:PORT, ws://HOST:PORT/PATH or "
                       "wss://HOST:PORT/PATH, all of one kind");
    }
    all.push_back(*url);
  }
  script.gates.urls = std::move(all);
  return {};
}

std::string filled(std::string text, std::uint64_t n, const Filling& by) {
  const auto put = [&](std::string_view what, const std::string& with) {
    for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += with.size()) {
      text.replace(at, what.size(), with);
    }
  };
  put("{n}", std::to_string(n));
  put("{account}", by.account);
  put("{payload}", by.payload);
  put("{other}", by.other);
  put("{letter}", by.letter);
  return text;
}

}  // namespace starbus::bots
