#include "bench/gate/bots.hpp"

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <sstream>

#include "bench/harness/clock.hpp"
#include "bench/harness/files.hpp"

namespace starbus::bench::gate {
namespace {

using Json = nlohmann::json;

constexpr std::int64_t kComeIn = 300 * kSecond;
constexpr std::int64_t kSettle = 60 * kSecond;
constexpr std::int64_t kEnd = 30 * kSecond;  // after that

std::string quoted(const std::string& text) {
  return '"' + text + '"';
}

std::string text_of(const Game& game, const Script& script) {
  std::string urls;
  for (const std::string& url : game.urls()) urls += quoted(url) + ", ";
  std::string text =
      "bots = " + std::to_string(script.bots) + "\nfirst = " + std::to_string(script.first) +
      "\narrive = " + std::to_string(static_cast<int>(script.arrive)) + "\ncome_in = \"" +
      std::to_string(kComeIn / kSecond) + "s\"\nwarm_up = \"" +
      std::to_string(static_cast<int>(script.warm_up * 1000)) + "ms\"\nduration = \"" +
      std::to_string(static_cast<int>(script.seconds * 1000)) + "ms\"\nsettle = \"" +
      std::to_string(kSettle / kSecond) + "s\"\n" + "[gates]\nurls = [" + urls + "]\n";
  if (game.urls().front().starts_with("tls")) text += "ca = " + quoted(game.certificate()) + "\n";
  if (!script.from.empty()) text += "from = " + quoted(script.from) + "\n";
  text += "[login]\n";
  if (script.in_order) text += "in_order = true\n";
  text += script.wrong
              ? "method = \"password\"\naccount = \"bot{n}\"\npassword = \"a guess of {n}\"\n"
          : script.passwords
              ? "method = \"create\"\naccount = \"bot{n}\"\npassword = \"the secret of {n}\"\n"
              : "method = \"shop\"\naccount = \"b:bot{n}\"\npassword = \"bot{n}\"\n";
  if (script.character) text += "[character]\nname = \"Bob {n}\"\n";
  return text + script.tables;
}

}  // namespace

Result<Bots> Bots::start(Game& game, const Script& script) {
  const std::string file = game.file(script.name + ".toml");
  if (const auto written = write_text(file, text_of(game, script)); !written) {
    return written.error();
  }
  const std::string bin = own_executable().substr(0, own_executable().rfind('/'));
  const auto process = game.processes().spawn(script.name, {bin + "/starbus-bots", "--json", file});
  if (!process) return process.error();
  return Bots(*process, game.file(script.name + ".log"));
}

bool Bots::said(const std::string& text) const {
  const auto log = read_text(log_);
  return log && log->find(text) != std::string::npos;
}

Bots::Told Bots::told() const {
  Told told;
  const auto log = read_text(log_);
  if (!log) return told;
  std::istringstream lines(*log);
  for (std::string line; std::getline(lines, line);) {
    int cuts = 0;
    int takeovers = 0;
    int violations = 0;
    const std::size_t counts = line.rfind(" | ", line.rfind(" | ") - 1);
    const std::size_t players = line.find(" bots: ");
    if (counts == std::string::npos || players == std::string::npos) continue;
    if (std::sscanf(line.c_str() + counts, " | %d cuts %d takeovers | %d violations", &cuts,
                    &takeovers, &violations) != 3) {
      continue;
    }
    told.cuts += cuts;
    told.takeovers += takeovers;
    told.violations = violations;
    const std::size_t from = players + std::string_view(" bots: ").size();
    told.players = line.substr(from, line.find(" | ", from) - from);
  }
  return told;
}

std::string Bots::log_tail() const {
  constexpr std::size_t kTail = 600;
  const auto log = read_text(log_);
  return log ? log->substr(log->size() - std::min(log->size(), kTail)) : "";
}

Result<void> Bots::await_measured() {
  const std::int64_t end = now_ns() + kComeIn;
  while (!said("s measured")) {
    if (!process_->alive() || interrupted() || now_ns() > end) {
      return fail("the bots did not come in: " + log_tail());
    }
    sleep_until_ns(now_ns() + 20 * kMillisecond);
  }
  return {};
}

Result<Json> Bots::finish(double seconds) {
  const std::int64_t end =
      now_ns() + kComeIn + kSettle + kEnd + static_cast<std::int64_t>(seconds * kSecond);
  std::string text;
  for (;;) {
    const auto line = process_->read_line(end);
    if (line) {
      text += *line + "\n";
      continue;
    }
    if (process_->alive() && !process_->wait(now_ns() + kSecond)) return line.error();
    break;
  }
  const Json summary = Json::parse(text, nullptr, false);
  if (!summary.is_object()) return fail("the bots have no summary: " + log_tail());
  if (summary.value("result", "") == "failed") {
    return fail("the bots have failed: " + summary.value("failure", ""));
  }
  return summary;
}

Result<Json> Bots::stop() {
  process_->terminate();
  return finish(0);
}

std::string echo_at(double rate, std::size_t bytes) {
  return "[[say]]\nname = \"echo\"\nmethod = \"plaza_player.echo\"\ntypes = \"(str)->str\"\n"
         "arguments = [\"{payload}\"]\nsize = " +
         std::to_string(bytes) + "\nrate = " + std::to_string(rate) + "\nexpect = \"echo\"\n";
}

std::string stream_at(double rate, std::size_t bytes) {
  return "[[say]]\nname = \"stream\"\nmethod = \"plaza_player.stream\"\ntypes = "
         "\"(u32,u32)->!{{u16,u16},{n,bytes}}\"\n"
         "arguments = [" +
         std::to_string(static_cast<int>(rate)) + ", " + std::to_string(bytes) +
         "]\nat = \"start\"\n"
         "[[hear]]\nname = \"tick\"\nmethod = \"plaza_client.tick\"\n"
         "types = \"(str,u64,u64,u64,str)\"\n"
         "fields = [\"account\", \"life\", \"number\", \"time\", \"skip\"]\n";
}

double violations_of(const Json& summary) {
  const Json& found = summary.at("violations");
  if (found.at("count") != 0) std::cerr << found.dump(1) << "\n";
  return found.at("count").get<double>();
}

}  // namespace starbus::bench::gate
