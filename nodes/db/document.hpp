/// Documents: JSON objects, kept and carried as CBOR. Pure functions; any thread.
///
/// Bytes from outside are checked before anything is made of them: `decode_document` walks the
/// heads of the CBOR items first, without recursion or allocation, so that lengths, depth and
/// number are within their limits before the library reads them. (Its reader recurses on nested
/// strings of indefinite length before any handler could stop it.)
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "nodes/db/error.hpp"

namespace starbus::nodes::db {

using Json = nlohmann::json;

/// Accepts any value within the limits: depth, number, valid UTF-8, finite numbers that fit into
/// int64 or double. Returns its weight: about its bytes as CBOR. bad_document, too_large.
Result<std::size_t> check_value(const Json& value);
/// Likewise, of an object.
Result<std::size_t> check_document(const Json& document);

/// Encodes a document that was checked. too_large.
Result<std::string> encode_document(const Json& document);
/// bad_document, too_large. If a key comes twice, the last one counts.
Result<Json> decode_document(std::string_view cbor);

/// Likewise, of any value.
Result<std::string> encode_value(const Json& value);
Result<Json> decode_value(std::string_view cbor);

/// Whether the heads of these bytes make one whole CBOR item that a document may consist of: no
/// indefinite lengths, tags, or lengths beyond the end. bad_document, too_large.
Result<> check_shape(std::string_view cbor);

}  // namespace starbus::nodes::db
