#pragma once

#include <any>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "entity/properties/address.hpp"

namespace starbus::entity {

/// Why a change came about.
enum class Cause : std::uint8_t {
  write,     ///< a write here
  delta,     ///< of a replica: a change of the real entity
  first,     ///< of a replica: its first snapshot; what differs from the defaults
  snapshot,  ///< of a replica: a snapshot, or newest values, after changes that it has missed
  new_life,  ///< of a replica: a snapshot of an entity that was loaded again or went on elsewhere
};
/// "write", "delta", ...
std::string_view name_of(Cause cause);

/// One change, as observers in this process get it.
struct Change {
  std::string path;  ///< "items[1001].count": of the field, for a container with `operation` on it
  Operation operation = Operation::set;
  std::any value;  ///< the value before, where one value was replaced or removed
  Bytes address;
  Cause cause = Cause::write;

  /// The value before, of type T; nullptr if there is none of that type.
  template <class T>
  const T* old() const {
    return std::any_cast<T>(&value);
  }
};

using Observer = std::function<void(const Change&)>;
using ObserverId = std::uint64_t;

/// The observers in this process of one entity. They get changes in the order in which these were
/// made: a change that an observer causes waits until all observers got the earlier ones. Used by
/// the entity's thread.
class Observers {
 public:
  /// Observes the field at `address`, and all below. 0: there are kMaxObservers.
  ObserverId add(ByteView address, Observer observer);
  void remove(ObserverId id);
  bool empty() const { return entries_.empty(); }
  bool wanted(ByteView address) const;
  void tell(Change change);
  std::uint64_t untold() const { return untold_; }

 private:
  struct Entry {
    ObserverId id;
    Bytes address;
    Observer observer;
    bool removed = false;
  };
  static bool covers(const Entry& entry, ByteView address);
  void tell_all(const Change& change);

  std::vector<std::shared_ptr<Entry>> entries_;
  std::deque<Change> waiting_;
  bool telling_ = false;
  std::size_t told_ = 0;  // in this round
  ObserverId last_ = 0;
  std::uint64_t untold_ = 0;
};

}  // namespace starbus::entity
