/// Values as bytes that sort as the values do. Pure; any thread. docs/guide/db.md has the bytes.
///
/// null < false < true < numbers < texts < anything else. Integers and doubles compare exactly, and
/// 1 is 1.0. Texts compare byte by byte, by their first kIndexText bytes. Arrays, objects and bytes
/// are all equal. No value's bytes are the beginning of another's, so that fields can stand one
/// after the other; none begins with 0xFF.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "nodes/db/database.hpp"
#include "nodes/db/path.hpp"

namespace starbus::nodes::db {

/// Appends; `descending` turns the order round.
void append_value(const Json& value, bool descending, std::string& out);

/// The declared fields of an index, ready for use. A field that is not there counts as null.
class IndexShape {
 public:
  /// The fields must have passed check_fields.
  explicit IndexShape(std::vector<IndexField> fields);

  const std::vector<IndexField>& fields() const { return fields_; }
  /// The key of a document; a missing value counts as null.
  std::string key_of(const Json& document) const;
  /// The beginning of a key, from the first values; bad_request: more values than fields.
  Result<std::string> key_of(const std::vector<Json>& values) const;

 private:
  std::vector<IndexField> fields_;
  std::vector<Path> paths_;
};

/// bad_request: none, too many, or a path that is not of its form.
Result<> check_fields(const std::vector<IndexField>& fields);

/// Behind every key that begins with `prefix`: neither values nor ids (UTF-8) begin with this byte.
std::string behind(std::string prefix);

}  // namespace starbus::nodes::db
