#include "entity/rpc/dictionary.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <stdexcept>

#include "entity/archive/signature.hpp"
#include "entity/rpc/limits.hpp"
#include "entity/rpc/method.hpp"

namespace starbus::entity::rpc {
namespace {

std::vector<const ClassInfo*>& enlisted() {
  static std::vector<const ClassInfo*> classes;
  return classes;
}

/// The types of a method are worked out once: they need values of the arguments' types, which need
/// not exist before main.
void complete(std::span<const ClassInfo* const> classes) {
  static std::deque<std::string> texts;
  for (const ClassInfo* info : classes) {
    for (MethodInfo* method : info->methods) {
      if (!method->text.empty()) continue;
      method->text = texts.emplace_back(method->describe(nullptr));
      method->signature = hash32(method->text);
    }
  }
}

}  // namespace

std::string signature_text(const MethodTypes& types) {
  std::string text = "(";
  for (const std::string& argument : types.arguments) {
    if (text.size() > 1) text += ',';
    text += argument;
  }
  text.append(")->").append(types.answer);
  if (!types.refusal.empty()) text.append("!").append(types.refusal);
  return text;
}

std::string MethodInfo::full_name() const {
  return std::string(owner->name).append(".").append(name);
}

bool Dictionary::enlist(const ClassInfo* info) {
  if (std::ranges::find(enlisted(), info) == enlisted().end()) enlisted().push_back(info);
  return true;
}

std::vector<const ClassInfo*> Dictionary::classes() {
  std::vector<const ClassInfo*> classes = enlisted();
  std::ranges::sort(classes, {}, &ClassInfo::name);
  return classes;
}

const Dictionary& Dictionary::of_process() {
  static const Dictionary dictionary = [] {
    complete(enlisted());
    Dictionary made(enlisted());
    std::uint32_t index = 0;
    for (const ClassInfo* info : enlisted()) {
      for (MethodInfo* method : info->methods) method->index = index++;
    }
    return made;
  }();
  return dictionary;
}

Dictionary::Dictionary(std::span<const ClassInfo* const> classes) {
  std::string collisions;
  std::map<std::string_view, const ClassInfo*> names;
  for (const ClassInfo* info : classes) {
    if (!names.try_emplace(info->name, info).second) {
      collisions.append("\n  two classes are named ").append(info->name);
    }
    for (const MethodInfo* method : info->methods) {
      const auto [at, fresh] = by_id_.try_emplace(method->id, method);
      if (!fresh && at->second->full_name() != method->full_name()) {
        collisions.append("\n  " + at->second->full_name() + " and " + method->full_name() +
                          " have the same id: rename one");
      }
      methods_.push_back(method);
    }
  }
  if (!collisions.empty()) throw std::logic_error("RPC declarations collide:" + collisions);
  if (methods_.size() > kMaxMethods) throw std::logic_error("more than kMaxMethods RPC methods");
  std::ranges::sort(methods_, {}, &MethodInfo::full_name);
  std::string all;
  for (const MethodInfo* method : methods_) {
    all.append(method->full_name()).append(method->text).append("\n");
  }
  hash_ = hash_of(all);
}

}  // namespace starbus::entity::rpc
