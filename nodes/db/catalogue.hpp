/// The facts about the store that need no read: collections, their counts and indexes, and which
/// request ids are remembered. As the disk has it; a Draft has the changes of a batch. Belongs to
/// the owner's thread.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>

#include "nodes/db/index_key.hpp"
#include "nodes/db/rows.hpp"
#include "storage/store.hpp"

namespace starbus::nodes::db {

/// One index of a collection. `cursor`: the document up to which it is built, until it is
/// `complete`.
struct IndexState {
  std::uint32_t number = 0;
  bool complete = false;
  std::string cursor;
  std::shared_ptr<const IndexShape> shape;
};

/// The counts and indexes of one collection.
struct Collection {
  std::uint64_t documents = 0;
  std::map<std::string, IndexState> indexes;

  /// Nothing is left of it.
  bool is_gone() const { return documents == 0 && indexes.empty(); }
};

struct Catalogue {
  MetaRow meta;
  std::map<std::string, Collection> collections;
  std::set<IndexName> building;
  std::uint64_t forgotten_ms = 0;      // answers of up to then may be forgotten
  std::uint64_t oldest_answer_ms = 0;  // no answer that is remembered is older; 0: not looked yet

  /// Null if there is no such collection.
  const Collection* find(const std::string& name) const;
  /// Replaces it; one that is gone is removed.
  void set(const std::string& name, Collection collection);
};

/// Reads it; a new store has an empty one. corrupt, newer_format, io_error, store_full, closed.
Result<Catalogue> load_catalogue(const storage::Store& store);

/// The error of a database for an error that a read met.
Error error_of(const storage::Error& error);

}  // namespace starbus::nodes::db
