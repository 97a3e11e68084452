#include "storage/check/varint.hpp"

namespace starbus::storage {

bool take_varint(std::string_view& bytes, std::uint64_t& number) {
  number = 0;
  for (unsigned shift = 0; shift < 64 && !bytes.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    number |= std::uint64_t{byte & 0x7fU} << shift;
    if (byte < 0x80) return true;
  }
  return false;
}

bool take_slice(std::string_view& bytes, std::string_view& slice) {
  std::uint64_t size = 0;
  if (!take_varint(bytes, size) || size > bytes.size()) return false;
  slice = bytes.substr(0, size);
  bytes.remove_prefix(size);
  return true;
}

void put_varint(std::string& out, std::uint64_t number) {
  for (; number >= 0x80; number >>= 7) out += static_cast<char>(number | 0x80);
  out += static_cast<char>(number);
}

void put_slice(std::string& out, std::string_view slice) {
  put_varint(out, slice.size());
  out += slice;
}

}  // namespace starbus::storage
