/// Bytes of a terminal -> keys. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace starbus::bustop {

struct Key {
  enum class Kind { character, up, down, page_up, page_down, home, end, enter, escape, backspace };
  Kind kind = Kind::character;
  char character = 0;  // of Kind::character: printable ASCII or a byte of UTF-8

  static Key of(char c) { return {Kind::character, c}; }
  friend bool operator==(const Key&, const Key&) = default;
};

/// Keeps an escape sequence that has not arrived whole; bounded, since unknown ones are dropped.
class KeyDecoder {
 public:
  std::vector<Key> feed(std::string_view bytes);
  /// After a pause: a single escape byte is the escape key.
  std::vector<Key> flush();
  bool pending() const { return !pending_.empty(); }

 private:
  std::string pending_;
};

}  // namespace starbus::bustop
