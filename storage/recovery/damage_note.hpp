/// The lines of the file DAMAGE, which lists the damage of a store until an operator acknowledges
/// it, also over restarts and power cuts. docs/design/storage-format.md has the format.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "storage/error.hpp"
#include "storage/recovery/repair.hpp"

namespace starbus::storage {

/// One line for each note.
std::string encode(const std::vector<DamageNote>& notes);
/// Accepts any bytes: a malformed line becomes a note of its own.
std::vector<DamageNote> decode_damage(std::string_view text);

/// Adds a note to a list of at most kDamageNotes. Ignores a known note; if there is no room, the
/// last note says so.
void add_note(std::vector<DamageNote>& notes, DamageNote note);

}  // namespace starbus::storage
