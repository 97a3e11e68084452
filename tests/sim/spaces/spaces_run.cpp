#include "tests/sim/spaces/spaces_run.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <functional>
#include <memory>

#include "tests/sim/adversary.hpp"
#include "tests/sim/spaces/town.hpp"

namespace starbus::sim {

using std::chrono::milliseconds;

namespace {

constexpr std::size_t kPlayers = 6;
constexpr Time kBegin = from_ms(60'000);
/// Longer than a lease, the time of a seat and the time in which a player is logged out.
constexpr Time kRest = from_ms(240'000);
constexpr Time kStays = from_ms(2'000);

class SpacesRun {
 public:
  explicit SpacesRun(const SpacesRunOptions& options)
      : world_(options.seed, WorldOptions{.processes_per_host = 0, .movers = {}}),
        options_(options),
        trouble_(trouble_of(options.seed)),
        town_(world_, kPlayers) {
    world_.trace.print_to(options.trace);
    world_.leases_may_end = trouble_ >= Trouble::leases;
  }

  void run() {
    world_.begin();
    for (GameNode* node : town_.nodes()) node->start();
    wait([this] { return town_.ready(); }, "processes to begin", kBegin);
    for (const auto& client : town_.clients) client->play();
    wait(
        [this] {
          return std::ranges::all_of(town_.clients, [](const auto& each) { return each->plays(); });
        },
        "players to come", kBegin);
    std::optional<Adversary> adversary;
    if (trouble_ != Trouble::calm) {
      adversary.emplace(world_, *find_profile(trouble_ < Trouble::leases ? "base" : "deaths"));
    }
    const std::uint64_t longest_step[] = {10, 20, 40};
    const std::uint64_t longest = longest_step[draw(std::size(longest_step))];
    for (int step = 0; step < options_.steps; ++step) {
      world_.timeline.run_until(world_.now() + world_.random.micros(500, longest * 1000));
      if (adversary) adversary->step();
      act();
      town_.check();
    }
    if (adversary) adversary->stop();
    heal();
  }

  void report(SpacesRunResult& result) {
    result.counts = town_.scene.oracle.counts;
    for (const Event event : {Event::busd_crashes, Event::busroot_crashes, Event::cuts,
                              Event::half_open, Event::stalls, Event::isolations}) {
      result.counts[std::string(kEventNames[static_cast<std::size_t>(event)])] =
          world_.counts[event];
    }
    for (const auto& client : town_.clients) {
      result.counts["full states again"] += client->fulls_again();
    }
    for (const auto& node : town_.spaces) {
      if (node->up()) result.counts["seats given back"] += node->travels().counters().given_back;
    }
    for (GameNode* node : town_.nodes()) result.counts["leases lost"] += node->leases_lost();
    result.fingerprint = town_.scene.fingerprint.hash();
    result.virtual_seconds =
        std::chrono::duration<double>(world_.now() - from_ms(1'000'000)).count();
  }

 private:
  std::uint64_t draw(std::uint64_t below) { return world_.random.below(below); }
  bool chance(double probability) { return world_.random.chance(probability); }
  template <class T>
  T& pick(std::vector<std::unique_ptr<T>>& from) {
    return *from[draw(from.size())];
  }
  void count(const std::string& what) { ++town_.scene.oracle.counts[what]; }

  void wait(const std::function<bool()>& done, const std::string& what, Time limit) {
    for (const Time end = world_.now() + limit; !done();) {
      if (world_.now() >= end) throw Violation("waited in vain for " + what);
      world_.timeline.run_until(world_.now() + from_ms(5));
      town_.check();
    }
  }

  // --- what happens ------------------------------------------------------------------------------

  void act() {
    for (const auto& client : town_.clients) of_client(*client);
    for (const auto& client : town_.clients) of_hero(client->hero());
    if (chance(0.1)) send();
    if (chance(0.004)) end_a_space();
    if (chance(0.01)) town_.scene.oracle.refusals = 1;
    if (trouble_ == Trouble::calm && chance(0.02)) town_.scene.oracle.stays = 1;
    if (chance(0.002)) drain_a_node();
    if (chance(0.0007)) drain_a_gate();
    if (trouble_ >= Trouble::faults && chance(0.004)) pause_somebody();
    if (trouble_ >= Trouble::deaths && chance(0.003)) kill_somebody();
  }

  void of_client(PlayerClient& client) {
    if (chance(0.1)) {
      const auto step = [this] { return static_cast<float>(draw(7)) / 10 - 0.3F; };
      const float x = step();
      client.walk({x, step()});
    }
    if (chance(0.02)) client.buy();
    if (chance(0.003)) client.cut();
    if (chance(0.0005)) client.log_out();
    if (chance(0.0003)) client.bye();
  }

  void of_hero(const std::string& name) {
    SpaceNode* const at = town_.place_of(name);
    if (at == nullptr || at->paused()) return;
    at->run([&] {
      Hero& hero = *at->find(name);
      if (chance(0.05)) hero.talk();
      if (chance(0.03)) begin_job(*at, hero);
      if (chance(0.02)) travel(*at, hero);
      if (chance(0.002)) at->travels().cancel(hero);
    });
  }

  void begin_job(SpaceNode& at, Hero& hero) {
    const bool asks = draw(2) == 0;
    const auto job = town_.scene.oracle.begin_job(hero.life_number(), asks ? "question" : "timer");
    if (asks) {
      const auto asked = hero.ask<&Market::price, &Hero::told>(
          at.endpoint(), "service/market", {.deadline = milliseconds(15'000)}, std::tuple(job), 1);
      if (!asked) town_.scene.oracle.told(job, false);
      return;
    }
    const milliseconds later(draw(400));
    if (!hero.run_later<&Hero::earn>({.first = later}, job)) {
      town_.scene.oracle.told(job, false);
    }
  }

  void travel(SpaceNode& at, Hero& hero) {
    space::Wish wish;
    const std::uint64_t kind = draw(10);
    wish.place.type = kind < 5 ? "field" : kind < 8 ? "town" : "cave";
    if (wish.place.type == "cave") wish.place.key = std::to_string(draw(3));
    if (kind == 0) wish.line = static_cast<std::uint32_t>(1 + draw(4));
    if (draw(2) == 0) {
      const auto along = [this] { return 60 + static_cast<float>(draw(80)); };
      const float x = along();
      wish.at = aoi::Position{x, along(), 0};
    }
    wish.patience = milliseconds(draw(4) == 0 ? draw(300) : 500 + draw(4'000));
    count("travels");
    if (!at.travels().is_travelling(hero)) hero.sets_out();
    at.travels().travel(hero, wish, [](const space::Result<space::Travelled>&) {});
  }

  /// Of servers: gates may not call players.
  void send() {
    std::vector<GameNode*> servers{town_.office.get(), town_.desk.get()};
    for (const auto& node : town_.spaces) servers.push_back(node.get());
    GameNode& from = *world_.random.pick(servers);
    if (!from.ready() || from.paused()) return;
    const std::string player = pick(town_.clients).hero();
    const std::string sender = from.life();
    const std::uint64_t number = town_.scene.oracle.next_message(player, sender);
    from.run([&] {
      rpc::call<&Hero::hear>(from.endpoint(), "player/" + player,
                             {.deadline = milliseconds(60'000)}, sender,
                             number)([this, &from, player, sender, number](const auto& reply) {
        if (!reply) count("messages: " + std::string(name_of(reply.error().code)));
        const bool lost = from.life() != sender || !from.ready();
        const auto end = reply ? SpacesOracle::End::handled : end_of(reply.error());
        town_.scene.oracle.ended(player, sender, number, end, lost);
      });
    });
  }

  template <class Failure>
  static SpacesOracle::End end_of(const Failure& why) {
    using End = SpacesOracle::End;
    if (why == bus::Errc::no_owner || why == rpc::Errc::no_such_entity) return End::absent;
    const bool refused = why == bus::Errc::would_block || why == bus::Errc::unreachable;
    return refused ? End::not_handled : End::unknown;
  }

  void end_a_space() {
    SpaceNode& node = pick(town_.spaces);
    if (!node.acts()) return;
    std::vector<space::GameSpace*> all;
    node.run([&] {
      node.spaces().for_each([&](space::GameSpace& each) { all.push_back(&each); });
      if (all.empty()) return;
      count("spaces ended");
      static_cast<void>(all[draw(all.size())]->end_after(milliseconds(draw(300))));
    });
  }

  bool all_spaces_up() {
    return std::ranges::all_of(town_.spaces, [](const auto& node) {
      return node->ready() && !node->paused() && !node->draining();
    });
  }

  void drain_a_node() {
    if (!all_spaces_up()) return;
    count("nodes drained");
    pick(town_.spaces).drain(world_.random.millis(100, 3'000));
  }

  void drain_a_gate() {
    const std::size_t which = draw(2);
    GateNode& gate = *town_.gates[which];
    GateNode& other = *town_.gates[1 - which];
    if (!gate.acts() || !other.acts() || gate_drains_) return;
    count("gates drained");
    gate_drains_ = true;
    world_.timeline.after(from_ms(20'000), [this] { gate_drains_ = false; });
    gate.drain(other, world_.random.millis(100, 2'000));
  }

  void pause_somebody() {
    GameNode& node = *world_.random.pick(town_.nodes());
    if (!node.up() || node.paused()) return;
    count("pauses");
    node.pause();
    const bool longer = trouble_ >= Trouble::leases && draw(10) == 0;
    world_.timeline.after(world_.random.millis(1, longer         ? 50'000
                                                  : draw(6) == 0 ? 5'000
                                                                 : 400),
                          [&node] { node.resume(); });
  }

  void kill_somebody() {
    GameNode& node = *world_.random.pick(town_.nodes());
    if (!node.up()) return;
    count("deaths");
    node.crash();
    world_.timeline.after(world_.random.millis(50, 3'000), [&node] { node.start(); });
  }

  // --- the end -----------------------------------------------------------------------------------

  void heal() {
    world_.network.heal();
    world_.network.release();
    world_.root().start();
    world_.root().resume();
    for (auto& host : world_.hosts()) {
      host->start();
      host->resume();
    }
    for (GameNode* node : town_.nodes()) node->resume();
    town_.scene.oracle.rests = true;
    town_.scene.oracle.refusals = 0;
    town_.scene.oracle.stays = 0;
    for (const auto& client : town_.clients) client->rest();
    const Time end = world_.now() + kRest;
    for (std::string open = town_.unrest(); !open.empty(); open = town_.unrest()) {
      if (world_.now() >= end) throw Violation("no rest: waits for " + open);
      world_.timeline.run_until(world_.now() + from_ms(20));
      if (trouble_ == Trouble::calm) town_.check_seats();
      town_.check();
    }
    world_.timeline.run_until(world_.now() + kStays);
    town_.check();
    if (const std::string open = town_.unrest(); !open.empty()) {
      throw Violation("no rest any more: waits for " + open);
    }
    if (trouble_ != Trouble::calm) return;
    for (const auto& client : town_.clients) {
      if (client->fulls_again() == 0) continue;
      throw Violation(client->account() + " has got a full state, and nobody has died");
    }
  }

  World world_;
  const SpacesRunOptions options_;
  const Trouble trouble_;
  Town town_;
  bool gate_drains_ = false;
};

}  // namespace

Trouble trouble_of(std::uint64_t seed) {
  return static_cast<Trouble>(seed % 4);
}

SpacesRunResult run_spaces(const SpacesRunOptions& options) {
  spdlog::set_level(options.trace == nullptr ? spdlog::level::off : spdlog::level::debug);
  spdlog::set_pattern("            log [%l] %v");  // without the time of day: a trace plays again
  SpacesRunResult result;
  SpacesRun run(options);
  try {
    run.run();
  } catch (const Violation& violation) {
    result.violation = violation.what();
  } catch (const std::exception& exception) {
    result.violation = std::string("the program broke down: ") + exception.what();
  }
  run.report(result);
  return result;
}

}  // namespace starbus::sim
