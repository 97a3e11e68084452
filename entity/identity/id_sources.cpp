#include "entity/identity/id_sources.hpp"

#include <charconv>

namespace starbus::entity {
namespace {

void append_hex(std::string& text, std::uint64_t number) {
  char digits[16];
  const auto end = std::to_chars(digits, digits + sizeof digits, number, 16).ptr;
  text.append(digits, end);
}

}  // namespace

std::string text_of(OnlineId id) {
  std::string text;
  append_hex(text, static_cast<std::uint64_t>(id));
  return text;
}

PersistentIdSource::PersistentIdSource(std::string_view node, std::uint64_t start) : prefix_(node) {
  prefix_ += '.';
  append_hex(prefix_, start);
  prefix_ += '.';
}

std::string PersistentIdSource::next() {
  std::string id = prefix_;
  append_hex(id, ++counter_);
  return id;
}

std::string PersistentIdSource::of(OnlineId id) const {
  return prefix_ + 'o' + text_of(id);
}

std::optional<OnlineId> PersistentIdSource::read(std::string_view id) const {
  if (!id.starts_with(prefix_) || id.size() < prefix_.size() + 2) return std::nullopt;
  std::uint64_t number = 0;
  const char* const begin = id.data() + prefix_.size() + 1;
  const auto parsed = std::from_chars(begin, id.data() + id.size(), number, 16);
  const OnlineId found{number};
  // The form that of() writes, and no other.
  if (parsed.ec != std::errc() || of(found) != id) return std::nullopt;
  return found;
}

}  // namespace starbus::entity
