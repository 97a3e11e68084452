#include <algorithm>
#include <set>
#include <utility>

#include "clients/cpp/state_rows.hpp"

namespace starbus::game {
namespace {

/// Takes the first letter; '?' at the end.
char letter_of(std::string_view& shape) {
  if (shape.empty()) return '?';
  const char letter = shape.front();
  shape.remove_prefix(1);
  return letter;
}
/// Takes what stands before `end`, and that.
std::string_view until(std::string_view& shape, char end) {
  const std::size_t at = shape.find(end);
  if (at == std::string_view::npos) return std::exchange(shape, {});
  const std::string_view taken = shape.substr(0, at);
  shape.remove_prefix(at + 1);
  return taken;
}
std::size_t size_of(std::string_view digits) {
  std::size_t size = 0;
  for (const char digit : digits.substr(0, 9)) {
    if (digit < '0' || digit > '9') return 0;
    size = size * 10 + static_cast<std::size_t>(digit - '0');
  }
  return size;
}
/// Takes a whole shape without reading anything.
void take_shape(std::string_view& shape) {
  switch (letter_of(shape)) {
    case 'l':
    case 'o':
      return take_shape(shape);
    case 'm':
    case 'b':
      take_shape(shape);
      return take_shape(shape);
    case 'a':
      until(shape, ':');
      return take_shape(shape);
    case '(':
    case '|':
      while (!shape.empty() && shape.front() != ')') take_shape(shape);
      letter_of(shape);
      return;
    case '{':
      until(shape, '}');
      return;
    default:
      return;
  }
}

void collect(const ClassRow& row, std::map<std::string_view, const ClassRow*>& all) {
  if (!all.emplace(row.name, &row).second) return;
  for (const FieldRow& field : row.fields) {
    if (field.nested != nullptr) collect(field.nested(), all);
  }
}
/// Calls `take` with the names of classes that a shape goes on to.
template <class Take>
void classes_in(std::string_view shape, Take take) {
  while (!shape.empty()) {
    if (letter_of(shape) == '{') take(until(shape, '}'));
  }
}
const FieldRow* same_in(const ClassRow* own, const ServerNames::Field& field) {
  if (own == nullptr) return nullptr;
  const auto found = std::ranges::find(own->fields, field.name, &FieldRow::name);
  const bool same = found != own->fields.end() && found->fingerprint == field.fingerprint;
  return same ? &*found : nullptr;
}

}  // namespace

const Plan::At* Plan::find(std::uint8_t index) const {
  const auto found = std::ranges::lower_bound(fields, index, {}, &At::index);
  return found != fields.end() && found->index == index ? &*found : nullptr;
}

Layout Layout::own(const ClassRow& root) {
  std::map<std::string_view, const ClassRow*> classes;
  collect(root, classes);
  Layout made;
  made.hash_ = root.hash;
  for (const auto& [name, row] : classes) {
    Plan& plan = made.plans_[std::string(name)];
    for (const FieldRow& field : row->fields) plan.fields.push_back({field.index, &field, {}});
  }
  return made;
}

Layout Layout::of(const ServerNames& server, const ClassRow& root) {
  std::map<std::string_view, const ClassRow*> classes;
  collect(root, classes);
  Layout made;
  for (const ServerNames::Class& row : server.classes) {
    const auto own = classes.find(row.name);
    const ClassRow* const known = own == classes.end() ? nullptr : own->second;
    if (row.name == root.name) made.hash_ = row.hash;
    Plan& plan = made.plans_[row.name];
    plan.fields.clear();
    for (const ServerNames::Field& field : row.fields) {
      plan.fields.push_back({field.index, same_in(known, field), field.shape});
    }
  }
  return made;
}

const Plan* Layout::find(std::string_view name) const {
  const auto found = plans_.find(name);
  return found == plans_.end() ? nullptr : &found->second;
}

bool Layout::is_readable(std::string_view name) const {
  std::set<std::string_view> seen;
  std::vector<std::string_view> open{name};
  const auto add = [&](std::string_view below) {
    if (seen.insert(below).second) open.push_back(below);
  };
  while (!open.empty()) {
    const Plan* const plan = find(open.back());
    open.pop_back();
    if (plan == nullptr) return false;
    for (const Plan::At& at : plan->fields) {
      if (at.known != nullptr) {
        if (at.known->nested != nullptr) add(at.known->nested().name);
        continue;
      }
      if (at.shape.find('?') != std::string::npos) return false;
      classes_in(at.shape, add);
    }
  }
  return true;
}

void StateReader::fields(std::string_view class_name, void* state) {
  const Plan* const plan = layout_.find(class_name);
  if (plan == nullptr) return refuse(Refusal::malformed);
  nested([&] {
    for (const Plan::At& at : plan->fields) {
      if (byte() != at.index) refuse(Refusal::malformed);
      if (!ok()) return;
      if (at.known != nullptr && state != nullptr) {
        at.known->ops->read(*this, at.known->of(state), *at.known);
      } else {
        pass(at.shape);
      }
    }
    static_cast<void>(byte(0, 0));
  });
}

void StateReader::pass(std::string_view shape) {
  pass_one(shape);
}

void StateReader::pass_one(std::string_view& shape) {
  const char letter = letter_of(shape);
  switch (letter) {
    case '1':
      static_cast<void>(byte());
      return;
    case 'v':
      static_cast<void>(number());
      return;
    case '8':
      static_cast<void>(word());
      [[fallthrough]];
    case '4':
      static_cast<void>(word());
      return;
    case 's':
      static_cast<void>(bytes(kPacketBytes));
      return;
    case '{':
      return fields(until(shape, '}'), nullptr);
    case 'l':
    case 'm':
    case 'b':
    case 'o':
    case 'a':
    case '(':
    case '|':
      return nested([&] { pass_group(letter, shape); });
    default:
      return refuse(Refusal::malformed);
  }
}

/// What is within a class or container; takes the shape.
void StateReader::pass_group(char letter, std::string_view& shape) {
  if (letter == 'o') {
    if (flag()) return take_shape(shape);
    return pass_one(shape);
  }
  if (letter == '(') {
    if (!shape.empty() && shape.front() == ')') static_cast<void>(byte(0, 0));
    while (ok() && !shape.empty() && shape.front() != ')') pass_one(shape);
    letter_of(shape);
    return;
  }
  if (letter == '|') {
    std::int32_t index = 0;
    get_value(*this, index);
    bool found = false;
    for (; !shape.empty() && shape.front() != ')'; --index) {
      found = found || index == 0;
      index == 0 ? pass_one(shape) : take_shape(shape);
    }
    letter_of(shape);
    return found ? void() : refuse(Refusal::malformed);
  }
  const std::size_t size = letter == 'a' ? size_of(until(shape, ':')) : elements();
  if (letter == 'a' && size == 0) static_cast<void>(byte(0, 0));
  const std::string_view each = shape;
  take_shape(shape);
  const std::string_view second = shape;
  if (letter == 'm' || letter == 'b') take_shape(shape);
  for (std::size_t left = size; left > 0 && ok(); --left) {
    pass(each);
    if (letter == 'b') static_cast<void>(number());
    if (letter == 'm' || letter == 'b') pass(second);
  }
}

void StateReader::pass_operation(Operation operation, std::string_view shape) {
  if (operation == Operation::clear) return;
  if (operation == Operation::set) return pass(shape);
  const char letter = letter_of(shape);
  const std::string_view key = shape;
  std::string_view below = shape;
  take_shape(below);
  switch (operation) {
    case Operation::list_pop:
      return letter == 'l' ? void() : refuse(Refusal::malformed);
    case Operation::list_push:
      return letter == 'l' ? pass(key) : refuse(Refusal::malformed);
    case Operation::list_set:
    case Operation::list_insert:
      static_cast<void>(number());
      return letter == 'l' ? pass(key) : refuse(Refusal::malformed);
    case Operation::list_erase:
      static_cast<void>(number());
      return;
    default:
      break;
  }
  if (letter != 'm' && letter != 'b') return refuse(Refusal::malformed);
  pass(key);
  if (operation == Operation::bag_insert || operation == Operation::bag_move) {
    static_cast<void>(number());
  }
  if (operation == Operation::map_put || operation == Operation::bag_insert) pass(below);
}

void StateReader::pass_part(Part part, std::string_view shape) {
  if (part == Part::whole) return pass(shape);
  const char letter = letter_of(shape);
  if (letter == 'l') {
    static_cast<void>(number());
    return part == Part::element ? pass(shape) : refuse(Refusal::malformed);
  }
  if (letter != 'm' && letter != 'b') return refuse(Refusal::malformed);
  std::string_view below = shape;
  take_shape(below);
  pass(shape);
  if (part == Part::gone) return;
  if (letter == 'b') static_cast<void>(number());
  if (part == Part::element) pass(below);
}

std::string_view StateReader::pass_below(std::string_view shape) {
  if (letter_of(shape) == 'b') {
    pass(shape);
    take_shape(shape);
    letter_of(shape);
  }
  return until(shape, '}');
}

}  // namespace starbus::game
