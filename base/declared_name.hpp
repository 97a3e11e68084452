/// Names of classes and members as the source declares them, so that a declaration need not repeat
/// them as a text:
///
///   member_name<&Player::hit_points>()   "hit_points"
///   class_name<game::GuildHall>()        "guild_hall": lower case, words joined by '_'
///
/// Both compilers print the same last word, so the names are the same in every build. Empty for
/// what has no name of its own, such as an instance of a class template. Compile-time values; each
/// text lives as long as the program.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace starbus {

namespace declared_name_detail {

constexpr bool is_upper(char c) {
  return c >= 'A' && c <= 'Z';
}
constexpr bool is_lower(char c) {
  return c >= 'a' && c <= 'z';
}
constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
constexpr bool is_word(char c) {
  return is_upper(c) || is_lower(c) || is_digit(c) || c == '_';
}

/// "hit" of "... [M = &game::Player::hit]", and of "... [with auto M = (& game::Player::hit)]".
constexpr std::string_view last_word(std::string_view text) {
  while (!text.empty() && (text.back() == ']' || text.back() == ')' || text.back() == ' ')) {
    text.remove_suffix(1);
  }
  std::size_t begin = text.size();
  while (begin > 0 && is_word(text[begin - 1])) --begin;
  return text.substr(begin);
}

// They return a pointer: g++ explains each alias of a signature behind the arguments.
template <auto M>
constexpr const char* printed_member() {
  return __PRETTY_FUNCTION__;
}
template <class T>
constexpr const char* printed_class() {
  return __PRETTY_FUNCTION__;
}

/// Whether a word begins at this letter: "GuildHall", "HTTPServer", "Level2Door".
constexpr bool begins_word(std::string_view name, std::size_t at) {
  if (at == 0 || !is_upper(name[at]) || name[at - 1] == '_') return false;
  if (!is_upper(name[at - 1])) return true;
  return at + 1 < name.size() && is_lower(name[at + 1]);
}
constexpr std::size_t size_in_words(std::string_view name) {
  std::size_t size = name.size();
  for (std::size_t i = 0; i < name.size(); ++i) size += begins_word(name, i) ? 1 : 0;
  return size;
}

/// A text of its own: nothing of the compiler's longer one stays in the program.
template <std::size_t N>
struct Text {
  std::array<char, N + 1> chars{};
  std::size_t size = 0;

  constexpr void add(char c) { chars[size++] = c; }
  constexpr std::string_view view() const { return {chars.data(), size}; }
};

template <std::size_t N>
constexpr Text<N> copied(std::string_view name) {
  Text<N> text;
  for (const char c : name) text.add(c);
  return text;
}
template <std::size_t N>
constexpr Text<N> in_words(std::string_view name) {
  Text<N> text;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (begins_word(name, i)) text.add('_');
    text.add(is_upper(name[i]) ? static_cast<char>(name[i] - 'A' + 'a') : name[i]);
  }
  return text;
}

template <auto M>
inline constexpr auto kMember =
    copied<last_word(printed_member<M>()).size()>(last_word(printed_member<M>()));
template <class T>
inline constexpr auto kClass =
    in_words<size_in_words(last_word(printed_class<T>()))>(last_word(printed_class<T>()));

}  // namespace declared_name_detail

/// The name of a member, from a pointer to it.
template <auto M>
constexpr std::string_view member_name() {
  return declared_name_detail::kMember<M>.view();
}

/// The name of a class without its namespaces, in lower case.
template <class T>
constexpr std::string_view class_name() {
  return declared_name_detail::kClass<T>.view();
}

}  // namespace starbus
