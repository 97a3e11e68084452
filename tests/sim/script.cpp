#include "tests/sim/script.hpp"

namespace starbus::sim {

Script::Script(WorldOptions options, std::FILE* trace) : world(1, std::move(options)) {
  world.trace.print_to(trace);
  world.network.set_tail_loss(true);
  for (auto& process : world.processes()) watch(*process);
  world.begin();
  world.network.set_gate([this](const Network::Passing& passing) {
    for (Rule& rule : rules_) {
      if (passing.from.name() != rule.from || passing.to.name() != rule.to) continue;
      rule.latched = rule.latched || !rule.kind || contains(passing.bundle, *rule.kind);
      if (rule.latched) return Network::Verdict::hold;
    }
    return Network::Verdict::pass;
  });
}

void Script::watch(ProcessNode& process) {
  process.when_started = [this, &process] {
    Application& application = process.application();
    application.when_handled = [this, &process](NameIndex name, MessageId id) {
      handled.push_back({process.name(), name, id});
    };
    application.when_failed = [this](MessageId id, bus::Errc reason, bool sent) {
      failed[id] = {reason, sent};
    };
  };
}

// --- people and places ---------------------------------------------------------------------------

HostNode& Script::host(std::string_view name) {
  for (auto& host : world.hosts()) {
    if (host->name() == name) return *host;
  }
  throw std::logic_error("no such host: " + std::string(name));
}

Node& Script::node(std::string_view name) {
  if (name == world.root().name()) return world.root();
  if (name.find('.') != std::string_view::npos) return process(name);
  return host(name);
}

std::string Script::owner(std::string_view name) {
  const ProcessNode* const owner = world.owner_of(world.index_of(name));
  return owner ? owner->name() : std::string();
}

const Application::Copy* Script::copy(std::string_view process_name, std::string_view name) {
  return process(process_name).application().copy_of(world.index_of(name));
}

// --- actions -------------------------------------------------------------------------------------

bool Script::try_send(std::string_view from, std::string_view to, bus::Lane lane,
                      std::size_t size) {
  ProcessNode* const sender = world.owner_of(world.index_of(from));
  expect(sender != nullptr, std::string(from) + " is somewhere");
  Application::SendOptions options;
  options.padding = size;
  return sender->application().send(world.index_of(from), {world.index_of(to)}, lane, options);
}

MessageId Script::send(std::string_view from, std::string_view to, bus::Lane lane,
                       std::size_t size) {
  expect(try_send(from, to, lane, size), "the bus takes a message from " + std::string(from));
  return world.oracle.issued();
}

MessageId Script::announce(std::string_view from, const std::vector<std::string>& to,
                           bus::Lane lane) {
  std::vector<NameIndex> names;
  for (const std::string& name : to) names.push_back(world.index_of(name));
  ProcessNode* const sender = world.owner_of(world.index_of(from));
  expect(sender != nullptr, std::string(from) + " is somewhere");
  expect(sender->application().send(world.index_of(from), names, lane, {}),
         "the bus takes an announcement");
  return world.oracle.issued() - names.size() + 1;
}

void Script::move(std::string_view name, std::string_view to) {
  ProcessNode* const source = world.owner_of(world.index_of(name));
  expect(source != nullptr, std::string(name) + " is somewhere");
  expect(source->application().move(world.index_of(name), process(to).core().self()),
         std::string(name) + " may move");
}

void Script::move_and_wait(std::string_view name, std::string_view to) {
  move(name, to);
  until([&] { return owner(name) == to && !world.anything_moves(); },
        std::string(name) + " to be at " + std::string(to));
  until_rest();
}

void Script::bind(std::string_view process_name, std::string_view name) {
  process(process_name).application().bind(world.index_of(name));
}

void Script::kill(std::string_view process_name) {
  world.oracle.disturbed();
  process(process_name).crash();
}

void Script::cut(std::string_view connector) {
  Node& from = node(connector);
  Node& to = connector.find('.') == std::string_view::npos
                 ? static_cast<Node&>(world.root())
                 : static_cast<Node&>(process(connector).host());
  world.network.cut(world.network.link_between(from, to), {}, {});
}

// --- holding -------------------------------------------------------------------------------------

void Script::hold(std::string_view from, std::string_view to, Kind kind) {
  rules_.push_back({std::string(from), std::string(to), kind, false});
}

void Script::hold_all(std::string_view from, std::string_view to) {
  rules_.push_back({std::string(from), std::string(to), std::nullopt, false});
}

bool Script::held(std::string_view from, std::string_view to) const {
  return std::ranges::any_of(
      rules_, [&](const Rule& rule) { return rule.from == from && rule.to == to && rule.latched; });
}

void Script::release(std::string_view from, std::string_view to) {
  std::erase_if(rules_, [&](const Rule& rule) { return rule.from == from && rule.to == to; });
  world.network.release();
}

void Script::release_all() {
  rules_.clear();
  world.network.release();
}

void Script::lose(std::string_view from, Kind kind, int at_most) {
  const Node* const sender = &node(from);
  world.network.set_loss(
      [sender, kind, at_most, lost = 0](const Node& who, Kind present, ByteView) mutable {
        if (&who != sender || present != kind || (at_most != 0 && lost >= at_most)) return false;
        ++lost;
        return true;
      });
}

// --- time and expectations -----------------------------------------------------------------------

void Script::until_held(std::string_view from, std::string_view to) {
  until([&] { return held(from, to); }, "the held record from " + std::string(from));
}

void Script::until_handled(MessageId id) {
  until([&] { return was_handled(id); }, world.oracle.describe(id) + " to be handled");
}

void Script::until_rest(std::uint64_t limit_ms) {
  until([&] { return world.unrest().empty(); }, "rest", limit_ms);
}

std::string Script::handler_of(MessageId id) const {
  const auto found = std::ranges::find(handled, id, &Handled::id);
  return found == handled.end() ? std::string() : found->process;
}

void Script::expect(bool truth, const std::string& what) const {
  if (!truth) throw Violation("expected that " + what);
}

void Script::finish(std::uint64_t limit_ms) {
  rules_.clear();
  world.heal_and_check(from_ms(limit_ms), [this] {
    // An entity that died with its process is taken up by another.
    if (world.oracle.disturbances() == 0) return;
    for (const NameIndex name : world.names_of(World::NameKind::mover)) {
      Application& heir = process("a.2").application();
      if (!world.owner_of(name) && !heir.binding(name)) heir.bind(name);
    }
  });
}

std::vector<Scenario> all_scenarios() {
  std::vector<Scenario> all;
  for (const auto& group :
       {filter_scenarios(), lineage_scenarios(), withdrawal_scenarios(), link_scenarios(),
        move_scenarios(), move_end_scenarios(), directory_scenarios(), relay_scenarios(),
        mail_scenarios(), log_scenarios(), liar_scenarios(), client_scenarios()}) {
    all.insert(all.end(), group.begin(), group.end());
  }
  return all;
}

}  // namespace starbus::sim
