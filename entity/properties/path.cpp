#include "entity/properties/path.hpp"

#include <charconv>

namespace starbus::entity {
namespace {

// "[12]" or "[\"text\"]", with \" and \\ within; false: neither.
bool parse_key(std::string_view& rest, PathStep& step) {
  rest.remove_prefix(1);
  if (rest.starts_with('"')) {
    step.kind = PathStep::text;
    for (rest.remove_prefix(1); !rest.empty() && rest.front() != '"'; rest.remove_prefix(1)) {
      if (rest.front() == '\\') rest.remove_prefix(1);
      if (rest.empty()) return false;
      step.word += rest.front();
    }
    if (rest.empty()) return false;
    rest.remove_prefix(1);
  } else {
    step.kind = PathStep::number;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), step.value);
    if (error != std::errc()) return false;
    rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
  }
  if (!rest.starts_with(']')) return false;
  rest.remove_prefix(1);
  return true;
}

}  // namespace

DataResult<std::vector<PathStep>> parse_path(std::string_view path) {
  std::vector<PathStep> steps;
  std::string_view rest = path;
  const DataError wrong(DataErrc::unknown_path, std::string(path.substr(0, 256)));
  bool name_next = true;
  while (!rest.empty()) {
    PathStep step;
    if (name_next) {
      const std::size_t end = std::min(rest.find_first_of(".["), rest.size());
      step.word = rest.substr(0, end);
      rest.remove_prefix(end);
      if (step.word.empty()) return wrong;
    } else if (!parse_key(rest, step)) {
      return wrong;
    }
    steps.push_back(std::move(step));
    if (steps.size() > 2 * kMaxLevels) return wrong;
    name_next = rest.starts_with('.');
    if (name_next) rest.remove_prefix(1);
    if (!name_next && !rest.empty() && rest.front() != '[') return wrong;
  }
  if (name_next) return wrong;  // nothing at all, or a dot at the end
  return steps;
}

std::string path_text(const Schema& schema, ByteView address) {
  std::string text;
  Decoder in(address);
  for (const Schema* at = &schema; at != nullptr && in.left() > 0;) {
    const FieldInfo* field = at->find(in.byte());
    if (field == nullptr) break;
    if (!text.empty()) text += '.';
    text += field->name;
    at = field->type->nested();
    if (at != nullptr && in.left() > 0) text += field->type->key_text(in);
  }
  return text;
}

}  // namespace starbus::entity
