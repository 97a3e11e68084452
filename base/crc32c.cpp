#include "base/crc32c.hpp"

#include <boost/crc.hpp>
#include <cstring>

namespace starbus {

std::uint32_t crc32c_portable(std::uint32_t before, std::string_view data) {
  // Boost's register is not reflected: its initial remainder is the mirrored, uninverted CRC.
  std::uint32_t mirrored = 0;
  for (int bit = 0; bit < 32; ++bit) {
    mirrored |= ((~before >> bit) & 1u) << (31 - bit);
  }
  boost::crc_optimal<32, 0x1EDC6F41, 0xFFFFFFFF, 0xFFFFFFFF, true, true> crc(mirrored);
  crc.process_bytes(data.data(), data.size());
  return crc.checksum();
}

#if defined(__x86_64__)
namespace {

__attribute__((target("sse4.2"))) std::uint32_t crc32c_sse42(std::uint32_t before,
                                                             std::string_view data) {
  std::uint64_t crc = ~before;
  while (data.size() >= 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, data.data(), sizeof word);
    crc = __builtin_ia32_crc32di(crc, word);
    data.remove_prefix(8);
  }
  auto narrow = static_cast<std::uint32_t>(crc);
  for (const char c : data) narrow = __builtin_ia32_crc32qi(narrow, static_cast<unsigned char>(c));
  return ~narrow;
}

}  // namespace

std::uint32_t crc32c(std::uint32_t before, std::string_view data) {
  static const bool has_instruction = __builtin_cpu_supports("sse4.2") != 0;
  return has_instruction ? crc32c_sse42(before, data) : crc32c_portable(before, data);
}
#else
std::uint32_t crc32c(std::uint32_t before, std::string_view data) {
  return crc32c_portable(before, data);
}
#endif

}  // namespace starbus
