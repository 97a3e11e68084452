#include "tools/bots/run.hpp"

#include <algorithm>
#include <map>
#include <ostream>
#include <thread>
#include <utility>

#include "bus/core/error.hpp"
#include "tools/bots/loop.hpp"
#include "tools/bots/process.hpp"
#include "tools/bots/report.hpp"
#include "tools/bots/state/agreement.hpp"
#include "tools/bots/state/totals.hpp"
#include "tools/bots/tickets.hpp"

namespace starbus::bots {
namespace {

using namespace std::chrono_literals;

/// Files that are open beside the connections.
constexpr std::uint64_t kOtherFiles = 64;
/// How often the run looks whether the stage is over.
constexpr auto kLook = 50ms;
/// How long, and how often, what bots see is compared when writes have stopped.
constexpr Nanos kCompare = 2 * kSecond;
constexpr auto kCompareEvery = 100ms;
/// For goodbyes at the end.
constexpr auto kGoodbye = 3s;

Result<game::Options> client_options(const Gates& gates) {
  game::Options options;
  for (const GateUrl& url : gates.urls) options.settings.addresses.push_back(url.address);
  options.settings.program = "starbus-bots";
  options.web_socket = gates.urls.front().web_socket;
  if (!gates.urls.front().tls) return options;
  game::TlsOptions trust;
  trust.ca_file = gates.ca;
  trust.pins = gates.pins;
  trust.pins_alone = gates.ca.empty() && !gates.pins.empty();
  std::string why;
  options.tls = game::Tls::make(trust, why);
  if (!options.tls) return Error(bus::Errc::bad_config, "gates: " + why);
  return options;
}

/// The run, in its thread.
class Run {
 public:
  Run(const Script& script, const RunOptions& options)
      : script_(script),
        how_(options),
        violations_(options.violations),
        letters_(options.seed, script.says.size()),
        outcome_(script.says.size(), script.hears.size()),
        second_(script.says.size(), script.hears.size()) {}

  Result<> prepare() {
    outcome_.files = raise_open_files();
    if (outcome_.files < script_.bots + kOtherFiles) {
      return Error(bus::Errc::io_error,
                   std::to_string(outcome_.files) + " files may be open, and " +
                       std::to_string(script_.bots) +
                       " bots need one each; raise the limit (`ulimit -Hn`, or LimitNOFILE of "
                       "systemd), or take fewer bots");
    }
    if (!script_.login.tickets.empty()) {
      auto read = read_tickets(script_.login.tickets);
      if (!read) return read.error();
      tickets_ = std::move(*read);
    }
    auto options = client_options(script_.gates);
    if (!options) return options.error();
    options_ = std::move(*options);
    if (auto opened = log_.open(how_.log); !opened) return opened;
    use_states(script_.states);
    outcome_.memory_before = resident_bytes();
    return make_loops();
  }

  Outcome play() {
    for (const auto& loop : loops_) loop->start();
    if (come_in()) measure();
    settle();
    return finish();
  }

 private:
  Result<> make_loops() {
    started_ = now_nanos();
    std::mt19937_64 random(how_.seed);
    for (std::size_t i = 0; i < how_.threads; ++i) {
      auto loop = Loop::make(std::make_unique<Ground>(script_, options_, tickets_, violations_,
                                                      letters_, log_, random(), started_));
      if (!loop) return loop.error();
      loops_.push_back(std::move(*loop));
    }
    for (std::uint64_t i = 0; i < script_.bots; ++i) {
      loops_[i % loops_.size()]->add(script_.first + i, started_ + arrival_of(i));
    }
    return {};
  }

  Nanos arrival_of(std::uint64_t bot) const {
    if (script_.arrive == 0) return 0;
    return static_cast<Nanos>(static_cast<double>(bot) / script_.arrive *
                              static_cast<double>(kSecond));
  }

  /// Until the time, a signal, or what ends it; looks at the figures each second.
  template <class Done>
  void until(Nanos end, const char* stage, Done done) {
    while (now_nanos() < end && !stopped() && !done()) {
      std::this_thread::sleep_for(kLook);
      if (now_nanos() >= look_at_) look(stage);
    }
  }
  bool stopped() const { return how_.stops() > 0; }

