/// Names: whatever is accepted keeps the rules that the rest of the bus builds on.
#include "bus/core/wire/name.hpp"

#include "bus/core/limits.hpp"
#include "tests/fuzz/fuzz_target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace starbus::bus;
  const std::string_view text = as_text(fuzz_input(data, size));
  const auto name = Name::of(text);
  if (name) {
    require(text.size() <= kMaxName && text.find('/') != std::string_view::npos);
    for (const char c : text) require(static_cast<unsigned char>(c) >= 0x20 && c != 0x7f);
    require(name->id() == channel_id(text));
    for (std::size_t cut = 0; cut <= text.size(); ++cut) {
      require(check_prefix(text.substr(0, cut)).has_value());
    }
  }
  if (check_prefix(text)) require(text.size() <= kMaxName);
  if (check_node_name(text))
    require(check_channel_name("process/h." + std::string(text)).has_value());
  return 0;
}
