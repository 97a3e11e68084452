#include "tests/nodes/space/registry/simulated_cluster.hpp"

#include <algorithm>

#include "nodes/space/limits.hpp"
#include "nodes/space/registry/limits.hpp"

namespace starbus::nodes::space::sim {

using namespace std::chrono_literals;

namespace {

constexpr Time kStep = 100ms;
constexpr Time kMostDelay = 400ms;

SpaceType type_of(const std::string& name, std::uint32_t capacity, std::uint32_t lines) {
  SpaceType type;
  type.name = name;
  type.capacity = capacity;
  type.soft_capacity = std::max<std::uint32_t>(1, capacity * 4 / 5);
  type.max_lines = lines;
  type.idle = 8s;
  type.countdown = 3s;
  type.ticks_per_second = 10;
  type.max = {100, 100, 0};
  type.sight = type.cell = 30;
  type.weight = 40;
  return type;
}

}  // namespace

Cluster::Cluster(const Options& options) : options_(options), random_(options.seed) {
  SpaceType town = type_of("town", 10, 6);
  town.min_lines = 1;
  town.precreated = 2;
  types_["town"] = town;
  types_["arena"] = type_of("arena", 4, 3);
  SpaceType dungeon = type_of("dungeon", 5, 1);
  dungeon.scope = Scope::key;
  types_["dungeon"] = dungeon;
  for (std::size_t i = 0; i < options.nodes; ++i) {
    Node& node = nodes_["host." + std::to_string(i)];
    node.name = "host." + std::to_string(i);
    begin_node(node);
  }
  begin_service();
}

Time Cluster::moment(Time most) {
  return Time(static_cast<std::int64_t>(random(static_cast<std::uint64_t>(most.count()) + 1)));
}

void Cluster::broken(const std::string& what) {
  if (broken_.empty()) {
    broken_ = what + ", after " + std::to_string((now_ - Time(1h)) / 1ms) + " ms";
  }
}

void Cluster::at(Time when, std::function<void()> what) {
  events_.push({when, ++serials_, std::move(what)});
}

void Cluster::send(const std::string& link, std::function<void()> what) {
  Time& latest = links_[link];
  latest = std::max(latest, now_ + moment(kMostDelay));
  at(latest, std::move(what));
}

// The service.

void Cluster::begin_service() {
  ++seen_.services;
  ++term_;
  registry_ = std::make_unique<Registry>(term_, types_, now_);
  for (auto& [name, node] : nodes_) {
    node.known = node.alive ? node.incarnation : 0;
    if (node.alive) registry_->node_came(name, now_);
  }
  for (const auto& [name, process] : names_) registry_->name_held(name, process);
  registry_->directory_complete(now_);
}

void Cluster::end_service() {
  registry_.reset();
  asked_.clear();  // their callers hear that the service has died
}

void Cluster::directory(std::function<void(Registry&)> what) {
  const std::uint64_t term = term_;
  send("directory", [this, term, what = std::move(what)] {
    if (registry_ != nullptr && term == term_) what(*registry_);
  });
}

void Cluster::pump() {
  if (registry_ == nullptr) return;
  for (const Order& order : registry_->take_orders()) deliver(order);
  for (const Answer& answer : registry_->take_answers()) answered(answer);
}

void Cluster::deliver(const Order& order) {
  Node& node = nodes_.at(order.node);
  const std::uint64_t incarnation = node.known;
  const std::string link = std::to_string(term_) + ">" + order.node;
  send(link, [this, &node, incarnation, order] {
    if (!node.alive || node.incarnation != incarnation) {
      if (registry_ != nullptr && order.term == term_) {
        registry_->undelivered(node.name, order.number, now_);
      }
      return;
    }
    in_node(node, incarnation, [this, &node, order] {
      const auto obeyed = node.host->obey(order, now_);
      if (!obeyed && order.term == term_) broken("the present service was not obeyed");
      work(node);
    });
  });
}

void Cluster::answered(const Answer& answer) {
  const auto found = asked_.find(answer.request);
  if (found == asked_.end()) return broken("a second answer, or one that nobody asked for");
  if (now_ > found->second.deadline + kStep) broken("an answer after its deadline");
  const std::uint32_t seats = found->second.seats;
  asked_.erase(found);
  if (!answer.result) {
    ++seen_.refused;
    ++seen_.reasons[answer.result.error().code];
    return;
  }
  ++seen_.granted;
  if (seats > 1) ++seen_.teams;
  const Grant& grant = *answer.result;
  if (grant.tickets.size() != seats) broken("a team was not seated as a whole");
  for (const Ticket& ticket : grant.tickets) come(grant, ticket, now_ + grant.hold);
}

// Nodes.

void Cluster::begin_node(Node& node) {
  ++node.incarnation;
  node.alive = true;
  node.stalled = {};
  node.busy = static_cast<double>(random(300));
  node.host = std::make_unique<HostedSpaces>(std::vector<std::string>{"town", "arena", "dungeon"},
                                             std::vector<std::string>{});
  directory([&node, incarnation = node.incarnation, this](Registry& registry) {
    node.known = incarnation;
    registry.node_came(node.name, now_);
  });
}

void Cluster::end_node(Node& node) {
  ++seen_.deaths;
  node.alive = false;
  node.host.reset();
  node.players.clear();
  node.inbox.clear();
  node.running.clear();
  node.ended.clear();
  for (auto each = names_.begin(); each != names_.end();) {
    if (each->second != node.name) {
      ++each;
      continue;
    }
    directory([name = each->first](Registry& registry) { registry.name_freed(name); });
    each = names_.erase(each);
  }
  directory([&node, incarnation = node.incarnation, this](Registry& registry) {
    if (node.known != incarnation) return;  // this service has never known it
    node.known = 0;
    registry.node_left(node.name, now_);
  });
}

void Cluster::in_node(Node& node, std::uint64_t incarnation, std::function<void()> what) {
  if (!node.alive || node.incarnation != incarnation) return;
  if (now_ < node.stalled || !node.inbox.empty()) {
    node.inbox.push_back(std::move(what));
    return;
  }
  what();
}

void Cluster::to_service(Node& node, std::function<void(Registry&)> what) {
  const std::uint64_t term = term_;
  const std::uint64_t incarnation = node.incarnation;
  const std::string link = node.name + ">" + std::to_string(term);
  send(link, [this, &node, term, incarnation, what = std::move(what)] {
    if (registry_ == nullptr || term != term_ || node.known != incarnation) return;
    what(*registry_);
  });
}

void Cluster::work(Node& node) {
  const std::uint64_t incarnation = node.incarnation;
  for (const HostedSpaces::Work& each : node.host->take_work()) {
    if (const auto* const start = std::get_if<HostedSpaces::Start>(&each)) {
      const bool fails = options_.failures && !healing_ && chance(10);
      const bool hangs = options_.failures && !healing_ && chance(2);
      const Life life = start->life;
      const SpaceName name = start->order.name;
      if (hangs) continue;
      at(now_ + moment(4s), [=, this, &node] {
        in_node(node, incarnation, [=, this, &node] {
          if (node.ended.contains(life)) return;  // while it was starting
          Result<> result;
          if (fails) {
            result = Error(Errc::start_failed, "no map");
          } else if (!names_.try_emplace(name, node.name).second) {
            ++seen_.names_refused;
            if (!blind_) broken("a space was created under a name that is taken");
            result = Error(Errc::already_there, to_string(name));
          } else {
            node.running[life] = name;
            directory([name, process = node.name](Registry& registry) {
              registry.name_held(name, process);
            });
          }
          ++(result ? seen_.created : seen_.failed);
          node.host->started(life, result);
          work(node);
        });
      });
    } else if (const auto* const end = std::get_if<HostedSpaces::End>(&each)) {
      const Life life = end->life;
      node.ended.insert(life);
      at(now_ + moment(1s), [=, this, &node] {
        in_node(node, incarnation, [=, this, &node] {
          std::erase_if(node.players, [&](const Player& player) { return player.life == life; });
          if (const auto found = node.running.find(life); found != node.running.end()) {
            const SpaceName name = found->second;
            names_.erase(name);
            node.running.erase(found);
            directory([name](Registry& registry) { registry.name_freed(name); });
          }
          ++seen_.ended;
          node.host->ended(life);
          work(node);
        });
      });
    }
  }
  for (const Reply& reply : node.host->take_replies()) {
    to_service(node, [name = node.name, reply, this](Registry& registry) {
      registry.replied(name, reply, now_);
    });
  }
  if (node.host->take_announce() || now_ >= node.announces) {
    node.announces = now_ + 1s;
    const Announcement news = node.host->announcement(node.busy, now_);
    to_service(node, [name = node.name, news, this](Registry& registry) {
      registry.announced(name, news, now_);
    });
  }
}

void Cluster::tick_node(Node& node) {
  if (!node.alive || now_ < node.stalled) return;
  while (!node.inbox.empty() && node.alive) {
    const auto what = std::move(node.inbox.front());
    node.inbox.pop_front();
    what();
  }
  std::erase_if(node.players, [&](const Player& player) {
    if (now_ < player.leaves && !healing_) return false;
    node.host->leave(player.life);
    return true;
  });
  node.host->due(now_);
  work(node);
}

// Players.

void Cluster::ask() {
  EnterRequest ask;
  const std::uint64_t which = random(4);
  ask.place = which < 2    ? PlaceId{"town", ""}
              : which == 2 ? PlaceId{"arena", ""}
                           : PlaceId{"dungeon", "team" + std::to_string(random(6))};
  ask.seats = chance(30) ? static_cast<std::uint32_t>(1 + random(4)) : 1;
  ask.line = chance(10) ? static_cast<std::uint32_t>(1 + random(3)) : 0;
  ask.patience = std::chrono::milliseconds(1 + random(15'000));
  const std::uint64_t request = ++requests_;
  asked_[request] = {now_ + ask.patience, ask.seats};
  registry_->enter(request, ask, now_);
  if (chance(5)) {
    pump();  // its answer may have been ready
    if (asked_.erase(request) > 0) registry_->cancel(request, now_);
  }
}

void Cluster::come(const Grant& grant, const Ticket& ticket, Time held_until) {
  Node& node = nodes_.at(grant.node);
  const std::uint64_t incarnation = node.incarnation;
  const Time stays = 500ms + moment(15s);
  at(now_ + (chance(5) ? moment(40s) : moment(2s)), [=, this, &node] {
    in_node(node, incarnation, [=, this, &node] {
      const Announcement before = node.host->announcement(0, now_);
      const auto seat = node.host->arrive(ticket, now_);
      if (seat) {
        ++seen_.arrived;
        node.players.push_back({*seat, now_ + stays});
        return;
      }
      // The only reasons: it took too long, or the space ends or has ended.
      for (const SpaceRow& row : before.spaces) {
        if (row.life == grant.life && !row.ending && now_ < held_until - kMostDelay * 2) {
          broken("a ticket was not taken in time");
        }
      }
    });
  });
}

// The oracle.

void Cluster::check() {
  std::map<std::pair<SpaceName, std::string>, std::uint32_t> truly;
  for (const auto& [name, node] : nodes_) {
    if (!node.alive) continue;
    for (const SpaceRow& row : node.host->announcement(0, now_).spaces) {
      if (row.seats.taken() > row.capacity) broken("a space is beyond its capacity");
      truly[{row.name, name}] = row.seats.taken();
    }
  }
  if (registry_ == nullptr || registry_->rebuilding()) return;
  std::map<PlaceId, std::uint32_t> lines;
  for (const LineView& view : registry_->spaces()) {
    if (view.taken > view.capacity && view.state != "unheard") {
      broken("the registry seats more than the capacity of " + to_string(view.space));
    }
    const auto found = truly.find({view.space, view.node});
    if (view.state == "ready" && found != truly.end() && found->second > view.taken) {
      broken("the registry counts less than there are in " + to_string(view.space));
    }
  }
  for (const auto& [request, asked] : asked_) {
    if (now_ > asked.deadline + 2 * kStep) broken("a request has no answer by its deadline");
  }
  if (asked_.size() != registry_->waiters()) broken("waiters were forgotten, or kept");
}

void Cluster::check_quiet() {
  if (registry_->waiters() != 0 || registry_->rebuilding()) broken("it did not come to rest");
  std::size_t towns = 0;
  for (const LineView& view : registry_->spaces()) {
    if (view.space.place.type == "town" && view.state == "ready") {
      ++towns;
    } else {
      broken("the registry kept " + to_string(view.space) + ", which is " + view.state);
    }
  }
  if (towns != types_.at("town").min_lines) {
    broken("there are " + std::to_string(towns) + " lines of the town");
  }
  std::size_t hosted = 0;
  for (const auto& [name, node] : nodes_) hosted += node.host->size();
  if (hosted != towns) broken("nodes run " + std::to_string(hosted) + " spaces");
  if (names_.size() != towns) broken("names of spaces that are gone are still there");
}

std::string Cluster::run() {
  const Time busy = now_ + options_.length;
  const Time quiet = busy + 90s;  // longer than every pause, deadline and hold
  for (; now_ < quiet && broken_.empty(); now_ += kStep) {
    while (!events_.empty() && events_.top().when <= now_) {
      const auto what = events_.top().what;
      events_.pop();
      what();
      pump();
    }
    for (auto& [name, node] : nodes_) tick_node(node);
    if (now_ >= busy && !healing_) {
      healing_ = true;
      for (auto& [name, node] : nodes_) {
        if (!node.alive) begin_node(node);
        node.stalled = {};
        node.busy = 0;
      }
      if (registry_ == nullptr) begin_service();
    }
    if (!healing_) {
      Node& node = std::next(nodes_.begin(), static_cast<long>(random(nodes_.size())))->second;
      if (options_.deaths && random(400) == 0 && node.alive) end_node(node);
      if (!node.alive && chance(2)) begin_node(node);
      if (options_.stalls && node.alive && random(300) == 0) node.stalled = now_ + moment(8s);
      if (chance(2)) node.busy = static_cast<double>(random(options_.failures ? 900 : 300));
      if (options_.services_die && registry_ != nullptr && random(500) == 0) end_service();
      if (registry_ == nullptr && chance(5)) begin_service();
      if (registry_ != nullptr && chance(20)) ask();
      if (registry_ != nullptr && random(200) == 0 && !registry_->spaces().empty()) {
        const auto all = registry_->spaces();
        (void)registry_->countdown(all[random(all.size())].space, {}, now_);
      }
    }
    if (registry_ != nullptr) {
      const bool waited = registry_->rebuilding();
      registry_->due(now_);
      if (waited && !registry_->rebuilding() && !registry_->nodes().all_announced()) blind_ = true;
    }
    pump();
    if (!healing_ || now_ % 1s == Time{}) check();
  }
  if (broken_.empty()) check_quiet();
  return broken_;
}

}  // namespace starbus::nodes::space::sim
