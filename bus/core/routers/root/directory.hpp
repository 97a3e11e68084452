/// The name directory of busroot: which process owns which channel, since which epoch.
///
/// A pure data structure. One allocation per name, which is in three indexes at once: by channel id
/// (routing), by name (listings, snapshots) and per owner (death of a process). Owned and used by
/// one thread. The directory owns its entries; the caller owns the owners, which must outlive the
/// names that they own. About 200 bytes for a name of 24 characters.
#pragma once

#include <algorithm>
#include <boost/intrusive/list.hpp>
#include <boost/intrusive/set.hpp>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <string_view>

#include "bus/core/error.hpp"
#include "bus/core/wire/ids.hpp"

namespace starbus::bus {

class Directory {
  using Unchecked = boost::intrusive::link_mode<boost::intrusive::normal_link>;
  using NameHook =
      boost::intrusive::set_member_hook<Unchecked, boost::intrusive::optimize_size<true>>;
  using OwnerHook = boost::intrusive::list_member_hook<Unchecked>;

 public:
  class Owner;

  /// One name. The directory keeps id, name and owner consistent; the caller maintains the rest.
  class Entry {
   public:
    std::string_view name() const { return {reinterpret_cast<const char*>(this + 1), size_}; }
    const ChannelId& id() const { return id_; }
    Owner& owner() const { return *owner_; }

    Epoch epoch;
    Lineage lineage;
    std::uint64_t number = 0;  // the bind attempt that `epoch` was granted to; 0: a claim
    bool confirmed = false;
    bool moving = false;  // its records are held
    bool listed = false;  // scratch while a table is compared with the directory

   private:
    friend class Directory;
    Entry(const ChannelId& id, Owner& owner, std::string_view name);

    NameHook by_name_;
    OwnerHook by_owner_;
    ChannelId id_;
    Owner* owner_;
    std::uint8_t size_;  // of the name, which follows the entry in memory
  };

 private:
  struct Before {
    bool operator()(const Entry& a, const Entry& b) const { return a.name() < b.name(); }
    bool operator()(const Entry& a, std::string_view b) const { return a.name() < b; }
    bool operator()(std::string_view a, const Entry& b) const { return a < b.name(); }
  };
  using OwnerIndex =
      boost::intrusive::list<Entry,
                             boost::intrusive::member_hook<Entry, OwnerHook, &Entry::by_owner_>>;
  using NameIndex =
      boost::intrusive::set<Entry, boost::intrusive::compare<Before>,
                            boost::intrusive::member_hook<Entry, NameHook, &Entry::by_name_>>;

 public:
  /// A process that may own names. Derive from it to find your own data from an entry.
  class Owner {
   public:
    /// `tally`, which may be null, counts the names of several owners together; it outlives them.
    explicit Owner(const Process& process, std::size_t* tally = nullptr)
        : process_(process), tally_(tally) {}
    /// It must not own names any more.
    ~Owner();
    Owner(const Owner&) = delete;
    Owner& operator=(const Owner&) = delete;

    const Process& process() const { return process_; }
    std::size_t names() const { return names_.size(); }

   private:
    friend class Directory;
    void take(Entry& entry);
    void give_up(Entry& entry);
    Process process_;
    std::size_t* tally_;
    OwnerIndex names_;
  };

  Directory() = default;
  ~Directory();
  Directory(const Directory&) = delete;
  Directory& operator=(const Directory&) = delete;

  std::size_t size() const { return by_id_.size(); }

  /// Null if the name has no owner. The address of an entry stays until it is erased.
  Entry* find(const ChannelId& id);
  const Entry* find(const ChannelId& id) const;
  /// As above; name_taken if another name has this id (2^64 work to find one, or a bug).
  Result<Entry*> find(const ChannelId& id, std::string_view name);

  /// `name` must be a channel name, `id` its id, and free.
  Entry& insert(const ChannelId& id, std::string_view name, Owner& owner);
  void change_owner(Entry& entry, Owner& owner);
  void erase(Entry& entry);

  /// Names with this prefix after `after`, in order, until `visit(const Entry&)` returns false.
  /// Finding the first costs a search in the tree, so a page costs its rows.
  template <class Visit>
  void list(std::string_view prefix, std::string_view after, Visit&& visit) const {
    auto at = after < prefix ? by_name_.lower_bound(prefix, Before{})
                             : by_name_.upper_bound(after, Before{});
    for (; at != by_name_.end() && at->name().starts_with(prefix); ++at) {
      if (!visit(*at)) return;
    }
  }
  /// Every name of one owner; `visit(Entry&)` may erase that entry.
  template <class Visit>
  void for_each_of(Owner& owner, Visit&& visit) {
    for (auto at = owner.names_.begin(); at != owner.names_.end();) visit(*at++);
  }

 private:
  static void destroy(Entry* entry);

  boost::unordered_flat_map<ChannelId, Entry*> by_id_;
  NameIndex by_name_;
};

}  // namespace starbus::bus
