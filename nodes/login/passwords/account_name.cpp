#include "nodes/login/passwords/account_name.hpp"

#include <algorithm>

#include "nodes/login/passwords/limits.hpp"

namespace starbus::nodes::login {
namespace {

bool is_letter(char c) {
  return c >= 'a' && c <= 'z';
}

}  // namespace

Result<std::string> normalised_name(std::string_view typed) {
  while (!typed.empty() && typed.front() == ' ') typed.remove_prefix(1);
  while (!typed.empty() && typed.back() == ' ') typed.remove_suffix(1);
  std::string name(typed.substr(0, kNameMost + 1));
  for (char& c : name) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  const bool plain = std::all_of(name.begin(), name.end(), [](char c) {
    return is_letter(c) || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
  });
  if (!plain || name.size() < kNameLeast || name.size() > kNameMost || !is_letter(name.front())) {
    return Error(Errc::bad_name, "name: give " + std::to_string(kNameLeast) + " to " +
                                     std::to_string(kNameMost) +
                                     " letters, digits, '_', '-' or '.', a letter first");
  }
  return name;
}

}  // namespace starbus::nodes::login
