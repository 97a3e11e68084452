#include "entity/identity/id_sources.hpp"

#include <charconv>

#include "base/numbers.hpp"

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
  const auto number = parse_number<std::uint64_t>(id.substr(prefix_.size() + 1), 16);
  // The form that of() writes, and no other.
  if (!number || of(OnlineId{*number}) != id) return std::nullopt;
  return OnlineId{*number};
}

}  // namespace starbus::entity
