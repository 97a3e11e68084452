/// Who owns each of some names now, by a watch of the bus for each.
///
/// No timers: look() starts what is to be started; a watch that is refused is asked for again.
/// Belongs to the loop's thread; ends before the bus.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "bus/client/bus.hpp"
#include "entity/timers/timer_wheel.hpp"
#include "nodes/replica/limits.hpp"

namespace starbus::nodes::replica {

/// Who owns the name of a publisher now. No epoch: nobody, as far as is known.
struct PublisherOwner {
  bus::Process process;
  std::string name;  // HOST.NODE
  bus::Epoch epoch;
};

class Owners {
 public:
  /// Called for a name at its first owner, at each other one, and at its end (no epoch). It may add
  /// and remove names.
  using Changed = std::function<void(const std::string& name, const PublisherOwner& owner)>;

  Owners(bus::Bus& bus, Changed changed) : bus_(bus), changed_(std::move(changed)) {}
  Owners(const Owners&) = delete;
  Owners& operator=(const Owners&) = delete;

  /// `name` is of interest, or is no more; each once per user.
  void add(const std::string& name);
  void remove(const std::string& name);
  bool has(const std::string& name) const { return names_.contains(name); }
  std::size_t size() const { return names_.size(); }
  /// Starts what is missing. Cheap if nothing is.
  void look(entity::Time now);
  /// As last told.
  PublisherOwner owner_of(const std::string& name) const;

 private:
  struct Name {
    std::size_t users = 0;
    PublisherOwner owner;
    bus::WatchHandle watch;
    bool watched = false;
  };
  void start(const std::string& name, Name& known);
  void update(const std::string& name, const bus::WatchUpdate& update);

  bus::Bus& bus_;
  const Changed changed_;
  std::map<std::string, Name> names_;
  bool missing_ = false;     // some watch
  entity::Time again_at_{};  // for those, not before
};

}  // namespace starbus::nodes::replica