  /// Takes what the loops have counted.
  void collect() {
    gauges_ = {};
    for (const auto& loop : loops_) {
      const Figures part = loop->take(gauges_);
      second_.add(part);
      outcome_.whole.add(part);
      if (measures_) outcome_.measured.add(part);
    }
  }

  void look(const char* stage) {
    look_at_ = std::max(look_at_ + kSecond, now_nanos());
    collect();
    if (how_.progress != nullptr) {
      const double since = static_cast<double>(now_nanos() - stage_began_) / kSecond;
      *how_.progress << progress_line(
                            {stage, since, script_.bots, gauges_, second_, violations_.count()})
                     << std::endl;
    }
    second_ = Figures(script_.says.size(), script_.hears.size());
  }

  void begin() { stage_began_ = now_nanos(); }

  bool all_in() const { return outcome_.whole.came_in == script_.bots; }

  bool come_in() {
    stage_began_ = started_;
    look_at_ = started_ + kSecond;
    const Nanos last = started_ + arrival_of(script_.bots);
    until(last + nanos_of(script_.come_in), "arriving", [this] {
      collect();
      return all_in();
    });
    outcome_.entry_seconds = static_cast<double>(now_nanos() - started_) / kSecond;
    if (stopped()) {
      outcome_.ended = "signal";
      outcome_.failure = "stopped before all had come in";
      return false;
    }
    if (!all_in()) {
      outcome_.ended = "failed";
      outcome_.failure = std::to_string(outcome_.whole.came_in) + " of " +
                         std::to_string(script_.bots) + " bots came in within come_in";
      return false;
    }
    outcome_.memory = resident_bytes();
    begin();
    until(now_nanos() + nanos_of(script_.warm_up), "warm up", [] { return false; });
    return true;
  }

  void measure() {
    collect();
    measures_ = true;
    const Gauges before = gauges_;
    const double cpu = cpu_seconds();
    const Nanos from = now_nanos();
    begin();
    const Nanos end = script_.duration == 0ms ? kNever : from + nanos_of(script_.duration);
    until(end, "measured", [] { return false; });
    collect();
    outcome_.seconds = static_cast<double>(now_nanos() - from) / kSecond;
    outcome_.cpu_seconds = cpu_seconds() - cpu;
    outcome_.at_end = gauges_;
    outcome_.bytes_in = gauges_.bytes_in - before.bytes_in;
    outcome_.bytes_out = gauges_.bytes_out - before.bytes_out;
    outcome_.ended = stopped() ? "signal" : "duration";
    measures_ = false;
  }

  /// A second signal ends this at once.
  void settle() {
    enter(Stage::settling);
    begin();
    const Nanos end = now_nanos() + nanos_of(script_.settle);
    while (now_nanos() < end && how_.stops() < 2) {
      collect();
      const bool told =
          std::ranges::all_of(gauges_.asked, [](std::uint64_t open) { return open == 0; });
      if (told && gauges_.playing >= outcome_.whole.came_in && is_balanced()) break;
      std::this_thread::sleep_for(kLook);
    }
    outcome_.open = gauges_.asked;
    outcome_.settled = gauges_.playing;
    if (how_.stops() >= 2) return;
    compare_sights();
    collect();
    outcome_.at_settled = gauges_;
    for (const auto& loop : loops_) loop->judge_end();
    judge_letters();
  }

  /// Nobody writes any more, but for the game itself.
  void compare_sights() {
    const auto compared = [](const StateTable& each) { return each.within.has_value(); };
    if (std::ranges::none_of(script_.states, compared)) return;
    const Nanos end = now_nanos() + kCompare;
    while (now_nanos() < end && how_.stops() < 2) {
      std::this_thread::sleep_for(kCompareEvery);
      std::vector<Sighting> all;
      for (const auto& loop : loops_) loop->look(all);
      const Agreement agreement = compare(script_.states, all, now_nanos());
      outcome_.compared += agreement.compared;
      for (const Difference& each : agreement.differences) add_difference(each);
      if (!agreement.differences.empty()) return;  // the same ones would differ again
    }
  }

