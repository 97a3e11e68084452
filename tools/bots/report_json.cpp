#include <algorithm>

#include "tools/bots/report.hpp"

namespace starbus::bots {
namespace {

using Json = bustop::OrderedJson;

double rounded(double value) {
  return static_cast<double>(static_cast<std::int64_t>(value * 100 + 0.5)) / 100;
}

double micros(std::int64_t nanos) {
  return rounded(static_cast<double>(nanos) / 1'000);
}

Json of(const Histogram& latency) {
  Json json;
  json["count"] = latency.count();
  json["mean"] = rounded(latency.mean() / 1'000);
  json["min"] = micros(latency.min());
  json["p50"] = micros(latency.percentile(50));
  json["p90"] = micros(latency.percentile(90));
  json["p99"] = micros(latency.percentile(99));
  json["p999"] = micros(latency.percentile(99.9));
  json["max"] = micros(latency.max());
  return json;
}

Json of(const Texts& texts) {
  Json json = Json::object();
  for (const auto& [text, times] : texts) json[text] = times;
  return json;
}

double per_second(std::uint64_t number, const Outcome& outcome) {
  return outcome.seconds > 0 ? rounded(static_cast<double>(number) / outcome.seconds) : 0;
}

Json says(const Script& script, const Outcome& outcome) {
  Json all = Json::array();
  for (std::size_t i = 0; i < script.says.size(); ++i) {
    const SayFigures& from = outcome.measured.say[i];
    Json json;
    json["name"] = script.says[i].name;
    json["asked"] = from.asked;
    json["replied"] = from.replied;
    json["reply_lost"] = from.reply_lost;
    json["not_begun"] = from.not_begun;
    json["unknown"] = from.unknown;
    json["failed"] = from.failed;
    json["errors"] = of(from.errors);
    json["open"] = i < outcome.open.size() ? outcome.open[i] : 0;
    json["per_second"] = per_second(from.replied, outcome);
    json["late_most_us"] = micros(from.late_most);
    json["latency_us"] = of(from.latency);
    all.push_back(std::move(json));
  }
  return all;
}

Json hears(const Script& script, const Outcome& outcome) {
  Json all = Json::array();
  for (std::size_t i = 0; i < script.hears.size(); ++i) {
    const HearFigures& from = outcome.measured.hear[i];
    Json json;
    json["name"] = script.hears[i].name;
    json["heard"] = from.heard;
    json["per_second"] = per_second(from.heard, outcome);
    json["bytes"] = from.bytes;
    json["passed_over"] = from.passed_over;
    json["missing"] = from.missing;
    json["latency_us"] = of(from.latency);
    all.push_back(std::move(json));
  }
  return all;
}

Json letters(const Script& script, const Outcome& outcome) {
  Json all = Json::array();
  for (std::size_t i = 0; i < script.says.size() && i < outcome.letters.size(); ++i) {
    if (!script.says[i].has_letter) continue;
    const LetterFigures& from = outcome.letters[i];
    Json json;
    json["name"] = script.says[i].name;
    json["said"] = from.said;
    json["kept"] = from.kept;
    json["arrived"] = from.arrived;
    json["again"] = from.again;
    json["passed_over"] = from.passed_over;
    json["lost"] = from.lost;
    json["forgotten"] = from.forgotten;
    json["latency_us"] = of(from.latency);
    all.push_back(std::move(json));
  }
  return all;
}

/// Of what bots play; null: the script has no [[state]] with `own`.
Json own_state(const Script& script, const Outcome& outcome) {
  const auto at = std::ranges::find_if(script.states, &StateTable::own);
  if (at == script.states.end()) return nullptr;
  Json json;
  json["name"] = at->name;
  json["bots"] = outcome.at_settled.state_bots;
  json["sums"] = Json::object();
  for (std::size_t i = 0; i < at->fields.size(); ++i) {
    const Type type = at->fields[i].type;
    if (type == Type::str || type == Type::f32 || type == Type::f64) continue;
    json["sums"][at->fields[i].name] =
        i < outcome.at_settled.state_sums.size() ? outcome.at_settled.state_sums[i] : 0;
  }
  json["taken_back"] = Json::object();
  for (std::size_t i = 0; i < at->grows.size(); ++i) {
    const BackFigures back = i < outcome.whole.back.size() ? outcome.whole.back[i] : BackFigures{};
    json["taken_back"][at->fields[at->grows[i]].name] = {
        {"times", back.times}, {"amount", back.amount}, {"oldest_ms", back.oldest / 1'000'000}};
  }
  return json;
}

Json bytes(const Script& script, const Outcome& outcome) {
  const double share = outcome.seconds * static_cast<double>(script.bots);
  Json json;
  json["in"] = outcome.bytes_in;
  json["out"] = outcome.bytes_out;
  json["in_per_bot_second"] =
      share > 0 ? rounded(static_cast<double>(outcome.bytes_in) / share) : 0;
  json["out_per_bot_second"] =
      share > 0 ? rounded(static_cast<double>(outcome.bytes_out) / share) : 0;
  return json;
}

Json process(const Script& script, const Outcome& outcome) {
  const std::uint64_t grown =
      outcome.memory > outcome.memory_before ? outcome.memory - outcome.memory_before : 0;
  Json json;
  json["cpu_percent"] =
      outcome.seconds > 0 ? rounded(outcome.cpu_seconds / outcome.seconds * 100) : 0;
  json["memory_bytes"] = outcome.memory;
  json["memory_per_bot"] = grown / script.bots;
  json["files"] = outcome.files;
  return json;
}

Json violations(const Outcome& outcome) {
  Json kinds = Json::object();
  for (std::size_t i = 0; i < kBrokenKinds; ++i) {
    const std::uint64_t times = outcome.violations.kinds[i];
    if (times != 0) kinds[std::string(name_of(static_cast<Broken>(i)))] = times;
  }
  Json told = Json::array();
  for (const Violation& each : outcome.violations.told) {
    Json json;
    json["at_ms"] = each.at_ms;
    json["bot"] = each.bot;
    json["account"] = each.account;
    json["kind"] = name_of(each.kind);
    json["what"] = each.what;
    json["expected"] = each.expected;
    json["got"] = each.got;
    told.push_back(std::move(json));
  }
  Json json;
  json["count"] = outcome.violations.count;
  json["kinds"] = std::move(kinds);
  json["told"] = std::move(told);
  return json;
}

Json entry(const Outcome& outcome) {
  Json json;
  json["seconds"] = rounded(outcome.entry_seconds);
  json["waited"] = outcome.whole.waited;
  json["queue_most"] = outcome.whole.queue_most;
  json["overtaken_most"] = outcome.whole.overtaken_most;
  json["refused"] = of(outcome.whole.refused);
  json["latency_us"] = of(outcome.whole.entry);
  return json;
}

}  // namespace

Json summary_json(const Script& script, const Given& given, const Outcome& outcome) {
  const Figures& whole = outcome.whole;
  Json json;
  json["version"] = 1;
  json["script"] = given.script;
  json["seed"] = given.seed;
  json["threads"] = given.threads;
  json["result"] = outcome.result();
  json["failure"] = outcome.failure;
  json["ended"] = outcome.ended;
  json["seconds"] = rounded(outcome.seconds);
  json["bots"] = {{"wanted", script.bots},
                  {"arrived", whole.arrived},
                  {"came_in", whole.came_in},
                  {"playing", outcome.at_end.playing},
                  {"settled", outcome.settled}};
  json["entry"] = entry(outcome);
  json["connections"] = {{"made", whole.made},
                         {"lost", whole.lost},
                         {"cut", whole.cuts},
                         {"open", outcome.at_end.open},
                         {"troubles", of(whole.troubles)}};
  json["sessions"] = {{"entered", whole.entered},
                      {"resumed", whole.resumed},
                      {"fulls", whole.fulls},
                      {"takeovers", whole.takeovers},
                      {"ended", of(whole.ended)}};
  json["say"] = says(script, outcome);
  json["hear"] = hears(script, outcome);
  json["unheard"] = outcome.measured.unheard;
  json["news"] = outcome.measured.news;
  const SightFigures& sight = outcome.measured.sight;
  json["sight"] = {{"scenes", sight.scenes},      {"bodies", sight.bodies},
                   {"bytes", sight.bytes},        {"entered", sight.entered},
                   {"left", sight.left},          {"corrections", sight.corrections},
                   {"teleports", sight.teleports}};
  const TravelFigures& travel = outcome.whole.travel;
  json["travel"] = {{"begun", travel.begun},
                    {"unanswered", travel.unanswered},
                    {"latency_us", of(travel.latency)}};
  json["leaves"] = outcome.whole.leaves;
  json["letters"] = letters(script, outcome);
  json["state"] = own_state(script, outcome);
  json["compared"] = outcome.compared;
  json["bytes"] = bytes(script, outcome);
  json["process"] = process(script, outcome);
  json["violations"] = violations(outcome);
  return json;
}

}  // namespace starbus::bots
