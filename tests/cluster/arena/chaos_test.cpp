/// Chaos in the arena: one process after another is killed with -9, stopped for 3 s, or drained and
/// started again as an upgrade does, under bots that walk, fight, trade, talk, write letters and go
/// through portals. Those whose process was hit are back in the game in time; the others notice
/// nothing. At the end the bots' own checks have found nothing, and the gold of the world is whole.
///
/// Only in long runs (STARBUS_LONG=1, scripts/test --long): 500 bots, every process, and a table of
/// what was seen; or with STARBUS_BLOWS="kill arena-a,stop db-1", which are these alone, under 20
/// bots. STARBUS_BOTS=200: so many.
#include <cstdlib>
#include <deque>
#include <iostream>
#include <numeric>
#include <sstream>
#include <stdexcept>

#include "tests/cluster/arena/arena_fixture.hpp"
#include "tests/cluster/arena/bot_events.hpp"

namespace starbus::cluster_test {
namespace {

constexpr auto kStopped = 3s;
/// Until those of a node that was killed play again.
constexpr std::int64_t kBackMs = 5'000;

/// What is done to a process.
struct Blow {
  std::string what;  // kill, stop, renew
  std::string whom;
  std::string name() const { return what + " " + whom; }
};

std::vector<Blow> blows_of(const std::string& text) {
  std::vector<Blow> all;
  std::istringstream in(text);
  std::string each;
  while (std::getline(in, each, ',')) {
    const std::size_t space = each.find(' ');
    all.push_back({each.substr(0, space), each.substr(space + 1)});
  }
  return all;
}

std::string setting(const char* name, const std::string& fallback) {
  const char* const text = std::getenv(name);  // NOLINT: before there are threads
  return text == nullptr ? fallback : text;
}

class ChaosTest : public ArenaFixture {
 protected:
  /// What one blow did.
  struct Seen {
    Blow blow;
    std::int64_t from_ms = 0;
    std::int64_t to_ms = 0;
    std::set<std::uint64_t> hit;     // those whose process it was
    std::set<std::uint64_t> moving;  // between two spaces at that moment
    std::vector<std::int64_t> back_ms;
    std::size_t renewed = 0;  // a full state, of those who were hit
    std::size_t others = 0;   // events of those who were not
  };

  std::string spaces_file() override {
    if (long_runs()) return ArenaFixture::spaces_file();
    std::ofstream out(file("spaces.toml"));
    for (const std::string type : {"meadow", "forest", "cave"}) {
      out << "[[space]]\ntype = '" << type << "'\ncapacity = 100\nmax_lines = 4\nmin_lines = 1\n"
          << "min = [0, 0]\nmax = [60, 60]\nsight = 30\nleave_margin = 4\n"
          << (type == "meadow" ? "" : "next = 'meadow'\n")
          << "[space.nav]\nmap = 'open.txt'\nwalkers = 130\n";
    }
    return file("spaces.toml");
  }
  std::string maps_folder() override {
    if (long_runs()) return ArenaFixture::maps_folder();
    std::filesystem::create_directories(file("maps"));
    std::ofstream out(file("maps/open.txt"));  // a sign is 1 m x 1 m
    for (int y = 0; y < 60; ++y) out << std::string(60, '.') << '\n';
    return file("maps");
  }
  /// Small ones: from each place to both others, a few steps from the middle.
  std::string scenes_folder() override {
    if (long_runs()) return ArenaFixture::scenes_folder();
    std::filesystem::create_directories(file("scenes"));
    const std::vector<std::string> types{"meadow", "forest", "cave"};
    for (std::size_t i = 0; i < types.size(); ++i) {
      std::ofstream out(file("scenes/" + types[i] + ".toml"));
      out << "[[spawn]]\nid = 1\nkind = 'rabbit'\nat = [30, 30]\nspread = 12\ncount = 12\n"
          << "respawn = '2s'\n[[spawn]]\nid = 2\nkind = 'wolf'\nat = [30, 30]\nspread = 12\n"
          << "count = 3\nrespawn = '3s'\n";
      for (std::size_t to = 1; to < types.size(); ++to) {
        out << "[[portal]]\nid = " << to << "\nat = [" << (to == 1 ? "50, 30" : "30, 50")
            << "]\nradius = 3\nto = '" << types[(i + to) % types.size()]
            << "'\narrive = [30, 30]\n";
      }
    }
    return file("scenes");
  }
  /// Bots of examples/arena/chaos.toml, at the gates of this cluster.
  std::string script(std::size_t bots) {
    std::ifstream in(source_file("examples/arena/chaos.toml"));
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    const std::size_t from = text.find("[character]");
    std::size_t to = long_runs() ? text.size() : text.find("[travel]");
    EXPECT_TRUE(from != std::string::npos && to != std::string::npos);
    std::string made = "bots = " + std::to_string(bots) +
                       "\narrive = " + (long_runs() ? "15" : "0") +
                       "\nduration = '0s'\nsettle = '30s'\n[gates]\n" + gates() +
                       "[login]\nmethod = 'create'\naccount = 'chaos{n}'\npassword = 'a secret of "
                       "{n}'\n" +
                       text.substr(from, to - from);
    if (long_runs()) return made;
    made += "[travel]\nevery = '6s'\n";
    for (const std::string type : {"meadow", "forest", "cave"}) {
      for (const std::string at : {"[50, 30]", "[30, 50]"}) {
        made += "[[travel.portal]]\nspace = '" + type + "'\nat = " + at + "\n";
      }
    }
    return made;
  }

