#include "nodes/nav/map_store.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "nodes/nav/limits.hpp"

namespace starbus::nodes::crowds {
namespace {

/// The same file with other kinds has other tables, and is another map.
std::string key_of(const std::string& name, const std::vector<WalkerKind>& kinds) {
  std::string key = name;
  for (const WalkerKind& kind : kinds) {
    key.append(1, '\0').append(std::to_string(kind.radius)).append(1, ' ');
    key.append(std::to_string(kind.climb));
    for (const std::uint8_t area : kind.closed) key.append(1, ' ').append(std::to_string(area));
  }
  return key;
}

}  // namespace

Result<std::string> MapStore::file_of(std::string_view name) const {
  if (name.empty() || name.size() > kMaxMapName || name.find('\0') != std::string_view::npos) {
    return Error(Errc::bad_request, "map: a name has 1 to " + std::to_string(kMaxMapName) +
                                        " bytes, and none of them is 0");
  }
  const std::filesystem::path path(name);
  const bool leaves = path.is_absolute() ||
                      std::ranges::any_of(path, [](const auto& part) { return part == ".."; });
  if (leaves) {
    return Error(Errc::bad_request,
                 "map '" + std::string(name) + "': give a file below the folder of maps");
  }
  return (std::filesystem::path(folder_) / path).string();
}

void MapStore::get(const std::string& name, const std::vector<WalkerKind>& kinds,
                   const Loaded& done) {
  const auto file = file_of(name);
  if (!file) return done(file.error());
  if (const auto checked = check_kinds(kinds); !checked) return done(checked.error());
  const Key key = key_of(name, kinds);
  Entry& entry = entries_[key];
  if (auto map = entry.map.lock()) return done(map);
  entry.waiting.push_back(done);
  if (entry.waiting.size() > 1) return;
  load(*file, kinds, [this, key](const Result<std::shared_ptr<Map>>& map) {
    if (map) return loaded(key, std::shared_ptr<const Map>(*map));
    loaded(key, map.error());
  });
}

void MapStore::get_own(const std::string& name, const std::vector<WalkerKind>& kinds,
                       const LoadedOwn& done) {
  const auto file = file_of(name);
  if (!file) return done(file.error());
  load(*file, kinds, done);
}

void MapStore::load(const std::string& file, const std::vector<WalkerKind>& kinds,
                    const LoadedOwn& done) {
  ++loads_;
  struct Read {
    std::shared_ptr<Map> map;
    Error why;
  };
  const auto submitted = tasks_.submit(
      "", owner_,
      [file, kinds] {
        auto map = read_map(file, kinds);
        return map ? Read{*std::move(map), {}} : Read{nullptr, map.error()};
      },
      [done](const bus::Result<Read>& read) {
        if (read && read->map != nullptr) return done(read->map);
        done(read ? read->why : read.error());
      });
  if (!submitted) done(Error(Errc::busy, submitted.error().to_string()));
}

void MapStore::loaded(const Key& key, const Result<std::shared_ptr<const Map>>& map) {
  const auto found = entries_.find(key);
  const std::vector<Loaded> waiting = std::exchange(found->second.waiting, {});
  if (map) {
    found->second.map = *map;
  } else {
    entries_.erase(found);
  }
  for (const Loaded& done : waiting) done(map);
  forget_unused();
}

std::size_t MapStore::maps() const {
  return static_cast<std::size_t>(std::ranges::count_if(
      entries_, [](const auto& entry) { return !entry.second.map.expired(); }));
}

void MapStore::forget_unused() {
  std::erase_if(entries_, [](const auto& entry) {
    return entry.second.waiting.empty() && entry.second.map.expired();
  });
}

}  // namespace starbus::nodes::crowds
