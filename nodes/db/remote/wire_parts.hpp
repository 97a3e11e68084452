/// How each part of a request or an answer is written and read: for wire.cpp. Numbers, texts and
/// counts as of the archive (entity/archive), documents and values as CBOR after their length.
#pragma once

#include <cstdint>

#include "nodes/db/limits.hpp"
#include "nodes/db/remote/wire.hpp"

namespace starbus::nodes::db::wire {

/// The bytes that are written, and the first error of a document in them.
struct Out {
  explicit Out(bus::Bytes& to) : bytes(to, kWireBytes) {}
  /// The first error counts.
  void fail(const Error& error) {
    if (wrong == Errc::ok) wrong = error;
  }
  entity::Encoder bytes;
  Error wrong;  // of a document
};

/// After the first mistake everything reads as empty.
struct In {
  explicit In(entity::Decoder& from) : bytes(from) {}
  void fail(const Error& error) {
    if (wrong == Errc::ok) wrong = error;
    bytes.fail(entity::DataErrc::malformed);
  }
  entity::Decoder& bytes;
  Error wrong;
};

// Declared for all, since they contain each other.
#define STARBUS_DB_PART(T)         \
  void put(Out& out, const T& it); \
  void get(In& in, T& it);
STARBUS_DB_PART(std::string)
STARBUS_DB_PART(std::uint64_t)
STARBUS_DB_PART(bool)
STARBUS_DB_PART(Json)
STARBUS_DB_PART(Error)
STARBUS_DB_PART(Outcome)
STARBUS_DB_PART(Change)
STARBUS_DB_PART(Write)
STARBUS_DB_PART(WriteRequest)
STARBUS_DB_PART(Find)
STARBUS_DB_PART(Bound)
STARBUS_DB_PART(Range)
STARBUS_DB_PART(Query)
STARBUS_DB_PART(Count)
STARBUS_DB_PART(IndexField)
STARBUS_DB_PART(DeclareIndex)
STARBUS_DB_PART(DropIndex)
STARBUS_DB_PART(ListIndexes)
STARBUS_DB_PART(ListCollections)
STARBUS_DB_PART(Nothing)
STARBUS_DB_PART(Written)
STARBUS_DB_PART(Found)
STARBUS_DB_PART(Page)
STARBUS_DB_PART(Counted)
STARBUS_DB_PART(IndexInfo)
STARBUS_DB_PART(CollectionInfo)
#undef STARBUS_DB_PART

template <class T>
void put(Out& out, const std::optional<T>& it) {
  put(out, it.has_value());
  if (it) put(out, *it);
}
/// A flag, then the value if there is one.
template <class T>
void get(In& in, std::optional<T>& it) {
  bool there = false;
  get(in, there);
  if (there) get(in, it.emplace());
}

/// A count, then the elements; a count that the budget does not allow is an error of `in`.
template <class T>
void put(Out& out, const std::vector<T>& it) {
  out.bytes.varint(it.size());
  for (const T& each : it) put(out, each);
}
template <class T>
void get(In& in, std::vector<T>& it) {
  const std::size_t count = in.bytes.count();
  if (!in.bytes.charge(count * sizeof(T))) return;
  it.reserve(count);
  for (std::size_t i = 0; i < count && in.bytes.ok(); ++i) get(in, it.emplace_back());
}

}  // namespace starbus::nodes::db::wire
