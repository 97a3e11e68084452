#include "bus/core/routers/root/directory.hpp"

#include <cassert>
#include <cstring>
#include <memory>
#include <new>
#include <string>

#include "bus/core/limits.hpp"

namespace starbus::bus {

Directory::Entry::Entry(const ChannelId& id, Owner& owner, std::string_view name)
    : id_(id), owner_(&owner), size_(static_cast<std::uint8_t>(name.size())) {
  std::memcpy(reinterpret_cast<char*>(this + 1), name.data(), name.size());
}

Directory::Owner::~Owner() {
  assert(names_.empty());
}

void Directory::Owner::take(Entry& entry) {
  names_.push_back(entry);
  if (tally_ != nullptr) ++*tally_;
}

void Directory::Owner::give_up(Entry& entry) {
  names_.erase(OwnerIndex::s_iterator_to(entry));
  if (tally_ != nullptr) --*tally_;
}

Directory::~Directory() {
  for (auto& [id, entry] : by_id_) entry->owner_->give_up(*entry);
  by_name_.clear_and_dispose(&Directory::destroy);
}

Directory::Entry* Directory::find(const ChannelId& id) {
  const auto found = by_id_.find(id);
  return found == by_id_.end() ? nullptr : found->second;
}

const Directory::Entry* Directory::find(const ChannelId& id) const {
  const auto found = by_id_.find(id);
  return found == by_id_.end() ? nullptr : found->second;
}

Result<Directory::Entry*> Directory::find(const ChannelId& id, std::string_view name) {
  Entry* const entry = find(id);
  if (entry != nullptr && entry->name() != name) {
    return Error{Errc::name_taken, "its id is that of " + std::string(entry->name())};
  }
  return entry;
}

Directory::Entry& Directory::insert(const ChannelId& id, std::string_view name, Owner& owner) {
  assert(!name.empty() && name.size() <= kMaxName);
  void* const memory = ::operator new(sizeof(Entry) + name.size());
  Entry* const entry = new (memory) Entry(id, owner, name);
  const bool free = by_id_.emplace(id, entry).second;
  assert(free);
  const bool new_name = by_name_.insert(*entry).second;
  assert(new_name);
  owner.take(*entry);
  return *entry;
}

void Directory::change_owner(Entry& entry, Owner& owner) {
  entry.owner_->give_up(entry);
  entry.owner_ = &owner;
  owner.take(entry);
}

void Directory::erase(Entry& entry) {
  by_id_.erase(entry.id_);
  by_name_.erase(NameIndex::s_iterator_to(entry));
  entry.owner_->give_up(entry);
  destroy(&entry);
}

void Directory::destroy(Entry* entry) {
  entry->~Entry();
  ::operator delete(entry);
}

}  // namespace starbus::bus
