#include "nodes/db/update.hpp"

#include <cmath>

#include "nodes/db/index_key.hpp"
#include "nodes/db/limits.hpp"

namespace starbus::nodes::db {
namespace {

Error wrong(const Change& change, std::string_view what) {
  return Error(Errc::wrong_type, change.path + " " + std::string(what));
}

/// The value that the path names; made, with objects on the way, where nothing is. A fresh one is
/// null, and
/// `fresh` says so.
Result<Json*> make_way(Json& document, const Path& path, const Change& change, bool& fresh) {
  Json* at = &document;
  for (const std::string& name : path) {
    if (fresh) *at = Json::object();
    if (at->is_array()) {
      const auto element = element_of(name, at->size());
      if (!element) return wrong(change, "leads to no element of its array");
      at = &(*at)[*element];
    } else if (at->is_object()) {
      fresh = !at->contains(name);
      at = &(*at)[name];
    } else {
      return wrong(change, "leads through a value that has no parts");
    }
  }
  return at;
}

Result<> add(Json& to, const Change& change) {
  if (!to.is_number()) return wrong(change, "is not a number");
  if (to.is_number_float() || change.value.is_number_float()) {
    const double sum = to.get<double>() + change.value.get<double>();
    if (!std::isfinite(sum)) return Error(Errc::overflow, change.path);
    to = sum;
    return {};
  }
  std::int64_t sum = 0;
  if (__builtin_add_overflow(to.get<std::int64_t>(), change.value.get<std::int64_t>(), &sum)) {
    return Error(Errc::overflow, change.path);
  }
  to = sum;
  return {};
}

bool have_an_order(const Json& a, const Json& b) {
  return (a.is_number() && b.is_number()) || (a.is_string() && b.is_string());
}

/// Compares two values that have an order. Numbers as indexes compare them: exactly, whatever their
/// types.
bool is_greater(const Json& a, const Json& b) {
  if (a.is_string()) return a.get_ref<const std::string&>() > b.get_ref<const std::string&>();
  std::string first;
  std::string second;
  append_value(a, false, first);
  append_value(b, false, second);
  return first > second;
}

Result<> raise(Json& to, const Change& change) {
  if (!have_an_order(to, change.value)) return wrong(change, "has no order with the new value");
  if (is_greater(to, change.value)) {
    return Error(Errc::stale, change.path + " is " + to.dump().substr(0, 64) + " already");
  }
  to = change.value;
  return {};
}

Result<> put(const Change& change, const Path& path, Json& document) {
  bool fresh = false;
  const auto target = make_way(document, path, change, fresh);
  if (!target) return target.error();
  Json& at = **target;
  if (change.what == Operator::push) {
    if (fresh) at = Json::array();
    if (!at.is_array()) return wrong(change, "is not an array");
    at.push_back(change.value);
    return {};
  }
  if (change.what == Operator::inc && !fresh) return add(at, change);
  if (change.what == Operator::raise && !fresh) return raise(at, change);
  at = change.value;
  return {};
}

void unset(Path path, Json& document) {
  const std::string last = std::move(path.back());
  path.pop_back();
  Json* const parent = look_up(document, path);
  if (parent == nullptr) return;
  if (parent->is_object()) parent->erase(last);
  if (!parent->is_array()) return;
  if (const auto element = element_of(last, parent->size())) (*parent)[*element] = nullptr;
}

Result<> pull(const Change& change, const Path& path, Json& document) {
  Json* const at = look_up(document, path);
  if (at == nullptr) return {};
  if (!at->is_array()) return wrong(change, "is not an array");
  // By their bytes: the library takes 1 for 1.0, and an integer for the double next to it.
  const auto wanted = encode_value(change.value);
  if (!wanted) return wanted.error();
  std::erase_if(at->get_ref<Json::array_t&>(), [&](const Json& element) {
    const auto bytes = encode_value(element);
    return bytes && *bytes == *wanted;
  });
  return {};
}

Result<> apply_one(const Change& change, Json& document) {
  const auto path = parse_path(change.path);
  if (!path) return path.error();
  switch (change.what) {
    case Operator::unset:
      unset(*path, document);
      return {};
    case Operator::pull:
      return pull(change, *path, document);
    default:
      return put(change, *path, document);
  }
}

}  // namespace

Result<> apply_changes(const std::vector<Change>& changes, Json& document) {
  Json changed = document;
  for (const Change& change : changes) {
    if (const auto done = apply_one(change, changed); !done) return done;
  }
  if (const auto checked = check_document(changed); !checked) return checked.error();
  document = std::move(changed);
  return {};
}

Result<std::size_t> check_changes(const std::vector<Change>& changes) {
  if (changes.size() > kMaxChanges) return Error(Errc::too_large, "too many operators");
  std::size_t bytes = 0;
  for (const Change& change : changes) {
    if (const auto path = parse_path(change.path); !path) return path.error();
    if (change.what > Operator::raise) return Error(Errc::bad_request, "unknown operator");
    if (change.what == Operator::unset) continue;
    const auto value = check_value(change.value);
    if (!value) return value.error();
    if (change.what == Operator::raise && !have_an_order(change.value, change.value)) {
      return wrong(change, "$raise operand is neither a number nor a text");
    }
    if (change.what == Operator::inc && !change.value.is_number()) {
      return wrong(change, "$inc operand is not a number");
    }
    bytes += *value + change.path.size();
  }
  return bytes;
}

}  // namespace starbus::nodes::db
