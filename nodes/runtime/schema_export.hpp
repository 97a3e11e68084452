/// What a node program declares, as JSON: its classes that can be called, its entities and their
/// properties, with all types that they consist of. `PROGRAM --schema` prints it. The form is in
/// docs/reference/schema.md. For code that is written from it: stubs, checks of two builds.
#pragma once

#include <string>

namespace starbus::nodes {

/// Indented JSON; the same bytes for the same declarations, whichever compiler built them. Throws
/// std::logic_error if declarations are wrong, as the start of the node would.
std::string schema_text(const std::string& program, const std::string& version);

}  // namespace starbus::nodes
