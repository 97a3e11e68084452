/// Maps of a process: each is loaded once, by a worker, however many ask for it meanwhile, and kept
/// as long as somebody has it. Who changes its map has one of its own, which is loaded for it.
///
/// Belongs to the loop's thread; the channels of tasks outlive it. Its end drops the callbacks that
/// wait. Failures are told to all who wait, and not kept: the next one who asks loads it again.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "nodes/nav/map.hpp"
#include "nodes/runtime/tasks/task_channels.hpp"

namespace starbus::nodes::crowds {

class MapStore {
 public:
  using Loaded = std::function<void(const Result<std::shared_ptr<const Map>>&)>;
  using LoadedOwn = std::function<void(const Result<std::shared_ptr<Map>>&)>;

  /// `folder`: where the files are; no name leads out of it.
  MapStore(TaskChannels& tasks, std::string folder) : tasks_(tasks), folder_(std::move(folder)) {}

  /// Calls back within the call only if the map is there, or the name is refused. As read_map;
  /// bad_request for a name that leads out of the folder; busy if the workers have no room.
  void get(const std::string& name, const std::vector<WalkerKind>& kinds, const Loaded& done);
  /// A map that nobody else has. As get.
  void get_own(const std::string& name, const std::vector<WalkerKind>& kinds,
               const LoadedOwn& done);
  /// The file of a name. bad_request.
  Result<std::string> file_of(std::string_view name) const;

  /// Loads that were begun, since it was made.
  std::uint64_t loads() const { return loads_; }
  /// That somebody has now; those that one crowd has for itself are not among them.
  std::size_t maps() const;

 private:
  struct Entry {
    std::weak_ptr<const Map> map;
    std::vector<Loaded> waiting;  // while it is loaded
  };
  using Key = std::string;

  void load(const std::string& file, const std::vector<WalkerKind>& kinds, const LoadedOwn& done);
  void loaded(const Key& key, const Result<std::shared_ptr<const Map>>& map);
  void forget_unused();

  TaskChannels& tasks_;
  const std::string folder_;
  std::map<Key, Entry> entries_;
  std::uint64_t loads_ = 0;
  TaskOwner owner_;
};

}  // namespace starbus::nodes::crowds
