/// Types of spaces, from the text of a file to checked values, and names of spaces.
#include "nodes/space/limits.hpp"
#include "nodes/space/names.hpp"
#include "nodes/space/types/space_file.hpp"
#include "tests/fuzz/fuzz_target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace starbus;
  using namespace starbus::nodes::space;
  using bus::require;
  const auto text = bus::as_text(bus::fuzz_input(data, size));
  if (const auto name = space_of_channel(text)) require(channel_name(*name) == text);
  auto reader = daemon::ConfigReader::parse(text, "fuzz.toml");
  if (!reader) return 0;
  SpaceTypes types;
  read_space_types(*reader, types);
  if (const auto read = reader->finish(); !read) {
    require(!read.error().detail.empty());
    return 0;
  }
  // What is accepted can be created.
  for (const auto& [name, type] : types) {
    require(name == type.name && check_type(name).has_value());
    require(type.soft_capacity >= 1 && type.soft_capacity <= type.capacity);
    require(type.capacity <= kMaxCapacity && type.weight >= 1 && type.weight <= kMaxWeight);
    require(type.min_lines <= type.precreated && type.precreated <= type.max_lines);
    require(type.scope == Scope::cluster || type.precreated == 0);
    require(type.min[0] < type.max[0] && type.min[1] < type.max[1] && type.min[2] <= type.max[2]);
    require(type.cell >= 1 && type.sight >= 1 && type.tick().count() > 0);
  }
  return 0;
}