  void add_difference(const Difference& each) {
    violations_.add(
        {(now_nanos() - started_) / 1'000'000, each.other,
         filled(script_.login.account, each.other), Broken::differ,
         script_.states[each.which].name + " " + each.subject,
         each.here + " as bot " + std::to_string(each.bot) + " has it",
         each.there + ", " + std::to_string(each.age / 1'000'000) + " ms after the last change"});
  }

  void stand() {
    standings_.clear();
    for (const auto& loop : loops_) loop->stand(standings_);
  }
  std::map<std::uint64_t, Nanos> stretches() const {
    std::map<std::uint64_t, Nanos> all;
    for (const Standing& each : standings_) all[each.bot] = each.stretch_at;
    return all;
  }
  /// What was said has come, and what is to be equal is.
  bool is_balanced() {
    stand();
    return judge_totals(script_, standings_, letters_).empty() &&
           letters_.missing(stretches()).empty();
  }

  void judge_letters() {
    stand();
    const std::int64_t at_ms = (now_nanos() - started_) / 1'000'000;
    for (const Letters::Lost& each : letters_.judge_end(stretches())) {
      violations_.add(
          {at_ms, each.to, filled(script_.login.account, each.to), Broken::letter,
           script_.says[each.say].name,
           "letter " + std::to_string(each.number) + " of bot " + std::to_string(each.from),
           "none"});
    }
    for (const WrongTotal& each : judge_totals(script_, standings_, letters_)) {
      const std::string account = each.bot == 0 ? "" : filled(script_.login.account, each.bot);
      violations_.add({at_ms, each.bot, account, each.bot == 0 ? Broken::state : Broken::letter,
                       each.what, each.expected, each.got});
    }
  }

  void enter(Stage stage) {
    for (const auto& loop : loops_) loop->enter(stage);
  }

  Outcome finish() {
    if (!how_.save_tickets.empty()) {
      Tickets all;
      for (const auto& loop : loops_) loop->tickets(all);
      const auto written = write_tickets(how_.save_tickets, all);
      if (!written && outcome_.failure.empty()) outcome_.failure = written.error().detail;
    } else if (how_.stops() < 2) {
      // Those who will come back do not say goodbye.
      enter(Stage::leaving);
      const Nanos end = now_nanos() + nanos_of(kGoodbye);
      do {
        std::this_thread::sleep_for(kLook);
        collect();
      } while (gauges_.open != 0 && now_nanos() < end && how_.stops() < 2);
    }
    enter(Stage::over);
    loops_.clear();
    for (std::size_t i = 0; i < script_.says.size(); ++i) {
      outcome_.letters.push_back(letters_.figures(i));
    }
    if (!log_.is_whole() && outcome_.failure.empty()) {
      outcome_.failure = how_.log + ": lines are missing; is the disk full?";
    }
    outcome_.violations = violations_.seen();
    return std::move(outcome_);
  }

  const Script& script_;
  RunOptions how_;
  Violations violations_;
  Letters letters_;
  EventLog log_;
  Tickets tickets_;
  game::Options options_;
  Outcome outcome_;
  Gauges gauges_;
  std::vector<Standing> standings_;
  Figures second_;  // since the latest line of progress
  bool measures_ = false;
  Nanos started_ = 0;
  Nanos stage_began_ = 0;
  Nanos look_at_ = 0;
  std::vector<std::unique_ptr<Loop>> loops_;  // refer to all above
};

}  // namespace

const char* Outcome::result() const {
  return violations.count != 0 ? "violated" : !failure.empty() ? "failed" : "ok";
}

int Outcome::exit_code() const {
  return violations.count != 0 ? 3 : !failure.empty() ? 1 : 0;
}

Result<Outcome> run(const Script& script, const RunOptions& options) {
  Run made(script, options);
  if (auto prepared = made.prepare(); !prepared) return prepared.error();
  return made.play();
}

}  // namespace starbus::bots
