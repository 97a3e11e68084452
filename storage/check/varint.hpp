/// Numbers and strings as LevelDB encodes them: seven bits to a byte, and a length in front of the
/// bytes. Pure; accepts any bytes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace starbus::storage {

/// Takes a number of at most 64 bits from the front; false if there is none.
bool take_varint(std::string_view& bytes, std::uint64_t& number);
/// Takes a length and so many bytes from the front; false if they are cut off.
bool take_slice(std::string_view& bytes, std::string_view& slice);
void put_varint(std::string& out, std::uint64_t number);
void put_slice(std::string& out, std::string_view slice);

}  // namespace starbus::storage
