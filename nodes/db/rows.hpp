/// How documents lie in the store: keys and values, byte by byte as in docs/guide/db.md. Integers
/// in keys are big-endian, so that they sort; in values little-endian.
///
///   M                              MetaRow: one
///   N                              the name of the database
///   C collection                   how many documents it has
///   I length collection name       IndexRow
///   D length collection id         a document, CBOR
///   X number values id             an index row: the id
///   R request-id                   AnswerRow: what became of a request
///   T sequence                     TurnRow: the same requests, oldest first
///
/// Decoding trusts nothing: a row that is not of its form is nullopt.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "nodes/db/database.hpp"

namespace starbus::nodes::db {

inline constexpr std::uint8_t kLayout = 1;  // of all rows

/// The one row of key "M".
struct MetaRow {
  std::uint8_t layout = kLayout;
  std::uint32_t next_index = 1;     // numbers of indexes are never used again
  std::uint64_t first_request = 1;  // of those that are remembered: [first, next)
  std::uint64_t next_request = 1;
};

/// The row of an index; its number stands in the keys of its entries.
struct IndexRow {
  std::uint32_t number = 0;
  bool complete = false;
  std::string cursor;  // while it is built: documents up to this id have their rows
  std::vector<IndexField> fields;
};

/// The remembered answer to a request with an id.
struct AnswerRow {
  std::uint64_t time_ms = 0;      // of the wall clock
  std::uint64_t fingerprint = 0;  // of the writes
  std::vector<Outcome> outcomes;
};

/// A request id by its sequence: the oldest are forgotten first.
struct TurnRow {
  std::uint64_t time_ms = 0;
  std::string request_id;
};

/// The keys of the rows above; a prefix is that of all its keys.
inline constexpr std::string_view kMetaKey = "M";
inline constexpr std::string_view kNameKey = "N";
inline constexpr std::string_view kIdentityKey = "S";
std::string count_key(std::string_view collection);
std::string index_key(std::string_view collection, std::string_view name);
std::string document_prefix(std::string_view collection);
std::string document_key(std::string_view collection, std::string_view id);
std::string entry_prefix(std::uint32_t index);
std::string answer_key(std::string_view request_id);
std::string turn_key(std::uint64_t sequence);

/// Which index the key of an index row names.
struct IndexName {
  std::string collection, name;
  friend auto operator<=>(const IndexName&, const IndexName&) = default;
};
/// nullopt if the key is malformed.
std::optional<IndexName> read_index_key(std::string_view key);

std::string encode(const MetaRow& row);
std::string encode(const IndexRow& row);
std::string encode(const AnswerRow& row);
std::string encode(const TurnRow& row);
std::string encode_count(std::uint64_t documents);

/// Each is nullopt if the value is malformed.
std::optional<MetaRow> decode_meta(std::string_view value);
std::optional<IndexRow> decode_index(std::string_view value);
std::optional<AnswerRow> decode_answer(std::string_view value);
std::optional<TurnRow> decode_turn(std::string_view value);
std::optional<std::uint64_t> decode_count(std::string_view value);

}  // namespace starbus::nodes::db