  Daemon& process(const std::string& name) {
    if (name == "busroot") return cluster.root();
    if (name.starts_with("busd-")) return cluster.busd(name.substr(5));
    const auto found = daemons.find(name);
    if (found == daemons.end()) throw std::invalid_argument(name + ": no process of the arena");
    return *found->second;
  }
  bool serves(const std::string& name) {
    return name == "busroot" ? process(name).get("/status").status == 200 : process(name).serves();
  }
  std::set<std::string> spaces_of(const std::string& host) {
    std::set<std::string> spaces;
    for (const json& each : fields_of(host)) {
      spaces.insert(plain_space(each["space"].get<std::string>()));
    }
    return spaces;
  }
  /// Those whose process it is.
  std::set<std::uint64_t> those_of(const std::string& name) {
    if (name.starts_with("gate-")) return events->at_gate(name);
    if (!name.starts_with("arena-")) return {};
    return events->in_spaces(spaces_of(name.substr(6)));
  }
  /// A daemon of the bus that stands still holds up everybody: ways lead over it.
  static bool holds_up_all(const Blow& blow) {
    return blow.what == "stop" && blow.whom.starts_with("bus");
  }

  void strike(const Blow& blow) {
    events->read();
    Seen seen;
    seen.blow = blow;
    seen.hit = holds_up_all(blow) ? events->known() : those_of(blow.whom);
    seen.from_ms = now_ms();
    Daemon& victim = process(blow.whom);
    if (blow.what == "kill") {
      victim.kill();
      victim.start();
    } else if (blow.what == "stop") {
      victim.stop();
      std::this_thread::sleep_for(kStopped);
      victim.cont();
    } else {
      renew(blow.whom, victim);
    }
    events->read();
    // Who was on the way between two nodes at that moment belongs to neither.
    if (blow.whom.starts_with("arena-")) {
      seen.moving = events->in_portals();
      for (const BotEvent& each : events->between(seen.from_ms - 3'000, now_ms())) {
        if (each.what == "portal") seen.moving.insert(each.bot);
      }
    }
    EXPECT_TRUE(wait_for(30s, [&] { return serves(blow.whom); })) << blow.name();
    await_back(seen);
    std::this_thread::sleep_for(long_runs() ? 5s : 2s);
    events->read();
    seen.to_ms = now_ms();
    all.push_back(std::move(seen));
    std::cout << blow.name() << ": " << all.back().hit.size() << " hit" << std::endl;
  }
  void renew(const std::string& name, Daemon& victim) {
    if (name == "busroot" || name.starts_with("busd-")) {
      EXPECT_EQ(victim.take_over(30s), 0) << name;
      return;
    }
    EXPECT_EQ(victim.terminate(60s), 0) << name;
    victim.start();
  }
  /// Of a node of fields that was killed: all its players are in a space again.
  void await_back(Seen& seen) {
    const bool killed = seen.blow.what == "kill";
    const bool fields = seen.blow.whom.starts_with("arena-");
    if (!killed || (!fields && !seen.blow.whom.starts_with("gate-"))) return;
    const std::set<std::uint64_t> away = events->away();
    const std::string wanted = fields ? "scene" : "online";
    EXPECT_TRUE(wait_for(30s, [&] {
      events->read();
      return std::ranges::all_of(seen.hit, [&](std::uint64_t bot) {
        return away.contains(bot) || events->first(bot, wanted, seen.from_ms) ||
               (!fields && events->first(bot, "resumed", seen.from_ms));
      });
    })) << seen.blow.name();
    for (const std::uint64_t bot : seen.hit) {
      auto at = events->first(bot, wanted, seen.from_ms);
      if (!fields && !at) at = events->first(bot, "resumed", seen.from_ms);
      if (at && !away.contains(bot)) seen.back_ms.push_back(*at - seen.from_ms);
    }
    std::ranges::sort(seen.back_ms);
  }

  /// Others have noticed nothing, and those who were hit no more than they must.
  void judge() {
    const std::set<std::string> noticed{"lost",    "over",  "full",   "corrected",
                                        "resumed", "ended", "trouble"};
    for (Seen& each : all) {
      std::string told;
      for (const BotEvent& event : events->between(each.from_ms, each.to_ms)) {
        if (!noticed.contains(event.what) || event.excused || each.moving.contains(event.bot))
          continue;
        const bool hit = each.hit.contains(event.bot);
        if (event.what == "full") ++(hit ? each.renewed : each.others);
        if (event.what != "full" && !hit) ++each.others;
        const bool goes_on = each.blow.what != "kill";
        const bool wrong = !hit || (goes_on && (event.what == "full" || event.what == "ended"));
        if (!wrong) continue;
        told += "bot " + std::to_string(event.bot) + " in " + event.space + " at " + event.gate +
                (hit ? "" : ", not hit") + ", " + std::to_string(event.at_ms - each.from_ms) +
                " ms: " + event.what + " " + event.detail + ", after" + before(event) + "\n";
      }
      EXPECT_EQ(told.substr(0, 4'000), "") << each.blow.name();
      if (each.blow.what == "kill" && each.blow.whom.starts_with("arena-") &&
          !each.back_ms.empty()) {
        EXPECT_LE(each.back_ms.back(), kBackMs) << each.blow.name();
      }
    }
  }
  /// What its bot told before, for who looks for the cause.
  std::string before(const BotEvent& event) const {
    std::deque<std::string> last;
    for (const BotEvent& each : events->between(event.at_ms - 10'000, event.at_ms)) {
      if (each.bot != event.bot) continue;
      last.push_back(" " + each.what + " in " + each.space + " " +
                     std::to_string(event.at_ms - each.at_ms) + " ms,");
      if (last.size() > 6) last.pop_front();
    }
    return std::accumulate(last.begin(), last.end(), std::string());
  }
  /// Why nodes of fields have set players back since they began to run.
  std::string corrections_of(const std::string& host) {
    std::istringstream metrics(daemons.at("arena-" + host)->get("/metrics").body);
    std::string line;
    std::string told;
    while (std::getline(metrics, line)) {
      const bool counts = line.starts_with("starbus_space_corrections_total{");
      if (counts && !line.ends_with(" 0")) told += line + "\n";
    }
    return told;
  }
  void report(const json& summary) const {
    std::ostringstream out;
    out << "| blow | hit | back p50, most (ms) | full states of these | noticed by others |\n"
        << "|---|---|---|---|---|\n";
    for (const Seen& each : all) {
      out << "| " << each.blow.name() << " | " << each.hit.size() << " | "
          << (each.back_ms.empty() ? std::string("-")
                                   : std::to_string(each.back_ms[each.back_ms.size() / 2]) + ", " +
                                         std::to_string(each.back_ms.back()))
          << " | " << each.renewed << " | " << each.others << " |\n";
    }
    out << "state: " << summary["state"].dump() << "\nletters: " << summary["letters"].dump()
        << "\ntravel: " << summary["travel"].dump() << "\nsight: " << summary["sight"].dump()
        << "\nsessions: " << summary["sessions"].dump()
        << "\nconnections: " << summary["connections"].dump()
        << "\ncompared: " << summary["compared"].dump() << "\n";
    std::cout << out.str();
  }
  /// Gold neither appears nor vanishes, each letter was got once, and all see the same.
  void judge_summary(const json& summary, std::size_t bots) const {
    EXPECT_EQ(summary["bots"]["settled"], bots);
    EXPECT_EQ(summary["violations"]["count"], 0) << summary["violations"].dump(1);
    const json& sums = summary["state"]["sums"];
    EXPECT_EQ(sums["gold"], sums["looted"]);
    EXPECT_EQ(sums["given"], sums["received"]);
    EXPECT_GT(sums["looted"], 0);
    EXPECT_GT(sums["given"], 0);
    EXPECT_GT(sums["letters"], 0);
    EXPECT_GT(summary["compared"], 0);
    EXPECT_GT(summary["travel"]["begun"], 0);
  }

  void play_through(std::size_t bots, const std::vector<Blow>& blows) {
    const auto playing = play(script(bots), {"--log", file("events.log"), "--violations", "200"});
    events.emplace(file("events.log"));
    ASSERT_TRUE(wait_for(180s, [&] {
      events->read();
      return events->in_game() == bots;
    })) << log().substr(0, 10'000);
    std::this_thread::sleep_for(long_runs() ? 40s : 5s);  // they go to other spaces
    for (const Blow& each : blows) strike(each);
    const std::string corrections = corrections_of("a") + corrections_of("b");
    const json summary = summary_of(*playing, 90s);
    std::cout << corrections;
    events->read();
    judge();
    report(summary);
    judge_summary(summary, bots);
  }

  std::optional<BotEvents> events;
  std::vector<Seen> all;
};

TEST_F(ChaosTest, WhoIsHitComesBackInTimeAndTheOthersNoticeNothing) {
  const std::string own = setting("STARBUS_BLOWS", "");
  const std::size_t bots = std::stoul(setting("STARBUS_BOTS", long_runs() ? "500" : "20"));
  if (!own.empty()) return play_through(bots, blows_of(own));
  if (!long_runs()) {
    GTEST_SKIP() << "STARBUS_BLOWS='kill arena-a,renew arena-b' gives these; STARBUS_LONG=1 all";
  }
  std::vector<Blow> blows;
  for (const std::string what : {"kill", "stop", "renew"}) {
    for (const std::string whom : {"arena-a", "arena-b", "gate-a", "login-1", "manager-1",
                                   "spaces-a", "spaces-b", "db-1", "busd-a", "busd-b", "busroot"}) {
      blows.push_back({what, whom});
    }
  }
  play_through(bots, blows);
}

}  // namespace
}  // namespace starbus::cluster_test
