#pragma once

#include "entity/properties/schema.hpp"

namespace starbus::entity {

/// One load that is under way: its report, and its place.
class Loading {
 public:
  Loading(View v, Transaction& u) : view(v), undo(u) {}
  View view;
  Transaction& undo;
  LoadReport report;
  std::string path;  ///< of the field that is loaded now, followed by a dot
  DataError error;   ///< the first, if it needs a text
};

/// The fields that are part of the view, by name; see docs/guide/properties.md.
void save_fields(const Schema& schema, const StructBase& from, View view, Encoder& out);
void load_fields(const Schema& schema, StructBase& to, Decoder& in, Loading& loading);
/// A value after its size.
template <class Write>
void put_sized(Encoder& out, Write&& write) {
  Bytes value;
  Encoder inner(value, kMaxState);
  write(inner);
  if (!inner.ok()) return out.fail(inner.error());
  out.varint(value.size());
  out.raw(value.data(), value.size());
}

}  // namespace starbus::entity
