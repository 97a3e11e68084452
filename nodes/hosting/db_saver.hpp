/// Keeps entities as documents of a database (nodes/db), one for each, and gives back what was
/// kept.
///
///   db::RemoteDatabase database(node.bus(), {.database = "main"});
///   entities::DbSaver saver(database);
///   host.emplace(node.rpc(), node.timers(), node.name(),
///                HostOptions{.save = saver.store(), .load = saver.loader()});
///   ...
///   const DbSaver::Loaded loaded = co_await saver.load("player", "alice");   // or with a callback
///   // *loaded: the properties for CreateOptions::saved; none if there is no such document
///
/// A document has the entity's persistent id in the collection that is named as its type:
///
///   { "type": "player", "version": "0000010000000030.0000000000000007", "saved": <View::save>,
///     "values": { "level": 7 } }
///
/// `values` are the properties that TypeOptions::searchable names, for indexes: only `saved` is
/// loaded. A value that no document can hold (a number beyond int64, one that is not finite, a text
/// that is not UTF-8), or of more than kSearchableValue, is left out, and its entity saved all the
/// same.
///
/// **Versions**: a write is refused, as `superseded`, if a later owner of the entity's name has
/// written (SaveVersion): a late save of a process that has lost its lease, or that the entity has
/// left, changes nothing. Nor does a save of an entity that was loaded and never became an owner:
/// so an entity is published always, or never. Nor does a save of one that has come back from a
/// move, if another owner has written meanwhile (SavedEntity::after).
///
/// Belongs to the loop's thread; owns nothing. The database outlives it, and so do the hosts' saves
/// that it was given: answers after its end are dropped.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "bus/client/initiate_early.hpp"
#include "nodes/db/database.hpp"
#include "nodes/hosting/saved_value.hpp"

namespace starbus::nodes::entities {

/// Where the entities of a type are kept.
struct DbSaverOptions {
  /// The collection of a type; not set: its name. At most 64 of letters, digits, `_`, `-` and `.`.
  std::function<std::string(const std::string& type)> collection = {};
  /// Set: an entity is checked out before it is loaded. Its document gets as version the epoch
  /// under which this process owns its name (what this returns): no earlier owner can save it from
  /// then on, so what is loaded is the newest that there is. Error of such a load: stale, if a
  /// later owner has it, or the epoch is 0.
  std::function<std::uint64_t(const std::string& type, const std::string& persistent_id)> checkout =
      {};
};

struct DbSaverCounters {
  std::uint64_t written = 0;
  std::uint64_t unchanged = 0;   // of these, documents that were so already
  std::uint64_t superseded = 0;  // refused: a later owner has written, or has it checked out
  std::uint64_t checked_out = 0;
  std::uint64_t failed = 0;    // attempts that failed for another reason
  std::uint64_t left_out = 0;  // values
};

class DbSaver {
 public:
  using Loaded = db::Result<std::optional<bus::Bytes>>;

  explicit DbSaver(db::Database& database, DbSaverOptions options = {});
  DbSaver(const DbSaver&) = delete;
  DbSaver& operator=(const DbSaver&) = delete;

  /// For HostOptions::save.
  Store store() {
    return [this](const SavedEntity& saved, Done done) { save(saved, std::move(done)); };
  }
  /// For HostOptions::load.
  Load loader() {
    return [this](std::string type, std::string persistent_id, std::function<void(Loaded)> done) {
      start_load(type, persistent_id, std::move(done));
    };
  }
  /// One attempt; erases the document if the save says so. Errors: superseded; too_large, bad_name,
  /// denied, which do not pass; others do.
  void save(const SavedEntity& saved, Done done);
  /// The saved state of one, with all saves that the database was given before. `corrupt`: the
  /// document is not such a state. A callback is called at once if the database refuses.
  template <bus::CompletionFor<std::optional<bus::Bytes>> Token = bus::Awaited>
  auto load(std::string type, std::string persistent_id, Token&& token = Token()) {
    return bus::initiate_early<std::optional<bus::Bytes>>(
        std::forward<Token>(token),
        [this, t = std::move(type), id = std::move(persistent_id)](
            std::function<void(Loaded)> done) { start_load(t, id, std::move(done)); });
  }

  const DbSaverCounters& counters() const { return counters_; }

 private:
  void put(const SavedEntity& saved, Done done);
  void put_unless_own(const SavedEntity& saved, const bus::Result<>& refused, Done done);
  void erase(db::Update raise, Done done);
  void write(db::WriteRequest request, Done done);
  void start_load(const std::string& type, const std::string& persistent_id,
                  std::function<void(Loaded)> done);
  void find(const std::string& type, const std::string& persistent_id,
            std::function<void(Loaded)> done);
  std::string collection_of(const std::string& type) const;
  /// Those that a document may hold.
  db::Json storable(const SavedValues& values);
  bus::Result<> outcome_of(const db::Result<db::Written>& written);

  db::Database& database_;
  const DbSaverOptions options_;
  DbSaverCounters counters_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

/// As in documents: texts of one length, which sort as the versions do.
std::string text_of(const SaveVersion& version);

}  // namespace starbus::nodes::entities
