#include "bench/space/node/walker.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <charconv>

#include "bench/space/node/field.hpp"

namespace starbus::bench::space {

using namespace std::chrono_literals;

void Walker::on_online(bool) {
  if (state.name.get().empty()) state.name = persistent_id();
  come_in();
}

void Walker::come_in() {
  if (space() != entity::OnlineId::none) return;
  nodes::space::Wish wish;
  wish.place.type = kFieldType;
  // How it ends is told by on_travel_ended.
  world().get<nodes::space::Travels>().travel(
      *this, wish, [](const nodes::space::Result<nodes::space::Travelled>&) {});
}

void Walker::on_travel_ended(const nodes::space::Result<nodes::space::Travelled>& end) {
  if (end || space() != entity::OnlineId::none) return;
  spdlog::info("{}: is in no space: {}", label(), end.error().to_string());
  static_cast<void>(run_later<&Walker::come_in>({.first = 1s}));
}

std::uint32_t Walker::number() const {
  const std::string id = persistent_id();
  const auto digit = std::ranges::find_if(id, [](char c) { return c >= '0' && c <= '9'; });
  std::uint32_t number = 0;
  std::from_chars(id.data() + (digit - id.begin()), id.data() + id.size(), number);
  return number;
}

}  // namespace starbus::bench::space
