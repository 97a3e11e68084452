#include "entity/archive/signature.hpp"

#include <algorithm>

namespace starbus::entity {

std::uint64_t hash_of(std::string_view text, std::uint64_t seed) {
  std::uint64_t hash = seed;
  for (const char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001b3;
  }
  return hash;
}

namespace archives {

SignatureArchive::SignatureArchive(TypeTable* table)
    : cereal::OutputArchive<SignatureArchive, cereal::AllowEmptyClassElision>(this),
      table_(table) {}

/// Appends a part, after a comma unless it begins or ends a group.
void SignatureArchive::add(std::string_view text) {
  const bool opens = text_.empty() || text_.back() == '{' || text_.back() == '[';
  if (!opens && text != "}" && text != "]") text_ += ',';
  text_ += text;
}

void SignatureArchive::enter(const std::type_info& type, const TypeTable::Details& details) {
  inside_.emplace_back(type);
  table_ == nullptr ? add("{") : table_->enter(type, details);
}

void SignatureArchive::leave() {
  inside_.pop_back();
  table_ == nullptr ? add("}") : table_->leave();
}

void SignatureArchive::open(Group group) {
  if (table_ != nullptr) return table_->open(group);
  add(group == Group::optional ? "?" : group == Group::variant ? "|" : "[");
}

void SignatureArchive::close(Group group) {
  if (table_ != nullptr) return table_->close();
  if (group != Group::optional && group != Group::variant) add("]");
}

void SignatureArchive::number(std::string_view signature) {
  table_ == nullptr ? add(signature) : table_->number(signature);
}

void SignatureArchive::name_next(const char* name) {
  if (table_ != nullptr) table_->name_next(name);
}

void SignatureArchive::enum_next(const std::type_info& type) {
  if (table_ != nullptr) table_->enum_next(type);
}

void SignatureArchive::opaque(std::string_view text, std::string_view what) {
  table_ == nullptr ? add(text) : table_->opaque(what);
}

bool SignatureArchive::again(const std::type_info& type) {
  if (std::ranges::find(inside_, std::type_index(type)) == inside_.end()) return false;
  table_ == nullptr ? add("^") : table_->again(type);
  return true;
}

}  // namespace archives
}  // namespace starbus::entity
