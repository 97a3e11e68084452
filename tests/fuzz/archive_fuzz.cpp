/// The archive, reading every kind of value that it knows; what was read is written and read again.
#include "entity/archive/archive.hpp"
#include "tests/fuzz/fuzz_target.hpp"

#include <chrono>
#include <map>
#include <set>
#include <unordered_map>
#include <variant>

namespace starbus::entity {
namespace {

struct Part {
  int number = 0;
  std::vector<Part> parts;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(number, parts);
  }
};

template <class T>
void try_read(ByteView bytes) {
  const auto read = decode<T>(bytes, {.memory = 1 << 20});
  if (!read) return;
  const auto written = encode(*read);
  bus::require(written.has_value() && written->size() <= bytes.size());
  bus::require(decode<T>(*written).has_value());
}

}  // namespace
}  // namespace starbus::entity

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace starbus::entity;
  if (size == 0) return 0;
  const ByteView bytes = starbus::bus::fuzz_input(data + 1, size - 1);
  switch (data[0] % 8) {
    case 0:
      try_read<std::tuple<int, std::uint64_t, bool, float, char>>(bytes);
      break;
    case 1:
      try_read<std::vector<std::string>>(bytes);
      break;
    case 2:
      try_read<std::map<std::string, std::vector<std::optional<int>>>>(bytes);
      break;
    case 3:
      try_read<std::unordered_map<int, std::set<std::string>>>(bytes);
      break;
    case 4:
      try_read<std::variant<int, std::string, std::list<double>>>(bytes);
      break;
    case 5:
      try_read<Part>(bytes);
      break;
    case 6:
      try_read<std::deque<std::array<std::int16_t, 3>>>(bytes);
      break;
    default:
      try_read<std::pair<std::chrono::milliseconds, std::vector<bool>>>(bytes);
      break;
  }
  return 0;
}
