// What a bad disk does to the files of a store that is closed.
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace starbus::storage::test {

/// Flips a bit of the first bytes of `text`, so many, in the first file of this kind that has it;
/// false: none does. One wrong byte can be put right by its checksum, two cannot.
inline bool flip_bit_of(const std::string& text, const std::filesystem::path& folder,
                        const std::string& extension = ".ldb", std::size_t bytes = 1) {
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != extension) continue;
    std::fstream file(entry.path(), std::ios::binary | std::ios::in | std::ios::out);
    const std::string content{std::istreambuf_iterator<char>(file), {}};
    const std::size_t at = content.find(text);
    if (at == std::string::npos) continue;
    file.clear();
    file.seekp(static_cast<std::streamoff>(at));
    for (std::size_t i = at; i < at + bytes; ++i) file.put(static_cast<char>(content[i] ^ 1));
    return true;
  }
  return false;
}

}  // namespace starbus::storage::test
