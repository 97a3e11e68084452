#include "nodes/db/catalogue.hpp"

namespace starbus::nodes::db {
namespace {

/// All rows of one kind.
template <class Visit>
Result<> for_each_row(const storage::Snapshot& snapshot, char kind, Visit&& visit) {
  const std::string end(1, static_cast<char>(kind + 1));
  std::optional<std::string> from(std::string(1, kind));
  while (from) {
    auto page = snapshot.scan(*from, end);
    if (!page) return error_of(page.error());
    if (!page->damage.empty()) return error_of(page->damage.front());
    for (const storage::Record& record : page->records) {
      if (!visit(record)) return Error(Errc::corrupt, storage::printable(record.key));
    }
    from = std::move(page->next);
  }
  return {};
}

/// Answers that were forgotten are no younger than the oldest answer that is left.
Result<> load_forgotten(const storage::Snapshot& snapshot, Catalogue& catalogue) {
  const MetaRow& meta = catalogue.meta;
  if (meta.first_request == 1) return {};
  const auto page = snapshot.scan(turn_key(meta.first_request), turn_key(meta.next_request));
  if (!page) return error_of(page.error());
  for (const storage::Record& record : page->records) {
    const auto row = decode_turn(record.value);
    if (!row) continue;
    catalogue.forgotten_ms = row->time_ms;
    return {};
  }
  return Error(Errc::corrupt, "the oldest rows T");
}

}  // namespace

const Collection* Catalogue::find(const std::string& name) const {
  const auto found = collections.find(name);
  return found == collections.end() ? nullptr : &found->second;
}

void Catalogue::set(const std::string& name, Collection collection) {
  std::erase_if(building, [&](const IndexName& index) { return index.collection == name; });
  for (const auto& [index, state] : collection.indexes) {
    if (!state.complete) building.insert({name, index});
  }
  if (collection.is_gone()) {
    collections.erase(name);
  } else {
    collections[name] = std::move(collection);
  }
}

Result<Catalogue> load_catalogue(const storage::Store& store) {
  Catalogue catalogue;
  const auto snapshot = store.snapshot();
  if (!snapshot) return error_of(snapshot.error());
  const auto meta = (*snapshot)->get(kMetaKey);
  if (!meta) return error_of(meta.error());
  if (meta->has_value()) {
    const auto row = decode_meta(**meta);
    if (!row) return Error(Errc::corrupt, "the row M");
    if (row->layout != kLayout) {
      return Error(Errc::newer_format, "layout " + std::to_string(row->layout));
    }
    catalogue.meta = *row;
  }
  if (const auto loaded = load_forgotten(**snapshot, catalogue); !loaded) return loaded.error();
  const auto counts = for_each_row(**snapshot, 'C', [&](const storage::Record& record) {
    const auto documents = decode_count(record.value);
    if (documents) catalogue.collections[record.key.substr(1)].documents = *documents;
    return documents.has_value();
  });
  if (!counts) return counts.error();
  const auto indexes = for_each_row(**snapshot, 'I', [&](const storage::Record& record) {
    const auto name = read_index_key(record.key);
    const auto row = decode_index(record.value);
    if (!name || !row) return false;
    catalogue.collections[name->collection].indexes[name->name] = {
        row->number, row->complete, row->cursor, std::make_shared<IndexShape>(row->fields)};
    if (!row->complete) catalogue.building.insert(*name);
    return true;
  });
  if (!indexes) return indexes.error();
  return catalogue;
}

Error error_of(const storage::Error& error) {
  switch (error.code.in<storage::Errc>()) {
    case storage::Errc::corrupt:
      return {Errc::corrupt, error.to_string()};
    case storage::Errc::store_full:
      return {Errc::store_full, error.detail};
    case storage::Errc::stale:
    case storage::Errc::would_block:
      return {Errc::busy, error.to_string()};
    case storage::Errc::closed:
      return {Errc::closed, error.detail};
    case storage::Errc::stopped:
      return {Errc::stopped, error.detail};
    default:
      return {Errc::io_error, error.to_string()};
  }
}

}  // namespace starbus::nodes::db
