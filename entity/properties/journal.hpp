#pragma once

#include <array>
#include <memory>

#include "entity/properties/address.hpp"

namespace starbus::entity {

/// The changes of one entity: those of this tick, and a bounded history of those
/// of earlier ticks, for observers that lag. Each change is encoded once, when it is made, for all
/// audiences that see the same of it. seal() ends a tick: it gives the tick a stamp, the next
/// number of this entity, and that is the new version for every audience that sees something of it.
/// Stamps are those of one lineage. Belongs to a Root; used by its thread.
class Journal {
 public:
  explicit Journal(std::uint32_t lineage) : lineage_(lineage) {}

  /// One change to record. The views must outlive the call only.
  struct Entry {
    Reach audiences;  ///< not 0
    Operation operation;
    std::uint8_t depth;
    ByteView address;
    ByteView payload;
    std::size_t key;  ///< bytes of the key that the payload begins with; 0 if none
    bool latest_only;
  };
  /// Costs an append. At kPendingBytes superseded changes go; if that does not help, everything
  /// pending is dropped, and every audience has lost its history.
  void record(const Entry& entry);

  /// Ends the tick: drops changes that were superseded within it and trims the history. Returns the
  /// audiences that have a new version.
  Reach seal() { return pending() == 0 && !overflowed_ ? Reach{0} : seal_as(stamp_ + 1); }
  /// The same under a stamp that the real entity gave, greater than stamp(). `versions` are the
  /// audiences whose version it becomes, whether or not anything was recorded for them.
  Reach seal_as(std::uint64_t stamp, Reach versions = 0);

  /// Appends the changes of `audience` in (since, version], as groups. False: not kept any more.
  bool collect(Audience audience, std::uint64_t since, Encoder& out) const;

  /// 0: of a replica that has no state.
  std::uint32_t lineage() const { return lineage_; }
  std::uint64_t stamp() const { return stamp_; }
  std::uint64_t version(Audience audience) const { return versions_[index_of(audience)]; }
  /// Changes after this version are kept.
  std::uint64_t floor(Audience audience) const { return floors_[index_of(audience)]; }
  /// Whether there is something that take_news() has not sent.
  bool has_news(Audience audience) const {
    return sent_[index_of(audience)] != versions_[index_of(audience)];
  }
  std::uint64_t sent(Audience audience) const { return sent_[index_of(audience)]; }
  void set_sent(Audience audience) { sent_[index_of(audience)] = versions_[index_of(audience)]; }
  void set_all_sent() { sent_ = versions_; }
  /// The first watcher comes: history begins here, with a version that no watcher has seen.
  void open(Audience audience, bool as_replica);
  /// All history is lost: the state was replaced. Every version is the next stamp, and news.
  void restart();
  /// The same in another life.
  void restart(std::uint32_t lineage);
  /// The same, as a snapshot says. Audiences that were not sent this version of this lineage have
  /// news.
  void restart(std::uint32_t lineage, std::uint64_t stamp,
               const std::array<std::uint64_t, kAudiences>& versions);

  // For a replica:
  Audience replica_of = Audience::ghost;
  bool synced = false;  ///< it has taken a snapshot

  std::size_t pending() const { return buffer_.size() - sealed_; }
  std::size_t capacity() const { return buffer_.capacity(); }

 private:
  // Before the bytes of a change as they go on the wire; before a group, its stamp.
  struct Header {
    std::uint32_t size;
    std::uint16_t address;  // bytes of address and key, which follow the first byte of a change
    Reach audiences;
    std::uint8_t kind;
  };
  enum Kind : std::uint8_t { kChange, kLatestOnly, kGroup };
  class Reading;

  static constexpr std::uint64_t kNeverSent = ~std::uint64_t{0};  // no version

  static std::size_t index_of(Audience audience) { return static_cast<std::size_t>(audience); }
  static constexpr std::size_t kGroupSize = sizeof(Header) + sizeof(std::uint64_t);

  Header header(std::size_t at) const;
  std::uint64_t group_stamp(std::size_t at) const;
  void reserve(std::size_t more);
  void compact();
  void set_audiences(std::size_t at, Reach audiences);
  void remove_unwanted(std::size_t from, std::size_t to);
  void drop_older_latest();
  void trim(std::size_t last);
  void lose_history();

  std::uint32_t lineage_;
  Bytes buffer_;                     // sealed groups, then pending changes
  std::uint32_t sealed_ = 0;         // bytes of the groups
  std::uint32_t compact_above_ = 0;  // pending bytes
  bool overflowed_ = false;
  std::uint64_t stamp_ = 0;
  std::array<std::uint64_t, kAudiences> versions_{};
  std::array<std::uint64_t, kAudiences> floors_{};
  std::array<std::uint64_t, kAudiences> sent_{};
};

}  // namespace starbus::entity
