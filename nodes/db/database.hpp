/// nodes/db: documents by collection and id. Read this header first; docs/guide/db.md is the
/// contract.
///
///   database.write({.request_id = "trade/8f3a91c2",
///                   .writes = {Update{"players", "42", {{Operator::inc, "gold", 5}}}}},
///                  [](Result<Written> written) { ... });
///
/// `Database` is the interface that its users know; StoreDatabase (storage/, embedded) implements
/// it, and another server could. Requests are plain values.
///
/// **Answers.** A call that returns an error has taken nothing, and drops `done`. Otherwise `done`
/// is called exactly once, later, on the owner's thread (unless the database ends first), with the
/// outcome. A write is answered when it is on the disk. All of a request takes effect, or nothing.
///
/// **Order.** Writes take effect in the order of the calls, and a find sees all writes before it. A
/// query or count sees everything that had been answered, perhaps more.
///
/// **Retries.** A write with a request id that was carried out already is not carried out again,
/// but answered as the first time, also after restarts; for kRequestAge, or kMaxRequests others.
///
/// Belongs to one thread.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "nodes/db/document.hpp"
#include "nodes/db/update.hpp"

namespace starbus::nodes::db {

// --- writes ---

/// `exists` if there is one.
struct Insert {
  std::string collection, id;
  Json document;
};
/// Inserts or replaces.
struct Put {
  std::string collection, id;
  Json document;
};
/// See update.hpp. Without `upsert` not_found if there is none; with it an empty one is made first.
struct Update {
  std::string collection, id;
  std::vector<Change> changes;
  bool upsert = false;
};
/// Fine if there is none.
struct Erase {
  std::string collection, id;
};
using Write = std::variant<Insert, Put, Update, Erase>;

/// Writes that take effect together, or not at all.
struct WriteRequest {
  std::string request_id{};  ///< unique for ever; empty: a retry would be another write
  std::vector<Write> writes{};
  /// Set in a retry: how long ago the first attempt was, at least. too_old if an answer of that
  /// time may be forgotten, and nothing is done.
  std::uint64_t age_ms = 0;
};

enum class Outcome : std::uint8_t { unchanged = 0, created = 1, changed = 2, erased = 3 };
/// The answer to a WriteRequest.
struct Written {
  std::vector<Outcome> outcomes;  ///< one for each write
  bool repeated = false;          ///< it had been carried out before
};

// --- reads ---

/// Asks for one document.
struct Find {
  std::string collection, id;
  std::vector<std::string> paths{};  ///< the projection; empty: the whole document
};

/// The first values of an index; without an index one text, an id.
struct Bound {
  std::vector<Json> values;
  bool inclusive = true;  ///< of everything that begins so
};
struct Range {
  std::string collection;
  std::string index{};  ///< empty: in the order of ids
  std::optional<Bound> from{}, to{};
};
struct Query {
  Range range;
  std::uint64_t limit = 100;           ///< documents; at most kPageDocuments count
  std::vector<std::string> paths{};    ///< as of Find
  std::optional<std::string> token{};  ///< Page::next of the last one, with the same range
};
struct Found {
  std::string id;
  Json document;
};
struct Page {
  std::vector<Found> found;
  std::vector<Error> damage;        ///< what could not be read: corrupt
  std::optional<std::string> next;  ///< no value: that was all
};

/// Without index and bounds the collection's own counter, at once.
struct Count {
  Range range;
  std::optional<std::string> token{};
};
struct Counted {
  std::uint64_t count = 0;
  std::optional<std::string> next;  ///< the rest has to be asked for, and added
};

// --- indexes ---

/// A path whose values an index sorts by.
struct IndexField {
  std::string path;
  bool descending = false;
  friend bool operator==(const IndexField&, const IndexField&) = default;
};
/// Ok if the same index is declared already. It is built in the background for documents that are
/// there.
struct DeclareIndex {
  std::string collection, name;
  std::vector<IndexField> fields;
};
/// not_found.
struct DropIndex {
  std::string collection, name;
};
struct IndexInfo {
  std::string name;
  std::vector<IndexField> fields;
  bool complete = false;  ///< until then queries that name it are index_building
};

// --- what there is ---

/// The figures of one collection.
struct CollectionInfo {
  std::string name;
  std::uint64_t documents = 0;
  std::uint64_t indexes = 0;
};

class Database {
 public:
  template <class T = void>
  using Done = std::function<void(Result<T>)>;

  virtual ~Database() = default;

  /// Answers, order and retries: see the head of this file.
  virtual Result<> write(WriteRequest request, Done<Written> done) = 0;
  virtual Result<> find(Find request, Done<std::optional<Json>> done) = 0;
  virtual Result<> query(Query request, Done<Page> done) = 0;
  virtual Result<> count(Count request, Done<Counted> done) = 0;
  virtual Result<> declare_index(DeclareIndex request, Done<> done) = 0;
  virtual Result<> drop_index(DropIndex request, Done<> done) = 0;
  virtual Result<> indexes(std::string collection, Done<std::vector<IndexInfo>> done) = 0;
  /// All of them, by name.
  virtual Result<> collections(Done<std::vector<CollectionInfo>> done) = 0;
};

}  // namespace starbus::nodes::db
