#include "tests/sim/users/workload.hpp"

#include "bus/core/limits.hpp"

namespace starbus::sim {
namespace {

constexpr int kBudget = 70;
constexpr int kPressureBudget = 400;
constexpr double kAppends = 0.25;  // of posts, to logs
// Larger than a chunk, a window and a queue, but not than all queues together: as in the product.
#ifdef STARBUS_TIGHT
constexpr std::size_t kLargeBody = 2 * bus::kProcessWindow;
static_assert(kLargeBody < bus::kQueuesTotal);
#else
constexpr std::size_t kLargeBody = 200'000;
#endif

}  // namespace

Workload::Workload(World& world, const Profile& profile)
    : world_(world),
      profile_(profile),
      fixed_(world.names_of(World::NameKind::fixed)),
      movers_(world.names_of(World::NameKind::mover)),
      free_(world.names_of(World::NameKind::free)),
      send_rate_(world.random.chance(0.5) ? 0.03 : 0.1),
      move_rate_(world.random.chance(0.5) ? 0.01 : 0.04),
      large_(profile.extended && !profile.pressure && world.random.chance(0.1)) {
  if (large_) world_.large_body = kLargeBody;
  const int budget = profile_.pressure ? kPressureBudget : kBudget;
  for (const NameIndex name : fixed_) budget_[name] = budget;
  if (profile_.extended) {
    for (const NameIndex name : movers_) budget_[name] = budget;
  }
  world_.on_react = [this](Application& application, ProcessNode& process, NameIndex name) {
    if (world_.random.chance(application.react)) send(process, name);
  };
  world_.on_application = [this](Application& application) {
    application.refuse_arrivals = 0.15;
    application.react = profile_.extended ? 0.1 : 0;
  };
  for (ProcessNode* process : world_.living()) world_.on_application(process->application());
}

void Workload::step() {
  for (ProcessNode* process : world_.living()) {
    if (!process->paused()) act(*process);
  }
  if (profile_.deaths) replace_the_lost(0.02);
  if (profile_.mail && world_.random.chance(0.03)) move_shards();
}

/// To a store that may have them already.
void Workload::move_shards() {
  std::vector<std::uint8_t> shards;
  for (const std::uint8_t shard : world_.shards()) {
    if (world_.random.chance(0.5)) shards.push_back(shard);
  }
  StoreNode& store = *world_.random.pick(world_.stores());
  if (!shards.empty()) store.take(shards);
}

void Workload::act(ProcessNode& process) {
  Random& random = world_.random;
  Application& application = process.application();
  if (random.chance(send_rate_) && application.owns(process.entity())) {
    send(process, process.entity());
  }
  if (random.chance(0.004)) {
    const auto lane =
        random.pick(std::vector(std::begin(bus::kDataLanes), std::end(bus::kDataLanes)));
    application.call(pick_receiver(process.entity()), lane,
                     random.millis(20, random.chance(0.5) ? 500 : 8'000));
  }
  if (profile_.mail && random.chance(2 * send_rate_)) post(process);
  if (!free_.empty() && random.chance(0.01)) come_and_go(process);
  for (const NameIndex name : movers_) {
    const Application::Copy* const copy = application.copy_of(name);
    if (copy && !copy->frozen) act_as_entity(process, name);
  }
}

void Workload::act_as_entity(ProcessNode& process, NameIndex name) {
  if (profile_.extended && world_.random.chance(send_rate_)) send(process, name);
  if (world_.random.chance(move_rate_)) move_away(process, name);
}

std::size_t Workload::pick_size() {
  Random& random = world_.random;
  if (large_ && random.chance(0.05)) return random.between(1, kLargeBody);
  return random.chance(0.9) ? random.below(64) : random.below(2'000);
}

void Workload::send(ProcessNode& process, NameIndex from) {
  Random& random = world_.random;
  const auto budget = budget_.find(from);
  if (budget == budget_.end() || budget->second <= 0) return;
  Application::SendOptions options;
  options.padding = pick_size();
  options.hint = random.chance(0.3);
  if (random.chance(0.05)) options.expires = world_.now() + random.millis(20, 3'000);
  const auto lane = bus::kDataLanes[random.below(std::size(bus::kDataLanes))];
  std::uint64_t burst = random.chance(0.2) ? random.between(2, 6) : 1;
  if (profile_.pressure && random.chance(0.3)) burst = random.between(10, 30);
  for (std::uint64_t i = 0; i < burst; ++i) {
    const std::vector<NameIndex> to = pick_receivers(from);
    if (process.application().send(from, to, lane, options)) --budget->second;
  }
}

NameIndex Workload::pick_receiver(NameIndex from) {
  Random& random = world_.random;
  while (true) {
    const std::uint64_t kind = random.below(10);
    const auto& names = kind < 6 ? movers_ : kind < 9 || free_.empty() ? fixed_ : free_;
    if (names.empty()) continue;
    const NameIndex to = random.pick(names);
    if (to != from) return to;
  }
}

std::vector<NameIndex> Workload::pick_receivers(NameIndex from) {
  Random& random = world_.random;
  std::vector<NameIndex> to = {pick_receiver(from)};
  if (!profile_.extended || !random.chance(0.2)) return to;
  for (std::uint64_t wanted = random.between(1, 3); wanted > 0; --wanted) {
    const NameIndex more = pick_receiver(from);
    if (std::ranges::find(to, more) == to.end()) to.push_back(more);
  }
  return to;
}

/// Mostly to a process that lives; now and then under an incarnation that has ended.
void Workload::move_away(ProcessNode& process, NameIndex name) {
  const auto living = world_.living();
  const ProcessNode* const target = world_.random.pick(living);
  if (target == &process || !target->core().reply_lineage()) return;
  bus::Process id = target->core().self();
  if (world_.oracle.disturbances() != 0 && world_.random.chance(0.05)) --id.incarnation;
  process.application().move(name, id);
}

void Workload::post(ProcessNode& process) {
  Random& random = world_.random;
  const std::uint64_t burst = random.chance(0.2) ? random.between(2, 6) : 1;
  for (std::uint64_t i = 0; i < burst; ++i) {
    // A few keys, so that some come again, from anybody.
    const std::string key = random.chance(0.1) ? "key" + std::to_string(random.below(8)) : "";
    const bus::Time expires =
        random.chance(0.05) ? world_.now() + random.millis(20, 3'000) : bus::Time{};
    const bool log = !world_.logs().empty() && random.chance(kAppends);
    const std::string& box = random.pick(log ? world_.logs() : world_.mailboxes());
    process.application().post(box, key, pick_size(), expires);
  }
}

void Workload::come_and_go(ProcessNode& process) {
  const NameIndex name = world_.random.pick(free_);
  Application& application = process.application();
  if (application.owns(name)) {
    application.unbind(name);
  } else if (!application.binding(name)) {
    application.bind(name);
  }
}

void Workload::replace_the_lost(double chance) {
  for (const NameIndex name : movers_) {
    if (world_.owner_of(name) || !world_.random.chance(chance)) continue;
    const auto living = world_.living();
    if (living.empty()) continue;
    ProcessNode& process = *world_.random.pick(living);
    if (!process.paused() && !process.application().binding(name)) process.application().bind(name);
  }
}

}  // namespace starbus::sim
