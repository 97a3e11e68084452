#include <algorithm>
#include <iostream>

#include "bench/bus/load_process.hpp"
#include "bench/harness/clock.hpp"
#include "bench/travel/game.hpp"
#include "bench/travel/runs.hpp"

namespace starbus::bench::travel {
namespace {

using gate::Game;
using Json = nlohmann::json;

constexpr std::int64_t kComeIn = 120 * kSecond;
constexpr std::int64_t kEach = 5 * kSecond;  // that one travel may take at the very most

Result<void> say(Process& process, const std::string& line, const std::string& answer,
                 std::int64_t within) {
  if (!line.empty()) {
    if (const auto told = process.write_line(line); !told) return told.error();
  }
  const auto said = process.read_line(now_ns() + within);
  if (!said) return said.error();
  if (*said != answer) return fail(process.name() + " said: " + *said);
  return {};
}

Result<Process*> start_riders(Game& game, const Options& options) {
  std::vector<std::string> command{own_executable(), "riders"};
  const auto add = [&](const char* name, auto value) {
    command.insert(command.end(), {name, std::to_string(value)});
  };
  add("--riders", options.riders);
  add("--trips", options.trips);
  add("--stay", options.stay_ms);
  add("--count", options.count_ms);
  add("--ask", options.ask_ms);
  command.emplace_back("--gates");
  for (std::size_t i = 0; i < game.urls().size(); ++i) {
    command.push_back("127.0.0.1:" + std::to_string(game.port(i)));
  }
  return game.processes().spawn("riders", command);
}

Result<Process*> start_words(Game& game, const std::string& host, std::uint32_t sender,
                             const Options& options) {
  return game.processes().spawn(
      "words-" + host,
      {own_executable(), "words", "--endpoint", game.cluster().endpoint(host), "--node",
       "words-" + host, "--sender", std::to_string(sender), "--players",
       std::to_string(options.riders), "--every", std::to_string(options.word_ms)});
}

// Sums over all riders, and the distributions of their travels.
class Totals {
 public:
  void add(const Json& rider) {
    for (const char* const name :
         {"trips", "failed", "unanswered", "strange", "entered", "resumed"}) {
      sums_[name] += rider.at(name).get<double>();
    }
    sums_["fulls"] += rider.at("fulls").get<double>() - 1;
    sums_["entered"] -= 1;
    sums_["lost"] += rider.at("holes").get<double>();
    sums_["disordered"] += rider.at("went_back").get<double>();
    if (!rider.at("ended").get<std::string>().empty()) ++sums_["ended"];
    count(rider.at("client").at("numbers"));
    count(rider.at("client").at("answers"));
    count(rider.at("entity").at("asked"));
    for (const Json& each : rider.at("client").at("words")) count(each);
    for (const Json& each : rider.at("entity").at("heard")) count(each);
    sums_["heard"] += rider.at("client").at("numbers").at("last").get<double>();
    for (const char* const name : {"freezes", "quiets", "times"}) {
      for (const double each : rider.at(name)) times_[name].push_back(each);
    }
    const auto failure = rider.at("failure").get<std::string>();
    if (!failure.empty()) std::cerr << "\n  a travel has ended: " << failure;
  }
  // What a sender has sent to a player, of which the last has come.
  void sent(std::uint64_t count, std::uint64_t last) {
    if (count > last) sums_["lost"] += static_cast<double>(count - last);
    sums_["sent"] += static_cast<double>(count);
  }
  Metrics metrics() const {
    Metrics made = sums_;
    const auto spread = [&](const std::string& name, const std::string& of) {
      const auto found = times_.find(of);
      if (found == times_.end()) return;
      made[name + ".p50"] = quantile(found->second, 0.5);
      made[name + ".p99"] = quantile(found->second, 0.99);
      made[name + ".max"] = quantile(found->second, 1);
    };
    spread("freeze", "freezes");
    spread("quiet", "quiets");
    spread("trip", "times");
    return made;
  }

 private:
  void count(const Json& numbers) {
    for (const char* const name : {"lost", "doubled", "disordered"}) {
      sums_[name] += numbers.at(name).get<double>();
    }
  }

  Metrics sums_{{"ended", 0}};
  std::map<std::string, std::vector<double>> times_;
};

Result<Metrics> measure(Game& game, const Options& options) {
  const auto riders = start_riders(game, options);
  if (!riders) return riders.error();
  if (const auto in = say(**riders, "", "ready", kComeIn); !in) return in.error();
  std::vector<Process*> senders;
  for (const char* const host : {"a", "b"}) {
    const auto words = start_words(game, host, static_cast<std::uint32_t>(senders.size()), options);
    if (!words) return words.error();
    if (const auto ready = await_ready(**words); !ready) return ready.error();
    senders.push_back(*words);
  }
  const std::int64_t begin = now_ns();
  const std::int64_t most = 60 * kSecond + options.trips * (kEach + options.stay_ms * kMillisecond);
  if (const auto back = say(**riders, "go", "back", most); !back) return back.error();
  const double seconds = static_cast<double>(now_ns() - begin) / kSecond;
  std::vector<Json> sent;
  for (Process* const words : senders) {
    if (const auto told = words->write_line("end"); !told) return told.error();
    auto said = read_result(*words, 0);
    if (!said) return said.error();
    sent.push_back(said->at("sent"));
  }
  if (const auto told = (*riders)->write_line("end"); !told) return told.error();
  const auto said = read_result(**riders, 0);
  if (!said) return said.error();
  Totals totals;
  for (std::size_t i = 0; i < options.riders; ++i) {
    const Json& rider = said->at("riders").at(i);
    totals.add(rider);
    for (std::size_t sender = 0; sender < sent.size(); ++sender) {
      const Json& heard = rider.at("entity").at("heard");
      const auto row = heard.find(std::to_string(sender));
      totals.sent(sent[sender].at(i).get<std::uint64_t>(),
                  row == heard.end() ? 0 : row->at("last").get<std::uint64_t>());
    }
  }
  Metrics metrics = totals.metrics();
  metrics["per_second"] = metrics.at("trips") / seconds;
  return metrics;
}

}  // namespace

Result<Metrics> run_moves(const Options& options) {
  gate::GameOptions made = game_options(options.count_ms, "", 2 * options.riders);
  made.nodes.push_back(space_node("a", "low-1", "low", options.count_ms));
  made.nodes.push_back(space_node("b", "high-1", "high", options.count_ms));
  Game game(made);
  auto metrics = measure(game, options);
  if (!metrics) return fail(metrics.error().what + "\n" + game.processes().log_tail());
  return metrics;
}

}  // namespace starbus::bench::travel
