/// How a draft becomes a batch.
#include <algorithm>

#include "nodes/db/draft.hpp"
#include "nodes/db/limits.hpp"

namespace starbus::nodes::db {

Result<storage::Batch> Draft::batch() {
  storage::Batch batch;
  batch.reserve(bytes_, 4 * touched_.size() + built_.size());
  put_documents(batch);
  for (const storage::Record& entry : built_) batch.put(entry.key, entry.value);
  put_collections(batch);
  if (const auto put = put_answers(batch); !put) return put.error();
  if (meta_) batch.put(kMetaKey, encode(*meta_));
  return batch;
}

void Draft::put_documents(storage::Batch& batch) {
  for (const auto& [key, document] : touched_) {
    if (document.now.cbor != document.before.cbor || !document.before.damage.empty()) {
      document.now.value ? batch.put(key, document.now.cbor) : batch.erase(key);
    }
    const Collection* const owner = look(document.collection);
    if (owner == nullptr) continue;
    for (const auto& [name, index] : owner->indexes) put_entries(document, index, batch);
  }
}

/// While an index is built all entries are put, also those that would not change: the documents
/// that building comes across in this batch it leaves to this.
void Draft::put_entries(const Touched& document, const IndexState& index,
                        storage::Batch& batch) const {
  const std::string prefix = entry_prefix(index.number);
  const auto entry = [&](const Version& version) -> std::optional<std::string> {
    if (!version.value) return std::nullopt;
    return prefix + index.shape->key_of(*version.value) + document.id;
  };
  const auto before = entry(document.before);
  const auto now = entry(document.now);
  if (before && before != now) batch.erase(*before);
  const Collection* const durable = catalogue_.find(document.collection);
  const bool had_all = durable != nullptr && std::ranges::any_of(durable->indexes, [&](auto& had) {
                         return had.second.number == index.number && had.second.complete;
                       });
  if (now && (before != now || !had_all)) batch.put(*now, document.id);
}

void Draft::put_collections(storage::Batch& batch) {
  for (const auto& [name, collection] : collections_) {
    const Collection* const durable = catalogue_.find(name);
    const bool had = durable != nullptr;
    if (!collection.is_gone() && (!had || durable->documents != collection.documents)) {
      batch.put(count_key(name), encode_count(collection.documents));
    } else if (collection.is_gone() && had) {
      batch.erase(count_key(name));
    }
    for (const auto& [index, state] : collection.indexes) {
      const auto known = had ? durable->indexes.find(index) : collection.indexes.end();
      const bool same =
          had && known != durable->indexes.end() && known->second.number == state.number &&
          known->second.complete == state.complete && known->second.cursor == state.cursor;
      if (same) continue;
      const IndexRow row{state.number, state.complete, state.cursor, state.shape->fields()};
      batch.put(index_key(name, index), encode(row));
    }
    if (!had) continue;
    for (const auto& [index, state] : durable->indexes) {
      if (!collection.indexes.contains(index)) batch.erase(index_key(name, index));
    }
  }
  for (const std::uint32_t number : dropped_) {
    batch.erase_range(entry_prefix(number), entry_prefix(number + 1));
  }
}

Result<> Draft::put_answers(storage::Batch& batch) {
  if (answered_.empty()) return {};
  if (!meta_) meta_ = catalogue_.meta;
  if (const auto forgot = forget_answers(batch); !forgot) return forgot;
  for (const std::string& id : answered_) {
    batch.put(answer_key(id), encode(answers_.at(id)));
    batch.put(turn_key(meta_->next_request++), encode(TurnRow{now_ms_, id}));
  }
  return {};
}

/// The oldest, as far as there are too many of them or their time is over.
Result<> Draft::forget_answers(storage::Batch& batch) {
  const bool many =
      meta_->next_request - meta_->first_request + answered_.size() > memory_.requests;
  if (!many && now_ms_ < catalogue_.oldest_answer_ms + memory_.age_ms) return {};
  const auto snapshot = store_.snapshot();
  if (!snapshot) return error_of(snapshot.error());
  const auto page = (*snapshot)->scan(turn_key(meta_->first_request), turn_key(meta_->next_request),
                                      {kForgotten * answered_.size()});
  if (!page) return error_of(page.error());
  for (const storage::Record& record : page->records) {
    const auto row = decode_turn(record.value);
    const std::uint64_t kept = meta_->next_request - meta_->first_request + answered_.size();
    const bool old = !row || row->time_ms + memory_.age_ms <= now_ms_;
    if (!old && kept <= memory_.requests) {
      oldest_ms_ = row->time_ms;
      break;
    }
    batch.erase(record.key);
    forgotten_ms_ = std::max(forgotten_ms_, row ? row->time_ms : now_ms_);
    if (row && !answers_.contains(row->request_id)) batch.erase(answer_key(row->request_id));
    ++meta_->first_request;
  }
  return {};
}

void Draft::keep(Catalogue& catalogue) {
  for (auto& [name, collection] : collections_) catalogue.set(name, std::move(collection));
  if (meta_) catalogue.meta = *meta_;
  catalogue.forgotten_ms = std::max(catalogue.forgotten_ms, forgotten_ms_);
  if (oldest_ms_) catalogue.oldest_answer_ms = *oldest_ms_;
}

}  // namespace starbus::nodes::db
