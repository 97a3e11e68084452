/// Requests for documents and their answers as bytes: bodies of calls of the bus. docs/guide/db.md
/// has the bytes. Nothing that is read is trusted: sizes are checked before anything is allocated,
/// and documents as decode_document does. Pure functions; any thread.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "entity/archive/decoder.hpp"
#include "nodes/db/database.hpp"

namespace starbus::nodes::db {

/// The arguments of Database::indexes and Database::collections.
struct ListIndexes {
  std::string collection;
};
struct ListCollections {};

/// The alternative's index is the method's number on the wire: new ones come at the end.
using Arguments = std::variant<WriteRequest, Find, Query, Count, DeclareIndex, DropIndex,
                               ListIndexes, ListCollections>;

/// A request as a node gets it.
struct Request {
  std::string database;
  Arguments arguments;  // the age of a WriteRequest included
};

/// The first byte of an answer.
enum class Verdict : std::uint8_t {
  answered = 0,
  refused = 1,  // an Error follows
};

// --- the client's side ---

/// too_large, and what documents are refused for.
Result<bus::Bytes> encode_arguments(const Arguments& arguments);
/// The head before the arguments, each time that they are sent.
bus::Bytes encode_head(const std::string& database, std::uint64_t age_ms);

/// An answer, taken apart; `answer` points into its bytes.
struct Verdicted {
  Verdict verdict = Verdict::answered;
  Error error;           // of refused
  bus::ByteView answer;  // of answered
};
/// nullopt: not what a database answers.
std::optional<Verdicted> decode_verdict(bus::ByteView body);
template <class T>
std::optional<T> decode_answer(bus::ByteView answer);

// --- the node's side ---

/// bad_request, bad_document, too_large.
Result<Request> decode_request(bus::ByteView body);
bus::Bytes encode_refusal(const Error& error);
/// too_large.
template <class T>
bus::Bytes encode_answer(const T& answer);

/// The answer of requests without a value.
struct Nothing {};

}  // namespace starbus::nodes::db
