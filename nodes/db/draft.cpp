#include "nodes/db/draft.hpp"

#include <algorithm>

#include "nodes/db/fingerprint.hpp"
#include "nodes/db/limits.hpp"
#include "nodes/db/names.hpp"

namespace starbus::nodes::db {
namespace {

/// Largest size of an entry, with the store's overhead.
std::size_t most_of_entry(const IndexState& index, const std::string& id) {
  return 64 + index.shape->fields().size() * (2 * kIndexText + 3) + 2 * id.size();
}

}  // namespace

bool only_erases(const WriteRequest& request) {
  return std::ranges::all_of(
      request.writes, [](const Write& write) { return std::holds_alternative<Erase>(write); });
}

// --- documents -----------------------------------------------------------------------------------

Result<Draft::Touched> Draft::load(const std::string& collection, const std::string& id) const {
  Touched document{collection, id, {}, {}};
  auto stored = store_.get(document_key(collection, id));
  if (!stored && stored.error() != storage::Errc::corrupt) return error_of(stored.error());
  if (stored && !stored->has_value()) return document;
  const auto damaged = [&](const std::string& why) {
    document.before.damage = collection + "/" + id + ": " + why;
  };
  if (!stored) {
    damaged(stored.error().to_string());
  } else if (auto value = decode_document(**stored)) {
    document.before = {std::move(*value), std::move(**stored), {}};
  } else {
    damaged(value.error().to_string());
  }
  document.now = document.before;
  return document;
}

/// As the request has left it, or the batch, or the disk.
Result<Draft::Touched*> Draft::touch(Scratch& scratch, const std::string& collection,
                                     const std::string& id) {
  const std::string key = document_key(collection, id);
  if (const auto found = scratch.find(key); found != scratch.end()) return &found->second;
  if (const auto found = touched_.find(key); found != touched_.end()) {
    return &scratch.emplace(key, found->second).first->second;
  }
  auto loaded = load(collection, id);
  if (!loaded) return loaded.error();
  return &scratch.emplace(key, std::move(*loaded)).first->second;
}

Result<Outcome> Draft::apply_to(Touched& document, const Write& write) const {
  Version& now = document.now;
  const bool existed = now.exists();
  if (std::holds_alternative<Erase>(write)) {
    now = {};
    return existed ? Outcome::erased : Outcome::unchanged;
  }
  // Only what needs nothing of it goes on.
  if (!now.damage.empty() && !std::holds_alternative<Put>(write)) {
    return Error(Errc::corrupt, now.damage);
  }
  if (const auto* const insert = std::get_if<Insert>(&write)) {
    if (existed) return Error(Errc::exists, insert->collection + "/" + insert->id);
    now.value = insert->document;
  } else if (const auto* const put = std::get_if<Put>(&write)) {
    now.value = put->document;
  } else {
    const auto& update = std::get<Update>(write);
    if (!existed && !update.upsert) {
      return Error(Errc::not_found, update.collection + "/" + update.id);
    }
    if (!existed) now.value = Json::object();
    if (const auto applied = apply_changes(update.changes, *now.value); !applied)
      return applied.error();
  }
  auto cbor = encode_document(*now.value);
  if (!cbor) return cbor.error();
  const bool same = existed && *cbor == now.cbor;
  now.cbor = std::move(*cbor);
  now.damage.clear();
  return same ? Outcome::unchanged : existed ? Outcome::changed : Outcome::created;
}

Result<Outcome> Draft::run(Scratch& scratch, const Write& write) {
  const auto document =
      std::visit([&](const auto& one) { return touch(scratch, one.collection, one.id); }, write);
  if (!document) return document.error();
  return apply_to(**document, write);
}

Result<Written> Draft::write(const WriteRequest& request) {
  std::uint64_t print = 0;
  if (!request.request_id.empty()) {
    print = fingerprint(request.writes);
    auto known = remembered(request, print);
    if (!known) return known.error();
    if (*known) return std::move(**known);
  }
  if (refusing_ && (refuses_erasing_ || !only_erases(request))) return *refusing_;
  Scratch scratch;
  Written written;
  for (std::size_t i = 0; i < request.writes.size(); ++i) {
    const auto outcome = run(scratch, request.writes[i]);
    if (!outcome) {
      return Error(outcome.error().code,
                   "write " + std::to_string(i) + ": " + outcome.error().detail);
    }
    written.outcomes.push_back(*outcome);
  }
  if (const auto fits = check_sizes(scratch); !fits) return fits.error();
  accept(std::move(scratch));
  if (!request.request_id.empty()) {
    answers_[request.request_id] = {now_ms_, print, written.outcomes};
    answered_.push_back(request.request_id);
    bytes_ += 4 * kMaxName;
  }
  return written;
}

Result<> Draft::check_sizes(const Scratch& scratch) const {
  std::size_t bytes = 0;
  std::set<std::string> fresh;
  for (const auto& [key, document] : scratch) {
    bytes += document.now.cbor.size();
    if (document.now.value && look(document.collection) == nullptr) {
      fresh.insert(document.collection);
    }
  }
  if (bytes > kMaxRequest)
    return Error(Errc::too_large, "result of the request too large: split it");
  if (!fresh.empty() && known_collections() + fresh.size() > kMaxCollections) {
    return Error(Errc::too_many, "collections");
  }
  return {};
}

void Draft::accept(Scratch scratch) {
  for (auto& [key, document] : scratch) {
    const auto earlier = touched_.find(key);
    const Version& before = earlier == touched_.end() ? document.before : earlier->second.now;
    const bool was = before.exists();
    const bool is = document.now.exists();
    if (was != is) {
      std::uint64_t& documents = collection(document.collection).documents;
      is ? ++documents : documents -= std::min<std::uint64_t>(documents, 1);
    }
    if (!before.damage.empty()) rebuild_indexes(document.collection);
    bytes_ += key.size() + document.now.cbor.size();
    if (const Collection* const owner = look(document.collection)) {
      for (const auto& [name, index] : owner->indexes) {
        bytes_ += 2 * most_of_entry(index, document.id);
      }
    }
    touched_.insert_or_assign(key, std::move(document));
  }
}

/// Each gets a new number, so that rows of a document that cannot be read any more are in none.
void Draft::rebuild_indexes(const std::string& name) {
  const Collection* const known = look(name);
  if (known == nullptr || known->indexes.empty() || !rebuilt_.insert(name).second) return;
  if (!meta_) meta_ = catalogue_.meta;
  Collection& owner = collection(name);
  for (auto& [index, state] : owner.indexes) {
    dropped_.push_back(state.number);
    state = {meta_->next_index++, owner.documents == 0, {}, state.shape};
    bytes_ += kBatchBytes / 32;
  }
}

Result<std::optional<Json>> Draft::find(const Find& request) {
  const auto paths = check_paths(request.paths);
  if (!paths) return paths.error();
  Scratch scratch;
  const auto document = touch(scratch, request.collection, request.id);
  if (!document) return document.error();
  const std::string& damage = (*document)->now.damage;
  if (!damage.empty()) return Error(Errc::corrupt, damage);
  const std::optional<Json>& value = (*document)->now.value;
  if (!value) return std::optional<Json>();
  return std::optional<Json>(project(*value, *paths));
}

// --- requests that are remembered ----------------------------------------------------------------

Result<std::optional<AnswerRow>> Draft::answer_to(const std::string& request_id) const {
  const auto found = answers_.find(request_id);
  if (found != answers_.end()) return std::optional(found->second);
  const auto stored = store_.get(answer_key(request_id));
  if (!stored) return error_of(stored.error());
  if (!stored->has_value()) return std::optional<AnswerRow>();
  auto row = decode_answer(**stored);
  if (!row) return Error(Errc::corrupt, "the answer to " + request_id);
  return row;
}

Result<std::optional<Written>> Draft::remembered(const WriteRequest& request,
                                                 std::uint64_t print) const {
  auto answer = answer_to(request.request_id);
  if (!answer) return answer.error();
  if (*answer) {
    // To answer it as that one would lose it without a word.
    if ((*answer)->fingerprint != print) {
      return Error(Errc::bad_request,
                   "request id used before by another request: " + request.request_id);
    }
    return std::optional(Written{std::move((*answer)->outcomes), true});
  }
  const bool old = request.age_ms > 0 && now_ms_ <= catalogue_.forgotten_ms + request.age_ms;
  if (old) return Error(Errc::too_old, request.request_id);
  return std::optional<Written>();
}

// --- indexes -------------------------------------------------------------------------------------

Collection& Draft::collection(const std::string& name) {
  const auto found = collections_.find(name);
  if (found != collections_.end()) return found->second;
  const Collection* const durable = catalogue_.find(name);
  return collections_.emplace(name, durable == nullptr ? Collection() : *durable).first->second;
}

std::size_t Draft::known_collections() const {
  const auto is_new = [this](const auto& entry) { return catalogue_.find(entry.first) == nullptr; };
  const auto made = std::ranges::count_if(collections_, is_new);
  return catalogue_.collections.size() + static_cast<std::size_t>(made);
}

const Collection* Draft::look(const std::string& name) const {
  const auto found = collections_.find(name);
  return found != collections_.end() ? &found->second : catalogue_.find(name);
}

Result<> Draft::declare(const DeclareIndex& request) {
  if (refusing_) return *refusing_;
  const Collection* const known = look(request.collection);
  if (known != nullptr) {
    const auto found = known->indexes.find(request.name);
    if (found != known->indexes.end()) {
      if (found->second.shape->fields() == request.fields) return {};
      return Error(Errc::exists, "an index " + request.name + " of other fields");
    }
    if (known->indexes.size() >= kMaxIndexes) return Error(Errc::too_many, "indexes");
  } else if (known_collections() >= kMaxCollections) {
    return Error(Errc::too_many, "collections");
  }
  if (!meta_) meta_ = catalogue_.meta;
  Collection& owner = collection(request.collection);
  owner.indexes[request.name] = {
      meta_->next_index++, owner.documents == 0, {}, std::make_shared<IndexShape>(request.fields)};
  bytes_ += kBatchBytes / 32;  // few of them in one batch
  return {};
}

Result<> Draft::drop(const DropIndex& request) {
  if (refuses_erasing_) return *refusing_;
  const Collection* const known = look(request.collection);
  if (known == nullptr || !known->indexes.contains(request.name)) {
    return Error(Errc::not_found, "no index " + request.name);
  }
  Collection& owner = collection(request.collection);
  dropped_.push_back(owner.indexes.at(request.name).number);
  owner.indexes.erase(request.name);
  bytes_ += kBatchBytes / 32;  // few of them in one batch
  return {};
}

Result<> Draft::build() {
  if (catalogue_.building.empty()) return {};
  const IndexName name = *catalogue_.building.begin();
  const Collection* const known = look(name.collection);
  if (known == nullptr || !known->indexes.contains(name.name)) return {};  // dropped just now
  IndexState& index = collection(name.collection).indexes.at(name.name);
  const auto snapshot = store_.snapshot();
  if (!snapshot) return error_of(snapshot.error());
  const std::string prefix = document_prefix(name.collection);
  const std::string from = prefix + index.cursor + (index.cursor.empty() ? "" : std::string(1, 0));
  const auto page = (*snapshot)->scan(from, behind(prefix), {kBuildDocuments, kBuildBytes});
  if (!page) return error_of(page.error());
  for (const storage::Record& record : page->records) {
    index.cursor = record.key.substr(prefix.size());
    if (touched_.contains(record.key)) continue;  // has its entry in any case
    const auto document = decode_document(record.value);
    if (!document) continue;  // find and query say of it that it is corrupt
    built_.push_back(
        {entry_prefix(index.number) + index.shape->key_of(*document) + index.cursor, index.cursor});
    bytes_ += most_of_entry(index, index.cursor);
  }
  if (!page->next) {
    index.complete = true;
    index.cursor.clear();
  } else if (page->records.empty()) {
    index.cursor = page->next->substr(prefix.size());  // after the damage
  }
  return {};
}

}  // namespace starbus::nodes::db
