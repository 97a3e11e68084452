#include "bus/client/parts/channel_names.hpp"

namespace starbus::bus {

Result<Name> ChannelNames::name_of(std::string_view text) {
  if (const auto found = by_text_.find(text); found != by_text_.end()) return found->second;
  auto name = Name::of(text);
  if (!name) return name.error();
  if (by_text_.size() >= kNamesKept) by_text_.clear();
  by_text_.emplace(std::string(text), *name);
  return *name;
}

Result<ChannelId> ChannelNames::id_of(std::string_view text) {
  if (const auto found = by_text_.find(text); found != by_text_.end()) return found->second.id();
  const auto name = name_of(text);
  if (!name) return name.error();
  return name->id();
}

void ChannelNames::remember(const Name& name) {
  if (by_id_.size() >= kNamesKept) by_id_.clear();
  by_id_.try_emplace(name.id(), name.text());
}

std::string ChannelNames::text_of(const ChannelId& channel) const {
  const auto found = by_id_.find(channel);
  return found == by_id_.end() ? std::string() : found->second;
}

}  // namespace starbus::bus
