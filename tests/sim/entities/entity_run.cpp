#include "tests/sim/entities/entity_run.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <set>
#include <vector>

#include "tests/sim/adversary.hpp"
#include "tests/sim/entities/entity_node.hpp"
#include "tests/sim/world.hpp"

namespace starbus::sim {
namespace {

using entity::OnlineId;
using nodes::entities::MoveOptions;
using std::chrono::milliseconds;

constexpr int kMiners = 5;
constexpr Time kRest = from_ms(120'000);  // calls and questions end by their deadlines

class EntityRun {
 public:
  explicit EntityRun(const EntityRunOptions& options)
      : world_(options.seed, WorldOptions{.processes_per_host = 0, .movers = {}}),
        options_(options) {
    world_.trace.print_to(options.trace);
    for (auto& host : world_.hosts()) {
      nodes_.push_back(std::make_unique<EntityNode>(world_, *host, "e", oracle_, next_id_));
    }
  }

  void run() {
    world_.begin();
    for (auto& node : nodes_) node->start();
    wait([this] { return std::ranges::all_of(nodes_, &EntityNode::ready, dereferenced); },
         "processes to begin");
    settle_miners();
    Adversary adversary(world_, *find_profile("base"));
    // Dense seeds put all faults into seconds.
    const std::uint64_t longest_step[] = {5, 10, 20, 40};
    const std::uint64_t longest = longest_step[world_.random.below(std::size(longest_step))];
    for (int step = 0; step < options_.steps; ++step) {
      world_.timeline.run_until(world_.now() + world_.random.micros(500, longest * 1000));
      adversary.step();
      if (world_.random.chance(0.003)) pause_somebody();
      if (world_.random.chance(0.3)) act();
      check();
    }
    adversary.stop();
    heal();
  }

  void report(EntityRunResult& result) {
    result.counts = ends_;
    result.counts["busd crashes"] = world_.counts[Event::busd_crashes];
    result.counts["busroot crashes"] = world_.counts[Event::busroot_crashes];
    result.counts["links disturbed"] =
        world_.counts[Event::cuts] + world_.counts[Event::half_open] +
        world_.counts[Event::stalls] + world_.counts[Event::abandoned_links];
    result.fingerprint = fingerprint_.hash();
    result.virtual_seconds =
        std::chrono::duration<double>(world_.now() - from_ms(1'000'000)).count();
  }

 private:
  static EntityNode& dereferenced(const std::unique_ptr<EntityNode>& node) { return *node; }
  std::uint64_t draw(std::uint64_t below) { return world_.random.below(below); }

  void wait(const std::function<bool()>& done, const std::string& what, Time limit = kRest) {
    for (const Time end = world_.now() + limit; !done();) {
      if (world_.now() >= end) throw Violation("waited in vain for " + what);
      world_.timeline.run_until(world_.now() + from_ms(5));
      check();
    }
  }

  void settle_miners() {
    for (int i = 0; i < kMiners; ++i) {
      EntityNode& node = *nodes_[static_cast<std::size_t>(i) % nodes_.size()];
      node.run([&] {
        auto made = node.entities().entities().create_by_name("miner");
        if (!made) throw Violation("no entity: " + made.error().to_string());
        static_cast<void>(node.entities().entities().enter_space(**made, OnlineId{1}));
        miners_.push_back((*made)->online_id());
        node.entities().publish(**made, [&](const bus::Result<>& done) {
          oracle_.demand(done.has_value(), "an entity has no name");
          ++published_;
        });
      });
    }
    wait([this] { return published_ == kMiners; }, "names of entities");
  }

  // --- what happens ------------------------------------------------------------------------------

  /// Where it acts; null: it is on its way.
  EntityNode* place_of(OnlineId id) {
    for (auto& node : nodes_) {
      if (node->find(id) != nullptr) return node.get();
    }
    return nullptr;
  }

  void act() {
    const OnlineId id = miners_[draw(miners_.size())];
    EntityNode& other = *nodes_[draw(nodes_.size())];
    if (draw(3) == 0 && !other.paused()) send(other, id);
    EntityNode* const here = place_of(id);
    if (here == nullptr || here->paused()) return;
    here->run([&] {
      for (std::uint64_t i = draw(3); i > 0; --i) begin_job(*here, other, *here->find(id));
      if (&other != here && !moving_.contains(id)) move(*here, other, *here->find(id));
    });
  }

  static std::string channel(OnlineId id) { return nodes::entities::EntityHost::channel_of(id); }

  void send(EntityNode& from, OnlineId id) {
    from.run([&] {
      const auto entity = static_cast<std::uint64_t>(id);
      const int number = oracle_.next_message(entity, from.name());
      const auto sent = rpc::send<&Miner::hear>(from.endpoint(), channel(id), rpc::SendOptions{},
                                                from.name(), number);
      if (!sent) oracle_.not_sent(entity, from.name());
    });
  }

  void begin_job(EntityNode& here, EntityNode& other, Miner& miner) {
    const std::uint64_t kind = draw(4);
    const int job = oracle_.begin_job(kind == 0);
    const milliseconds later(draw(60));
    if (kind == 0) {
      EntityNode& caller = other.paused() ? here : other;
      const OnlineId id = miner.online_id();
      const auto call = [this, &caller, id, job] {
        rpc::call<&Miner::work>(caller.endpoint(), channel(id), {.deadline = milliseconds(20'000)},
                                job)([this, job](const rpc::Reply<int>& reply) {
          mix(static_cast<std::uint64_t>(job));
          oracle_.called(job, reply.has_value());
        });
      };
      // A later turn of its own loop: this one is that of the miner.
      &caller == &here ? call() : caller.later(Time{0}, call);
    } else if (kind == 1) {
      oracle_.may_be_left(job);
      const auto set =
          here.wheel().after(miner.timers(), later, [&miner, job] { miner.take(job); });
      oracle_.demand(set.has_value(), "a closure was refused");
    } else if (kind == 2) {
      const auto set = miner.run_later<&Miner::take>({.first = later}, job);
      oracle_.demand(set.has_value(), "a step was refused");
    } else {
      const auto asked = miner.ask<&Market::price, &Miner::told>(here.endpoint(), "service/market",
                                                                 {.deadline = milliseconds(20'000)},
                                                                 std::tuple(job), job);
      oracle_.demand(asked.has_value(), "a question was refused");
    }
  }

  void move(EntityNode& here, EntityNode& to, Miner& miner) {
    const OnlineId id = miner.online_id();
    const OnlineId space = miner.space();
    const int paces = ++paces_;
    miner.state.paces = paces;
    MoveOptions how{.wait = milliseconds(draw(3) == 0 ? 0 : 3'000), .leave_behind = draw(3) != 0};
    if (draw(3) == 0) how.space = OnlineId{1 + draw(3)};
    const OnlineId next = how.space.value_or(space);
    moving_.insert(id);
    oracle_.refuse(miner.number(), draw(6) == 0);
    here.entities().move(miner, to.name(), how, [=, this](const bus::Result<>& end) {
      moving_.erase(id);
      oracle_.refuse(static_cast<std::uint64_t>(id), false);
      const std::string code = end ? "moved" : std::string(name_of(end.error().code));
      ++ends_[code];
      mix(ends_.size() + (end ? 0x100U : 0x200U));
      world_.note(channel(id), [&] { return end ? "has moved" : end.error().to_string(); });
      EntityNode* const place = place_of(id);
      oracle_.demand(place != nullptr, "it is nowhere: " + code);
      if (place == nullptr) return;
      const Miner& there = *place->find(id);
      const OnlineId expected = end ? next : space;
      oracle_.demand(there.space() == expected, "it is in another space: " + code);
      oracle_.demand(there.state.paces == (expected == space ? paces : 0), "paces: " + code);
    });
  }

  void pause_somebody() {
    EntityNode& node = *nodes_[draw(nodes_.size())];
    if (node.paused()) return;
    ++ends_["pauses"];
    node.pause();
    world_.timeline.after(world_.random.millis(1, draw(10) == 0 ? 4'000 : 300),
                          [&node] { node.resume(); });
  }

  // --- what must hold ----------------------------------------------------------------------------

  void mix(std::uint64_t what) {
    fingerprint_.mix(what + static_cast<std::uint64_t>(world_.now().count()));
  }

  void check() {
    world_.check_step();
    std::int64_t gold = oracle_.treasury();
    bool all_there = true;
    for (const OnlineId id : miners_) {
      int places = 0;
      for (auto& node : nodes_) {
        Miner* const miner = node->find(id);
        if (miner == nullptr) continue;
        ++places;
        gold += miner->state.gold;
        const Digging* const digging = miner->shift.state<Digging>();
        oracle_.demand(digging != nullptr && digging->rounds == oracle_.rounds(miner->number()),
                       "a machine has not gone on where it was");
      }
      oracle_.demand(places <= 1, channel(id) + " acts in two places");
      all_there = all_there && places == 1;
    }
    if (all_there) {
      oracle_.demand(gold == EntityOracle::kWhole,
                     "there are " + std::to_string(gold) + " pieces of gold");
    }
    if (!oracle_.violation().empty()) throw Violation(oracle_.violation());
  }

  std::string unrest() {
    if (!moving_.empty()) return "a move";
    for (const OnlineId id : miners_) {
      EntityNode* const place = place_of(id);
      if (place == nullptr) return channel(id) + " to be somewhere";
      if (place->find(id)->questions() != 0) return "a question of " + channel(id);
    }
    return oracle_.open();
  }

  void heal() {
    world_.network.heal();
    world_.network.release();
    world_.root().start();
    world_.root().resume();
    for (auto& host : world_.hosts()) {
      host->start();
      host->resume();
    }
    for (auto& node : nodes_) node->resume();
    const Time end = world_.now() + kRest;
    for (std::string open = unrest(); !open.empty(); open = unrest()) {
      if (world_.now() >= end) throw Violation("no rest: " + open);
      world_.timeline.run_until(world_.now() + from_ms(20));
      check();
    }
  }

  World world_;
  const EntityRunOptions options_;
  EntityOracle oracle_;
  std::uint64_t next_id_ = 0;
  std::vector<std::unique_ptr<EntityNode>> nodes_;
  std::vector<OnlineId> miners_;
  int published_ = 0;
  std::set<OnlineId> moving_;
  int paces_ = 0;
  std::map<std::string, std::uint64_t> ends_;
  Trace fingerprint_;
};

}  // namespace

EntityRunResult run_entities(const EntityRunOptions& options) {
  spdlog::set_level(spdlog::level::off);
  EntityRunResult result;
  EntityRun run(options);
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
