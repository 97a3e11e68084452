#include "entity/properties/field_names.hpp"

namespace starbus::entity {
namespace {

bool is_part_of_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// What stands in front of its last `c`, and of spaces around that; empty if it ends otherwise.
std::string_view before(std::string_view text, char c) {
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  if (text.empty() || text.back() != c) return {};
  text.remove_suffix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

}  // namespace

std::string_view declared_field(std::string_view text, std::size_t number) {
  constexpr std::string_view kOwner = "*this";
  for (std::size_t at = 0; (at = text.find(kOwner, at)) != text.npos; at += kOwner.size()) {
    const std::string_view declared = before(text.substr(0, at), '{');
    std::size_t begin = declared.size();
    while (begin > 0 && is_part_of_word(declared[begin - 1])) --begin;
    if (begin == declared.size()) continue;  // an argument of something else
    if (number-- == 0) return declared.substr(begin);
  }
  return {};
}

}  // namespace starbus::entity
