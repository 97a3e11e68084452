#include "nodes/hosting/db_saver.hpp"

#include <limits>
#include <utility>

#include "base/hex.hpp"
#include "nodes/hosting/limits.hpp"

namespace starbus::nodes::entities {
namespace {

using db::Json;

bus::Error error_of(const db::Error& error) {
  const auto as = [&](bus::Errc code) { return bus::Error(code, error.to_string()); };
  switch (error.code.in<db::Errc>()) {
    case db::Errc::stale:
      return as(bus::Errc::superseded);
    case db::Errc::too_large:
    case db::Errc::bad_document:
      return as(bus::Errc::too_large);
    case db::Errc::bad_request:
      return as(bus::Errc::bad_name);
    case db::Errc::not_here:
    case db::Errc::wrong_type:
    case db::Errc::too_many:
      return as(bus::Errc::bad_config);
    case db::Errc::busy:
      return as(bus::Errc::would_block);
    case db::Errc::store_full:
      return as(bus::Errc::store_full);
    case db::Errc::corrupt:
      return as(bus::Errc::corrupt);
    default:
      return as(bus::Errc::io_error);
  }
}

Json bytes_of(const bus::Bytes& bytes) {
  const auto* const begin = reinterpret_cast<const std::uint8_t*>(bytes.data());
  return Json::binary(Json::binary_t::container_type(begin, begin + bytes.size()));
}

/// Reads the document that save() wrote; one that was checked out and never saved holds nothing.
DbSaver::Loaded saved_in(const Json& document) {
  const auto found = document.find("saved");
  if (found == document.end() && document.contains("checkout")) return std::optional<bus::Bytes>();
  if (found == document.end() || !found->is_binary()) {
    return db::Error(db::Errc::corrupt, "not the document of an entity: 'saved' holds no bytes");
  }
  const auto& bytes = found->get_binary();
  const auto* const begin = reinterpret_cast<const std::byte*>(bytes.data());
  return std::optional(bus::Bytes(begin, begin + bytes.size()));
}

}  // namespace

std::string text_of(const SaveVersion& version) {
  return hex_of(version.epoch) + "." + hex_of(version.number);
}

DbSaver::DbSaver(db::Database& database, DbSaverOptions options)
    : database_(database), options_(std::move(options)) {}

std::string DbSaver::collection_of(const std::string& type) const {
  return options_.collection ? options_.collection(type) : type;
}

void DbSaver::save(const SavedEntity& saved, Done done) {
  if (!saved.after) return put(saved, std::move(done));
  put(saved, [this, saved, done = std::move(done)](const bus::Result<>& end) {
    if (end || end.error() != bus::Errc::superseded) return done(end);
    put_unless_own(saved, end, done);
  });
}

/// What is later than `after` may be of this owner: an attempt whose answer was lost. Then no other
/// one can come between.
void DbSaver::put_unless_own(const SavedEntity& saved, const bus::Result<>& refused, Done done) {
  const auto taken = database_.find(
      {.collection = collection_of(saved.type), .id = saved.persistent_id, .paths = {"version"}},
      [this, weak = std::weak_ptr(alive_), saved, refused,
       done](const db::Result<std::optional<Json>>& found) {
        if (weak.expired()) return;
        if (!found) return done(error_of(found.error()));
        const std::string stored = *found ? (*found)->value("version", std::string()) : "";
        if (!stored.starts_with(hex_of(saved.version.epoch) + ".")) return done(refused);
        SavedEntity own = saved;
        own.after.reset();
        put(own, done);
      });
  if (!taken) done(error_of(taken.error()));
}

void DbSaver::put(const SavedEntity& saved, Done done) {
  db::Update update;
  update.collection = collection_of(saved.type);
  update.id = saved.persistent_id;
  update.upsert = true;
  if (saved.after) {
    const SaveVersion last{*saved.after, std::numeric_limits<std::uint64_t>::max()};
    update.changes.push_back({db::Operator::raise, "version", text_of(last)});
  }
  update.changes.push_back({db::Operator::raise, "version", text_of(saved.version)});
  if (saved.erase) return erase(std::move(update), std::move(done));
  update.changes.push_back({db::Operator::set, "type", saved.type});
  update.changes.push_back({db::Operator::set, "saved", bytes_of(saved.properties)});
  // Also unset if the entity has no values any more: its earlier ones would be found for ever.
  if (db::Json values = storable(saved.values); values.empty()) {
    update.changes.push_back({db::Operator::unset, "values", {}});
  } else {
    update.changes.push_back({db::Operator::set, "values", std::move(values)});
  }
  db::WriteRequest request;
  request.writes.emplace_back(std::move(update));
  write(std::move(request), std::move(done));
}

/// Together, so that a document with a later version refuses both.
void DbSaver::erase(db::Update raise, Done done) {
  db::Erase erase{raise.collection, raise.id};
  db::WriteRequest request;
  request.writes.emplace_back(std::move(raise));
  request.writes.emplace_back(std::move(erase));
  write(std::move(request), std::move(done));
}

void DbSaver::write(db::WriteRequest request, Done done) {
  const auto taken = database_.write(
      std::move(request), [this, weak = std::weak_ptr(alive_), done](db::Result<db::Written> end) {
        if (!weak.expired()) done(outcome_of(end));
      });
  if (!taken) done(outcome_of(taken.error()));
}

db::Json DbSaver::storable(const SavedValues& values) {
  Json all = Json::object();
  for (const SavedValue& one : values) {
    const auto weight = db::check_value(one.value);
    const bool small = weight && *weight <= kSearchableValue;
    // "stats.strength" comes into the object "stats".
    if (!small || !db::apply_changes({{db::Operator::set, one.path, one.value}}, all)) {
      ++counters_.left_out;
    }
  }
  return all;
}

bus::Result<> DbSaver::outcome_of(const db::Result<db::Written>& written) {
  if (!written) {
    ++(written.error() == db::Errc::stale ? counters_.superseded : counters_.failed);
    return error_of(written.error());
  }
  ++counters_.written;
  if (written->outcomes.front() == db::Outcome::unchanged) ++counters_.unchanged;
  return {};
}

/// The version of an earlier owner's save is lower from here on.
void DbSaver::start_load(const std::string& type, const std::string& persistent_id,
                         std::function<void(Loaded)> done) {
  if (!options_.checkout) return find(type, persistent_id, std::move(done));
  const std::uint64_t epoch = options_.checkout(type, persistent_id);
  if (epoch == 0) {
    ++counters_.superseded;
    return done(db::Error(db::Errc::stale, type + " " + persistent_id +
                                               ": its name is not owned here; enter it by name"));
  }
  db::Update out{collection_of(type), persistent_id, {}, true};
  out.changes.push_back({db::Operator::raise, "version", text_of({epoch, 0})});
  out.changes.push_back({db::Operator::set, "checkout", hex_of(epoch)});
  db::WriteRequest request;
  request.writes.emplace_back(std::move(out));
  const auto taken =
      database_.write(std::move(request), [this, weak = std::weak_ptr(alive_), type, persistent_id,
                                           done](const db::Result<db::Written>& written) {
        if (weak.expired()) return;
        ++(written                              ? counters_.checked_out
           : written.error() == db::Errc::stale ? counters_.superseded
                                                : counters_.failed);
        if (!written) return done(written.error());
        find(type, persistent_id, done);
      });
  if (!taken) done(taken.error());
}

void DbSaver::find(const std::string& type, const std::string& persistent_id,
                   std::function<void(Loaded)> done) {
  const auto taken = database_.find(
      {.collection = collection_of(type), .id = persistent_id},
      [weak = std::weak_ptr(alive_), done](const db::Result<std::optional<Json>>& found) {
        if (weak.expired()) return;
        if (!found) return done(found.error());
        if (!*found) return done(std::optional<bus::Bytes>());
        done(saved_in(**found));
      });
  if (!taken) done(taken.error());
}

}  // namespace starbus::nodes::entities
