/// Partial updates: operators on dotted paths, one after the other, on a document in memory. Pure;
/// any thread.
///
///                 nothing there                  another type there
///   set           made, with objects on the way  replaced
///   inc           as set                         wrong_type unless a number
///   unset         no change                      removed; an element of an array becomes null
///   push          made as an array of one        wrong_type unless an array
///   pull          no change                      wrong_type unless an array
///   raise         as set                         wrong_type; of its own type `stale` if greater
///
/// set, inc and push are wrong_type where the way leads through something that is neither object
/// nor array, or to an element that an array does not have. inc adds integers exactly, and is
/// `overflow` beyond int64; if either is a double the sum is one, and `overflow` if not finite.
/// pull removes all elements that are equal to its value. raise is a set that refuses the whole
/// request as `stale` if what is there is greater: numbers, or texts byte by byte.
#pragma once

#include <string>
#include <vector>

#include "nodes/db/document.hpp"
#include "nodes/db/path.hpp"

namespace starbus::nodes::db {

/// Numbers travel: new ones come at the end.
enum class Operator : std::uint8_t { set, inc, unset, push, pull, raise };

/// One operator, applied to the value at `path`.
struct Change {
  Operator what = Operator::set;
  std::string path;
  Json value;  ///< not looked at by unset
};

/// All operators in their order, or (an error) none. The document stays within the limits if the
/// result is OK: bad_request, wrong_type, overflow, too_large, stale.
Result<> apply_changes(const std::vector<Change>& changes, Json& document);

/// Checks all that can be checked without a document: bad_request, bad_document, wrong_type,
/// too_large. Returns the weight of the values.
Result<std::size_t> check_changes(const std::vector<Change>& changes);

}  // namespace starbus::nodes::db
