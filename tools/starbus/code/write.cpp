#include "tools/starbus/code/write.hpp"

#include <nlohmann/json.hpp>
#include <set>

#include "tools/starbus/code/words.hpp"

namespace starbus::starter {

std::string base_with_calls(const std::string& rpc, const CodeSchema& schema) {
  const std::string& base = schema.classes.at(rpc).base;
  return !base.empty() && has_calls(base, schema) ? base : std::string();
}

std::vector<std::string> calls_in_order(const CodeSchema& schema) {
  std::vector<std::string> order;
  std::set<std::string> done;
  for (const auto& row : schema.classes) {
    std::vector<std::string> line;
    std::string at = has_calls(row.first, schema) ? row.first : std::string();
    for (; !at.empty() && !done.contains(at); at = base_with_calls(at, schema)) line.push_back(at);
    for (; !line.empty(); line.pop_back()) {
      done.insert(line.back());
      order.push_back(line.back());
    }
  }
  return order;
}

std::string literal_of(std::string_view text) {
  using Text = nlohmann::json;
  return Text(std::string(text)).dump(-1, ' ', false, Text::error_handler_t::replace);
}

std::string in_comment(std::string_view name) {
  std::string text = "`";
  for (const char c : name) {
    if (c == '/' && text.back() == '*') text += ' ';
    text += static_cast<unsigned char>(c) < 0x80 ? c : '?';  // U+2028 ends a line of TypeScript
  }
  return text + "`";
}

}  // namespace starbus::starter
