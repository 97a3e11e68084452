/// What a disk has done to a store, as it stands in the file DAMAGE of its folder until somebody
/// has acknowledged it: a power cut or a restart must not make it forgotten. Lines of text;
/// docs/design/storage-format.md has them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "storage/error.hpp"
#include "storage/recovery/repair.hpp"

namespace starbus::storage {

std::string encode(const std::vector<DamageNote>& notes);
/// Of any bytes: a line that is not as it was written is a note of its own.
std::vector<DamageNote> decode_damage(std::string_view text);

/// Adds to a list, within kDamageNotes: what is known already is not added, and where there is no
/// room the last one says so.
void add_note(std::vector<DamageNote>& notes, DamageNote note);

}  // namespace starbus::storage
