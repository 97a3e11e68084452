#include "clients/cpp/fields.hpp"

#include <algorithm>

namespace starbus::game {

std::string_view name_of(Refusal refusal) {
  constexpr std::string_view kNames[] = {"none",     "malformed", "truncated",
                                         "trailing", "too_large", "newer_format"};
  return kNames[static_cast<std::size_t>(refusal)];
}

void FieldWriter::number(std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) byte(static_cast<std::uint8_t>((value & 0x7f) | 0x80));
  byte(static_cast<std::uint8_t>(value));
}
void FieldWriter::pair(const Bind& bind) {
  number(bind.epoch);
  number(bind.counter);
}
void FieldWriter::key(const Key& key) {
  for (const std::uint8_t each : key.bytes) byte(each);
}
void FieldWriter::bytes(ByteView bytes) {
  number(bytes.size());
  out_.insert(out_.end(), bytes.begin(), bytes.end());
}

void FieldWriter::word(std::uint32_t value) {
  for (unsigned shift = 0; shift < 32; shift += 8) byte(static_cast<std::uint8_t>(value >> shift));
}

std::uint8_t FieldReader::byte() {
  const ByteView one = take(1);
  return one.empty() ? std::uint8_t{0} : std::to_integer<std::uint8_t>(one.front());
}
std::uint8_t FieldReader::byte(std::uint8_t least, std::uint8_t most) {
  const std::uint8_t value = byte();
  if (value < least || value > most) refuse(Refusal::malformed);
  return ok() ? value : least;
}
std::uint64_t FieldReader::number(std::uint64_t most) {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64 && ok(); shift += 7) {
    const std::uint64_t next = byte();
    if (!ok()) return 0;
    if (shift == 63 && next > 1) break;  // an eleventh byte, or a 65th bit
    value |= (next & 0x7f) << shift;
    if (next < 0x80) {
      if ((next == 0 && shift != 0) || value > most) break;
      return value;
    }
  }
  refuse(Refusal::malformed);
  return 0;
}
std::uint32_t FieldReader::word() {
  std::uint32_t value = 0;
  unsigned shift = 0;
  for (const std::byte each : take(4)) {
    value |= std::to_integer<std::uint32_t>(each) << shift;
    shift += 8;
  }
  return value;
}
Bind FieldReader::pair() {
  const std::uint64_t epoch = number();
  return {epoch, number()};
}
Key FieldReader::key() {
  Key key;
  const ByteView bytes = take(sizeof key.bytes);
  std::transform(bytes.begin(), bytes.end(), key.bytes,
                 [](std::byte each) { return std::to_integer<std::uint8_t>(each); });
  return key;
}
ByteView FieldReader::bytes(std::size_t most) {
  const ByteView read = take(size_left());
  if (read.size() <= most) return read;
  refuse(Refusal::too_large);
  return {};
}
std::string FieldReader::text(std::size_t most) {
  const std::string_view read = text_of(bytes(most));
  if (!is_utf8(read)) refuse(Refusal::malformed);
  return ok() ? std::string(read) : std::string();
}
std::size_t FieldReader::count(std::size_t most) {
  const std::size_t count = size_left();
  if (count <= most) return count;
  refuse(Refusal::too_large);
  return 0;
}
ByteView FieldReader::rest(std::size_t most) {
  if (rest_.size() > most) refuse(Refusal::too_large);
  return take(rest_.size());
}
void FieldReader::refuse(Refusal why) {
  if (refusal_ == Refusal::none) refusal_ = why;
  rest_ = {};
}
Refusal FieldReader::finish() {
  if (ok() && !rest_.empty()) refuse(Refusal::trailing);
  return refusal_;
}
ByteView FieldReader::take(std::size_t size) {
  if (size > rest_.size()) {
    refuse(Refusal::truncated);
    return {};
  }
  const ByteView taken = rest_.first(size);
  rest_ = rest_.subspan(size);
  return taken;
}
std::size_t FieldReader::size_left() {
  const std::uint64_t size = number();
  if (size <= rest_.size()) return static_cast<std::size_t>(size);
  refuse(Refusal::truncated);
  return 0;
}

namespace {

/// Bytes of the sequence that begins with `first`, and the least code point of that length.
struct Sequence {
  std::size_t size;
  std::uint32_t least;
  std::uint32_t bits;
};
Sequence sequence_of(std::uint8_t first) {
  if (first < 0x80) return {1, 0, first};
  if ((first & 0xe0) == 0xc0) return {2, 0x80, first & 0x1fU};
  if ((first & 0xf0) == 0xe0) return {3, 0x800, first & 0x0fU};
  if ((first & 0xf8) == 0xf0) return {4, 0x1'0000, first & 0x07U};
  return {0, 0, 0};
}

}  // namespace

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    auto [size, least, point] = sequence_of(static_cast<std::uint8_t>(text.front()));
    if (size == 0 || size > text.size()) return false;
    for (std::size_t i = 1; i < size; ++i) {
      const auto next = static_cast<std::uint8_t>(text[i]);
      if ((next & 0xc0) != 0x80) return false;
      point = point << 6 | (next & 0x3fU);
    }
    const bool surrogate = point >= 0xd800 && point <= 0xdfff;
    if (point < least || point > 0x10'ffff || surrogate) return false;
    text.remove_prefix(size);
  }
  return true;
}

}  // namespace starbus::game
