#include "entity/events/seen_numbers.hpp"

#include <algorithm>

namespace starbus::entity {
namespace {

constexpr std::uint8_t kVersion = 1;

}  // namespace

std::optional<std::uint64_t> SeenNumbers::of(OnlineId place) const {
  const auto row = std::ranges::find(rows_, place, &Row::place);
  if (row == rows_.end()) return std::nullopt;
  return row->number;
}

void SeenNumbers::note(OnlineId place, std::uint64_t number) {
  const auto row = std::ranges::find(rows_, place, &Row::place);
  if (row != rows_.end()) {
    number = std::max(number, row->number);
    rows_.erase(row);
  } else if (rows_.size() == kMaxSeenPlaces) {
    rows_.erase(rows_.begin());
  }
  rows_.push_back({place, number});
}

void SeenNumbers::save(Encoder& out) const {
  out.byte(kVersion);
  out.varint(rows_.size());
  for (const Row& row : rows_) {
    out.number(row.place);
    out.number(row.number);
  }
}

DataResult<> SeenNumbers::restore(Decoder& in) {
  if (in.byte() != kVersion) in.fail(DataErrc::malformed);
  const std::size_t count = in.count();
  if (count > kMaxSeenPlaces) in.fail(DataErrc::too_large);
  SeenNumbers read;
  while (in.ok() && read.size() < count) {
    const auto place = in.number<OnlineId>();
    if (read.of(place)) in.fail(DataErrc::malformed);
    read.note(place, in.number<std::uint64_t>());
  }
  if (!in.ok()) return DataError(in.error());
  for (const Row& row : read.rows_) note(row.place, row.number);
  return {};
}

}  // namespace starbus::entity
