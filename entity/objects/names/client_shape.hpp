/// The shape of a type: what its bytes in an archive consist of, as a short text, so that a reader
/// that does not know the type passes over its values. docs/reference/client-protocol.md, section
/// "Names", has the letters. A pure function; any thread.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace starbus::entity {

/// Of a description (docs/reference/schema.md), with the fields of structs by name, each a JSON
/// array. "?" for what only its own class can read, and beyond kClientShape. `mark` stands behind
/// the names of classes of properties.
std::string shape_of(std::string_view description,
                     const std::map<std::string, std::string>& structs, std::string_view mark = {});

}  // namespace starbus::entity
