#include "tools/terminal/keys.hpp"

#include <optional>
#include <utility>

namespace starbus::bustop {
namespace {

constexpr char kEscape = '\x1b';
constexpr std::size_t kLongestSequence = 16;

std::optional<Key::Kind> kind_of(std::string_view sequence) {
  using Kind = Key::Kind;
  constexpr std::pair<std::string_view, Kind> kKnown[] = {
      {"[A", Kind::up},    {"OA", Kind::up},    {"[B", Kind::down},     {"OB", Kind::down},
      {"[C", Kind::enter}, {"OC", Kind::enter}, {"[D", Kind::escape},   {"OD", Kind::escape},
      {"[H", Kind::home},  {"OH", Kind::home},  {"[1~", Kind::home},    {"[F", Kind::end},
      {"OF", Kind::end},   {"[4~", Kind::end},  {"[5~", Kind::page_up}, {"[6~", Kind::page_down}};
  for (const auto& [text, kind] : kKnown) {
    if (text == sequence) return kind;
  }
  return std::nullopt;
}

/// The length of the escape sequence at the start, without its escape byte; 0 if it is not whole.
std::size_t sequence_length(std::string_view text) {
  if (text.empty()) return 0;
  if (text[0] == 'O') return text.size() >= 2 ? 2 : 0;
  if (text[0] != '[') return 1;
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (text[i] >= '@' && text[i] <= '~') return i + 1;
    if (i >= kLongestSequence) return i;
  }
  return 0;
}

std::optional<Key> plain_key(char c) {
  if (c == '\r' || c == '\n') return Key{Key::Kind::enter};
  if (c == '\x7f' || c == '\b') return Key{Key::Kind::backspace};
  if (c >= 0 && c < ' ') return std::nullopt;
  return Key::of(c);
}

}  // namespace

std::vector<Key> KeyDecoder::feed(std::string_view bytes) {
  pending_ += bytes;
  std::vector<Key> keys;
  std::string_view rest = pending_;
  while (!rest.empty()) {
    if (rest[0] != kEscape) {
      if (const auto key = plain_key(rest[0])) keys.push_back(*key);
      rest.remove_prefix(1);
      continue;
    }
    if (rest.size() > 1 && rest[1] == kEscape) {
      keys.push_back({Key::Kind::escape});
      rest.remove_prefix(1);
      continue;
    }
    const std::size_t length = sequence_length(rest.substr(1));
    if (length == 0) break;
    if (const auto kind = kind_of(rest.substr(1, length))) keys.push_back({*kind});
    rest.remove_prefix(1 + length);
  }
  pending_ = std::string(rest);
  return keys;
}

std::vector<Key> KeyDecoder::flush() {
  const bool lone = pending_ == std::string(1, kEscape);
  pending_.clear();
  return lone ? std::vector<Key>{{Key::Kind::escape}} : std::vector<Key>{};
}

}  // namespace starbus::bustop
