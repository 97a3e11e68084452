#include "nodes/replica/owners.hpp"

#include <spdlog/spdlog.h>

#include <chrono>
#include <utility>

namespace starbus::nodes::replica {

void Owners::add(const std::string& name) {
  if (names_[name].users++ != 0) return;
  missing_ = true;
  again_at_ = {};
}

void Owners::remove(const std::string& name) {
  const auto found = names_.find(name);
  if (found != names_.end() && --found->second.users == 0) names_.erase(found);
}

PublisherOwner Owners::owner_of(const std::string& name) const {
  const auto found = names_.find(name);
  return found == names_.end() ? PublisherOwner{} : found->second.owner;
}

void Owners::look(entity::Time now) {
  if (!missing_ || now < again_at_) return;
  missing_ = false;
  again_at_ = now + kBindAgain;
  for (auto& [name, known] : names_) {
    if (!known.watched) start(name, known);
  }
}

void Owners::start(const std::string& name, Name& known) {
  auto watch = bus_.watch(
      name, [this, name](const bus::WatchUpdate& shown) { update(std::string(name), shown); },
      [this, name](const bus::Error& why) {
        missing_ = true;
        if (const auto found = names_.find(name); found != names_.end()) {
          found->second.watched = false;
        }
        spdlog::warn("mirrors of {}: cannot see who owns it, asking again: {}", name,
                     why.to_string());
      });
  if (!watch) return void(missing_ = true);
  known.watch = std::move(*watch);
  known.watched = true;
}

/// Whoever hears of a change may take the name away.
void Owners::update(const std::string& name, const bus::WatchUpdate& update) {
  for (const bus::WatchRow& row : update.changes) {
    const auto found = names_.find(name);
    if (found == names_.end()) return;
    if (row.name != name) continue;  // a longer one
    const PublisherOwner owner =
        row.present ? PublisherOwner{row.owner, row.owner_name, row.epoch} : PublisherOwner{};
    PublisherOwner& before = found->second.owner;
    if (before.epoch == owner.epoch && before.process == owner.process) continue;
    before = owner;
    changed_(name, owner);
  }
}

}  // namespace starbus::nodes::replica
