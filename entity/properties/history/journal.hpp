#pragma once

#include <array>
#include <vector>

#include "entity/properties/address.hpp"
#include "entity/properties/history/stamps.hpp"

namespace starbus::entity {

/// The changes of one entity: in their order those of this tick and of the last ones, for observers
/// that keep up; and for those that lag, when each part has changed last (Stamps). Each change is
/// encoded once, when it is made, for all audiences that see the same of it. seal() ends a tick: it
/// gives the tick a stamp, the next number of this entity, and that is the new version for every
/// audience that sees something of it. Stamps are those of one lineage. Belongs to a Root; used by
/// its thread.
class Journal {
 public:
  /// `fields`: of the entity itself.
  Journal(std::uint32_t lineage, std::size_t fields) : lineage_(lineage), stamps_(fields) {}

  /// One change to record. The views must outlive the call only.
  struct Entry {
    Reach audiences;  ///< not 0
    Operation operation;
    std::uint8_t depth;
    ByteView address;
    ByteView payload;
    std::size_t key;  ///< bytes of the key that the payload begins with; 0 if none
    /// Not to be sent: the change before has also moved the item with this key.
    bool moved_too = false;
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

  /// Whether the changes of `audience` after `since` are kept in their order, and are of one tick:
  /// what is of several is sent as the newest values.
  bool keeps_order(Audience audience, std::uint64_t since) const;
  /// If so: appends those in (since, version], as groups.
  void collect(Audience audience, std::uint64_t since, Encoder& out) const;
  const Stamps& stamps() const { return stamps_; }

  /// 0: of a replica that has no state.
  std::uint32_t lineage() const { return lineage_; }
  std::uint64_t stamp() const { return stamp_; }
  std::uint64_t version(Audience audience) const { return versions_[index_of(audience)]; }
  /// It is known what has changed after this version.
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
  /// These whole fields of the entity have changed, in a tick of its own, as far as `audiences`
  /// see.
  void change_fields(ByteView indices, Reach audiences);
  /// Of a replica: parts that have changed by `stamp`, in an order that is not known. Then
  /// advance() takes that stamp as the version of `versions`.
  void note(PartKind part, std::uint8_t depth, ByteView address, std::uint64_t stamp) {
    if (stamps_.takes(stamp)) stamps_.note(part, depth, address, stamp);
  }
  void advance(std::uint64_t stamp, Reach versions);
  /// What the real entity knew of its history where it lived before: the floor of each audience,
  /// and when each of its fields has changed last.
  void resume(const std::array<std::uint64_t, kAudiences>& floors,
              const std::vector<std::uint64_t>& last);

  /// The same, as a snapshot says. Audiences that were not sent this version of this lineage have
  /// news.
  void restart(std::uint32_t lineage, std::uint64_t stamp,
               const std::array<std::uint64_t, kAudiences>& versions);

  // For a replica:
  Audience replica_of = Audience::ghost;
  bool synced = false;  ///< it has taken a snapshot

  std::size_t pending() const { return buffer_.size() - sealed_; }
  std::size_t memory() const { return buffer_.capacity() + stamps_.memory(); }

 private:
  // Before the bytes of a change as they go on the wire; before a group, its stamp.
  struct Header {
    std::uint32_t size;
    std::uint16_t address;  // bytes of address and key, which follow the first byte of a change
    Reach audiences;
    std::uint8_t kind;
  };
  enum Kind : std::uint8_t { kChange, kMovedToo, kGroup };
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
  Reach note_pending(std::uint64_t stamp);
  void trim(std::size_t last);
  void set_versions(Reach audiences);
  void lose_order();
  void lose_history();

  std::uint32_t lineage_;
  Bytes buffer_;                     // sealed groups, then pending changes
  std::uint32_t sealed_ = 0;         // bytes of the groups
  std::uint32_t compact_above_ = 0;  // pending bytes
  bool overflowed_ = false;
  std::uint64_t stamp_ = 0;
  std::uint64_t ordered_from_ = 0;  // the changes of later ticks are in the buffer
  std::array<std::uint64_t, kAudiences> versions_{};
  std::array<std::uint64_t, kAudiences> floors_{};
  std::array<std::uint64_t, kAudiences> sent_{};
  Stamps stamps_;
};

}  // namespace starbus::entity
