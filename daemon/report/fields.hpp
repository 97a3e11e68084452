/// How the fields of an admin document say that their JSON differs from their C++ type. A document
/// lists its fields once:
///
///   template <class Self, class Visit>
///   static void fields(Self& self, Visit& visit) {
///     visit("peer", self.peer);
///     visit("rtt_us", whole(self.rtt_us));
///   }
///
/// document.cpp writes and reads JSON with that list. Each wrapper refers to a field and lives no
/// longer than the call that it is passed to.
#pragma once

namespace starbus::report {

/// A double that is a whole number in JSON.
template <class T>
struct Whole {
  T& value;
};
/// A text that is a number in JSON if it consists of digits: identifiers.
template <class T>
struct Identifier {
  T& value;
};
/// A text "3.17". Also read from a number, which holds both parts.
template <class T>
struct EpochText {
  T& value;
};
/// An empty text or 0 is null in JSON.
template <class T>
struct OrNull {
  T& value;
};
/// Bytes per lane: an object with the names of the lanes.
template <class T>
struct ByLane {
  T& value;
};
/// Shards: the text "0-12, 40".
template <class T>
struct ShardText {
  T& value;
};
/// Rows that are sorted by `name` after reading; written in the order that they have.
template <class T>
struct SortedByName {
  T& value;
};
/// Rows that are written with their `short_fields` only.
template <class T>
struct ShortRows {
  T& value;
};

/// Each marks a field with the form of the same name.
template <class T>
Whole<T> whole(T& value) {
  return {value};
}
template <class T>
Identifier<T> identifier(T& value) {
  return {value};
}
template <class T>
EpochText<T> epoch_text(T& value) {
  return {value};
}
template <class T>
OrNull<T> or_null(T& value) {
  return {value};
}
template <class T>
ByLane<T> by_lane(T& value) {
  return {value};
}
template <class T>
ShardText<T> shard_text(T& value) {
  return {value};
}
template <class T>
SortedByName<T> sorted_by_name(T& value) {
  return {value};
}
template <class T>
ShortRows<T> short_rows(T& value) {
  return {value};
}

}  // namespace starbus::report
