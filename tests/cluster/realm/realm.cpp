#include "tests/cluster/realm/realm.hpp"

#include <fcntl.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <sstream>

namespace starbus::cluster_test {

using namespace std::chrono_literals;
using nodes::entities::DbSaver;

void Realm::configure(daemon::ConfigReader& reader) {
  heroes_ = reader.integer<std::uint32_t>("heroes", 0, 0, 100'000);
  plays_ = reader.strings("plays");
  per_node_ = reader.integer<std::uint32_t>("per_node", 1, 1, 100'000);
  pace_ = reader.duration("pace", 2ms);
  database_name_ = reader.string("database", "main");
  notes_ = reader.string("notes", "");
}

bus::Result<> Realm::start(nodes::Node& node) {
  node_ = &node;
  node.offer("realm/" + node.name(), *this);
  node.on_drain("note it", [this](const nodes::Done& done) {
    note("saved");
    done({});
  });
  node.on_state([this](nodes::NodeState state) {
    if (state == nodes::NodeState::ready && heroes_ > 0) open();
    if (state != nodes::NodeState::draining) return;
    draining_ = true;
    note("drains");
  });
  if (!plays_.empty()) {
    node.on_drain("earned", [this](const nodes::Done& done) { write_down(done); });
    if (!node.timers().every(timers_, pace_, pace_, entity::CatchUp::once, [this] { play(); })) {
      return bus::Errc::io_error;
    }
  }
  database_.emplace(node.bus(), nodes::db::RemoteOptions{.database = database_name_});
  saver_.emplace(*database_);
  nodes::entities::HostOptions options;
  options.save = saver_->store();
  options.take_in = {"hero/"};
  host_.emplace(node.rpc(), node.timers(), node.name(), std::move(options));
  host_->declare<Hero>();
  return host_->join(node);
}

void Realm::open() {
  entered_ = refused_ = 0;
  for (std::uint64_t i = 0; i < heroes_; ++i) {
    const std::string name = hero_name(node_->name(), i);
    saver_->load("hero", name.substr(5), [this, name](DbSaver::Loaded loaded) {
      if (loaded) return enter(name, std::move(*loaded));
      spdlog::error("{} cannot be loaded: {}", name, loaded.error().to_string());
    });
  }
}

void Realm::enter(std::string name, std::optional<bus::Bytes> saved) {
  entity::CreateOptions how;
  how.persistent_id = name.substr(5);
  if (saved) how.saved = bus::ByteView(*saved);
  const auto made = host_->entities().create_with<Hero>(how);
  if (!made) {  // it has come back from elsewhere meanwhile
    ++entered_, ++refused_;
    return spdlog::warn("{}: {}", name, made.error().to_string());
  }
  const entity::OnlineId id = (*made)->online_id();
  host_->publish(**made, name, [this, name, id](const bus::Result<>& bound) {
    ++entered_;
    if (bound) return;
    ++refused_;
    spdlog::info("{} lives elsewhere: {}", name, bound.error().to_string());
    // What was loaded is not the latest, and is not to be saved.
    if (entity::Entity* hero = host_->entities().find(id)) hero->destroy(entity::EndReason::fenced);
  });
}

RealmReport Realm::report(rpc::Caller&) {
  const auto& counters = host_->counters();
  return {host_->entities().size(),
          counters.moved_in,
          counters.moved_out,
          counters.moves_failed,
          moving_,
          refused_,
          counters.unsaved,
          entered_ == heroes_};
}

std::uint64_t Realm::move_all(rpc::Caller&, std::string target) {
  std::uint64_t begun = 0;
  host_->entities().for_each<Hero>([&](Hero& hero) {
    ++begun;
    ++moving_;
    host_->move(hero, target, [this](const bus::Result<>&) { --moving_; });
  });
  return begun;
}

/// One call at a time for each turn, whoever has answered by then.
void Realm::play() {
  if (draining_ || node_->state() != nodes::NodeState::ready) return;
  const std::uint64_t turn = next_++;
  const std::string name =
      hero_name(plays_[turn % plays_.size()], turn / plays_.size() % per_node_);
  ++played_[name].asked;
  rpc::call<&Hero::earn>(node_->rpc(), name, {.deadline = 10s, .owner = this},
                         1)([this, name](const rpc::Reply<int>& gold) {
    if (gold) ++played_[name].answered;
  });
}

void Realm::write_down(const nodes::Done& done) {
  std::ostringstream text;
  for (const auto& [name, played] : played_) {
    text << name << ' ' << played.answered << ' ' << played.asked << '\n';
  }
  const auto submitted = node_->tasks().submit(
      "disk",
      [node = node_, text = text.str()] {
        node->process_context().state.write("earned", text).value();
      },
      [done](const bus::Result<>& written) { done(written); });
  if (!submitted) done(submitted);
}

/// One write to a file that all append to, so the lines of processes are in the order of time.
void Realm::note(const std::string& what) const {
  if (notes_.empty()) return;
  const std::string line = what + " " + node_->role() + " " + node_->name() + "\n";
  const int file = ::open(notes_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0) return;
  [[maybe_unused]] const auto written = ::write(file, line.data(), line.size());
  ::close(file);
}

}  // namespace starbus::cluster_test
