#include "tests/sim/world.hpp"

#include <algorithm>

#include "tests/sim/clients/client_node.hpp"

namespace starbus::sim {

using bus::Time;

namespace {

/// For an owner that has been there for so long: what a sender learns of it is as old as the
/// longest way of an answer.
bool is_settled(Time age) {
  return age > from_ms(1'000) + age / 500;
}

}  // namespace

World::World(std::uint64_t seed, WorldOptions options)
    : random(seed), timeline(from_ms(1'000'000)), versions_(~seed), options_(std::move(options)) {
  oracle.name_of = [this](NameIndex index) { return name(index).text; };
  root_ = std::make_unique<RootNode>(*this);
  for (const std::string& host : options_.hosts) {
    hosts_.push_back(std::make_unique<HostNode>(*this, host));
  }
  for (auto& host : hosts_) {
    for (int number = 1; number <= options_.processes_per_host; ++number) {
      const std::string node = std::to_string(number);
      const auto entity = static_cast<NameIndex>(names_.size());
      add_name("entity/" + host->name() + "." + node, NameKind::fixed);
      const auto own = static_cast<NameIndex>(names_.size());
      add_name(bus::process_channel_name(host->name(), node), NameKind::process);
      processes_.push_back(std::make_unique<ProcessNode>(*this, *host, node, entity, own));
    }
  }
  for (int number = 1; number <= options_.clients_per_host; ++number) {
    for (auto& host : hosts_) {
      clients_.push_back(std::make_unique<ClientNode>(*this, *host, "c" + std::to_string(number)));
    }
  }
  for (const std::string& mover : options_.movers) add_name(mover, NameKind::mover);
  for (const std::string& text : options_.free_names) add_name(text, NameKind::free);
  add_stores();
  if (!options_.liars) return;
  liars_.push_back(std::make_unique<LiarNode>(*this, hosts_.front().get(), "liar"));
  liars_.push_back(std::make_unique<LiarNode>(*this, nullptr, "z"));
}

void World::add_stores() {
  boxes_ = options_.mailboxes;
  boxes_.insert(boxes_.end(), options_.logs.begin(), options_.logs.end());
  for (const std::string& box : boxes_) {
    const std::uint8_t shard = bus::shard_of(bus::channel_id(box));
    if (std::ranges::find(shards_, shard) == shards_.end()) shards_.push_back(shard);
  }
  if (boxes_.empty()) return;
  for (std::size_t i = 0; i < std::min<std::size_t>(2, hosts_.size()); ++i) {
    HostNode& host = *hosts_[i];
    StoreNode& store = *stores_.emplace_back(std::make_unique<StoreNode>(*this, host, i == 0));
    host.when_started = [&store] { store.start(); };
    host.when_crashed = [&store] { store.crash(); };
    add_name(bus::process_channel_name(host.name(), store.node()), NameKind::store);
  }
  for (const std::uint8_t shard : shards_) add_name(bus::shard_name(shard), NameKind::store);
}

World::~World() {
  for (auto& host : hosts_) host->when_crashed = nullptr;
  // A violation may have left a core in the middle of an event: nothing here may call back.
  on_react = nullptr;
}

void World::add_name(std::string text, NameKind kind) {
  const bus::ChannelId id = bus::channel_id(text);
  by_id_[id] = static_cast<NameIndex>(names_.size());
  names_.push_back({std::move(text), id, kind});
}

NameIndex World::index_of(std::string_view text) const {
  const auto found = std::ranges::find(names_, text, &Name::text);
  if (found == names_.end()) throw std::logic_error("no such name: " + std::string(text));
  return static_cast<NameIndex>(found - names_.begin());
}

std::optional<NameIndex> World::find_name(const bus::ChannelId& id) const {
  const auto found = by_id_.find(id);
  return found == by_id_.end() ? std::nullopt : std::optional(found->second);
}

std::vector<NameIndex> World::names_of(NameKind kind) const {
  std::vector<NameIndex> found;
  for (NameIndex index = 0; index < names_.size(); ++index) {
    if (names_[index].kind == kind) found.push_back(index);
  }
  return found;
}

ProcessNode& World::process(std::string_view name) {
  for (auto& process : processes_) {
    if (process->name() == name) return *process;
  }
  throw std::logic_error("no such process: " + std::string(name));
}

std::vector<ProcessNode*> World::living() {
  std::vector<ProcessNode*> found;
  for (auto& process : processes_) {
    if (process->up()) found.push_back(process.get());
  }
  return found;
}

std::vector<Node*> World::programs() {
  std::vector<Node*> found;
  for (ProcessNode* process : living()) found.push_back(process);
  for (auto& client : clients_) {
    if (client->up()) found.push_back(client.get());
  }
  return found;
}

ProcessNode* World::owner_of(NameIndex name) {
  for (auto& process : processes_) {
    if (process->up() && process->owns(names_[name].id)) return process.get();
  }
  return nullptr;
}

std::uint64_t World::settled_stay(NameIndex name) {
  const NameKind kind = names_[name].kind;
  if (kind == NameKind::process || kind == NameKind::store) return 0;
  ProcessNode* const owner = owner_of(name);
  if (!owner || owner->paused() || owner->core().minor() < bus::kOwnerAgeMinor) return 0;
  const Application::Stay& stay = owner->application().stay_of(name);
  return is_settled(now() - stay.since) ? stay.number : 0;
}

std::uint64_t World::settled_client_stay(std::string_view name) {
  for (auto& client : clients_) {
    if (!client->up() || client->paused()) continue;
    const ClientUser::Stay stay = client->user().stay_of(name);
    if (stay.number != 0) return is_settled(now() - stay.since) ? stay.number : 0;
  }
  return 0;
}

bool World::anything_moves() {
  return std::ranges::any_of(processes_, [](const auto& process) {
    return process->up() && process->core().move_count() != 0;
  });
}

std::string World::name_process(const bus::Process& process) const {
  const auto found = by_id_.find(process.channel());
  std::string text = found == by_id_.end() ? "?" : names_[found->second].text.substr(8);
  return text + "/" + std::to_string(process.incarnation / 1'000'000) +
         (process.incarnation % 1'000'000 == 0
              ? ""
              : "+" + std::to_string(process.incarnation % 1'000'000));
}

// --- what nodes ask ------------------------------------------------------------------------------

void World::note(const std::string& who, const std::string& what) {
  trace.note(now(), [&] { return who + " " + what; });
}

void World::note_bundle(const Node& from, const Node& to, LinkId link, ByteView bundle) {
  trace.note(now(), [&] {
    std::string line = from.name() + " -> " + to.name() + " #" + std::to_string(link);
    for_each_record(bundle, [&](bus::Kind kind, ByteView payload) {
      line += " [" +
              describe(
                  kind, payload,
                  [&](const bus::ChannelId& id) {
                    const auto found = find_name(id);
                    return found ? name(*found).text : id.to_string().substr(0, 8);
                  },
                  [&](const bus::Process& process) { return name_process(process); }) +
              "]";
    });
    return line;
  });
}

bus::PeerFacts World::facts_of(const Node& peer) const {
  bus::PeerFacts facts;
  facts.address = peer.name();
  for (const auto& process : processes_) {
    if (process.get() == &peer) facts.pid = process->pid();
  }
  for (const auto& store : stores_) {
    if (store.get() == &peer) facts.pid = store->pid();
  }
  for (const auto& liar : liars_) {
    if (liar.get() == &peer) facts.pid = liar->pid();
  }
  if (const auto* program = dynamic_cast<const ProgramNode*>(&peer)) facts.pid = program->pid();
  return facts;
}

void World::process_gave_up(ProcessNode& process, const bus::Error& reason) {
  if (!on_gave_up) throw Violation(process.name() + " was refused for good: " + reason.to_string());
  on_gave_up(process, reason);
}

void World::isolate(const Node& node, Time until) {
  isolated_until_[&node] = until;
}

bool World::isolated(const Node& a, const Node& b) const {
  const auto is_isolated = [&](const Node& node) {
    const auto found = isolated_until_.find(&node);
    return found != isolated_until_.end() && found->second > now();
  };
  return is_isolated(a) || is_isolated(b);
}

// --- time ----------------------------------------------------------------------------------------

void World::begin() {
  root_->start();
  for (auto& host : hosts_) host->start();
  for (auto& process : processes_) process->start();
  for (auto& client : clients_) client->start();
  run_until(
      [&] {
        return std::ranges::all_of(processes_, [&](const auto& process) {
          return process->owns(name(process->entity()).id);
        });
      },
      from_ms(10'000), "fixed names to be bound");
  const auto movers = names_of(NameKind::mover);
  for (std::size_t i = 0; i < movers.size(); ++i) {
    processes_[i * 2 % processes_.size()]->application().bind(movers[i]);
  }
  run_until([&] { return unrest().empty(); }, from_ms(20'000), "the cluster to begin");
}

void World::run_for(Time duration) {
  for (const Time end = now() + duration; now() < end;) {
    timeline.run_until(std::min(end, now() + from_ms(5)));
    check_step();
  }
}

void World::run_until(const std::function<bool()>& done, Time limit, const std::string& what) {
  for (const Time end = now() + limit; !done();) {
    if (now() >= end) throw Violation("waited in vain for " + what + ": " + unrest());
    timeline.run_until(now() + from_ms(1));
    check_step();
  }
}

void World::collect_counts() {
  if (root_->up()) counts += router_counts(*root_->router());
  for (auto& host : hosts_) {
    if (host->up()) counts += router_counts(*host->router());
  }
  for (auto& process : processes_) {
    if (process->up()) counts += process_counts(process->core());
  }
  for (auto& client : clients_) {
    if (client->up()) counts += client_counts(*client);
  }
}

Counts router_counts(const bus::Router& router) {
  Counts counts;
  counts[Event::overflow_nacks] = router.counters().nacks_overflow;
  for (const bus::LinkStatus& link : router.link_status()) {
    counts[Event::foreign_bundles] += link.session.foreign_bundles;
  }
  return counts;
}

Counts process_counts(const bus::ProcessCore& core) {
  Counts counts;
  const bus::OriginCounters& origin = core.origin().counters();
  counts[Event::probes] = origin.probes;
  counts[Event::resends] = origin.resends;
  counts[Event::chokes] = origin.chokes;
  counts[Event::gap_nacks] = core.owner().counters().gaps;
  counts[Event::duplicates] = core.owner().counters().duplicates;
  return counts;
}

}  // namespace starbus::sim
