#include "entity/properties/history/journal.hpp"

#include <algorithm>
#include <boost/container/small_vector.hpp>
#include <boost/unordered/unordered_flat_map.hpp>

namespace starbus::entity {
namespace {

constexpr std::uint32_t kCompactAbove = 4096;  // pending bytes: below that sealing compacts
constexpr std::size_t kFirstBuffer = 256;
constexpr std::size_t kIdleBuffer = 1024;  // capacity that an entity may keep between ticks

std::uint8_t head_of(Operation operation, std::uint8_t depth) {
  return static_cast<std::uint8_t>(static_cast<unsigned>(operation) << 3 | depth);
}

using Covered = boost::unordered_flat_map<std::string_view, Reach>;

void add_to(Reach& reach, Reach more) {
  reach = static_cast<Reach>(reach | more);
}

// Which addresses later changes cover, so that an earlier one there need not be sent. Asked while
// the changes of a tick are walked from the last to the first. An address lies below another if
// that one's bytes are its prefix: every level delimits itself.
class Cover {
 public:
  /// The audiences that a change is superseded for; then takes the change itself into account.
  Reach pass(ByteView address, Operation operation, Reach audiences) {
    const std::string_view text = bus::as_text(address);
    Reach covered = top_[std::to_integer<std::uint8_t>(address.front())];
    for (std::size_t size = 2; size <= text.size() && !subtrees_.empty(); ++size) {
      add_to(covered, find(subtrees_, text.substr(0, size)));
    }
    for (std::size_t size = 2; size < text.size() && !erased_.empty(); ++size) {
      add_to(covered, find(erased_, text.substr(0, size)));
    }
    switch (operation) {
      case Operation::set:
      case Operation::clear:
        add_to(text.size() == 1 ? top_[std::to_integer<std::uint8_t>(address.front())]
                                : subtrees_[text],
               audiences);
        break;
      case Operation::map_put:  // the last value of a key counts
        add_to(covered, find(put_, text));
        add_to(put_[text], audiences);
        break;
      case Operation::map_erase:  // an earlier put must be there to be erased
        put_.erase(text);
        break;
      case Operation::bag_erase:
        // Nobody sees what is in the item any more. That it came, and where it lay, must be sent:
        // others may have moved around it.
        add_to(erased_[text], audiences);
        break;
      default:
        break;
    }
    return covered;
  }

 private:
  static Reach find(const Covered& in, std::string_view address) {
    const auto found = in.find(address);
    return found == in.end() ? Reach{0} : found->second;
  }
  std::array<Reach, 256> top_{};  // by index: the fields of the entity itself
  Covered subtrees_;
  Covered erased_;  // items: only fields below
  Covered put_;     // keys of maps
};

}  // namespace

// Walks the headers of a part of the buffer.
class Journal::Reading {
 public:
  Reading(const Journal& journal, std::size_t from, std::size_t to)
      : journal_(journal), at_(from), end_(to) {}
  bool next() {
    at_ = next_;
    if (at_ >= end_) return false;
    header_ = journal_.header(at_);
    next_ = at_ + sizeof(Header) + header_.size;
    return true;
  }
  std::size_t at() const { return at_; }
  const Header& header() const { return header_; }
  /// As on the wire.
  ByteView bytes() const {
    return ByteView(journal_.buffer_).subspan(at_ + sizeof(Header), header_.size);
  }
  ByteView address() const { return bytes().subspan(1, header_.address); }
  Operation operation() const {
    return static_cast<Operation>(std::to_integer<unsigned>(bytes().front()) >> 3);
  }

 private:
  const Journal& journal_;
  std::size_t at_;
  std::size_t end_;
  std::size_t next_ = at_;
  Header header_{};
};

Journal::Header Journal::header(std::size_t at) const {
  Header header;
  std::memcpy(&header, buffer_.data() + at, sizeof header);
  return header;
}

std::uint64_t Journal::group_stamp(std::size_t at) const {
  return bus::load<std::uint64_t>(buffer_.data() + at + sizeof(Header));
}

void Journal::reserve(std::size_t more) {
  const std::size_t need = buffer_.size() + more;
  if (need <= buffer_.capacity()) return;
  // Half as much again, and less once the history is as long as it may be: there may be a hundred
  // thousand of these.
  const std::size_t more_room = buffer_.capacity() / (buffer_.capacity() < kHistoryBytes ? 2 : 4);
  buffer_.reserve(std::max({need, kFirstBuffer, buffer_.capacity() + more_room}));
}

void Journal::record(const Entry& entry) {
  assert(entry.audiences != 0 && !entry.address.empty());
  if (overflowed_) return;
  const std::size_t size = 1 + entry.address.size() + entry.payload.size();
  reserve(sizeof(Header) + size + (pending() == 0 ? kGroupSize : 0));
  if (pending() == 0) buffer_.resize(buffer_.size() + kGroupSize);  // filled in when it is sealed
  const Header header{static_cast<std::uint32_t>(size),
                      static_cast<std::uint16_t>(entry.address.size() + entry.key), entry.audiences,
                      entry.moved_too ? kMovedToo : kChange};
  const std::size_t at = buffer_.size();
  buffer_.resize(at + sizeof header + size);
  std::byte* to = buffer_.data() + at;
  std::memcpy(to, &header, sizeof header);
  to += sizeof header;
  *to++ = static_cast<std::byte>(head_of(entry.operation, entry.depth));
  std::memcpy(to, entry.address.data(), entry.address.size());
  if (!entry.payload.empty()) {
    std::memcpy(to + entry.address.size(), entry.payload.data(), entry.payload.size());
  }
  if (pending() > std::max(compact_above_, kCompactAbove)) {
    compact();
    compact_above_ = static_cast<std::uint32_t>(2 * pending());
    if (pending() <= kPendingBytes / 2) return;
    overflowed_ = true;
    buffer_.resize(sealed_);
  }
}

void Journal::compact() {
  boost::container::small_vector<std::uint32_t, 64> starts;
  Reading reading(*this, sealed_ + kGroupSize, buffer_.size());
  while (reading.next()) starts.push_back(static_cast<std::uint32_t>(reading.at()));
  if (starts.size() < 2) return;
  Cover cover;
  bool dropped = false;
  for (std::size_t i = starts.size(); i-- > 0;) {
    Reading change(*this, starts[i], buffer_.size());
    change.next();
    const Reach audiences = change.header().audiences;
    const Reach covered = cover.pass(change.address(), change.operation(), audiences);
    if ((audiences & covered) == 0) continue;
    dropped = true;
    set_audiences(starts[i], static_cast<Reach>(audiences & ~covered));
  }
  if (dropped) remove_unwanted(sealed_ + kGroupSize, buffer_.size());
}

void Journal::set_audiences(std::size_t at, Reach audiences) {
  buffer_[at + offsetof(Header, audiences)] = static_cast<std::byte>(audiences);
}

// Removes changes that no audience wants, in [from, to); groups stay, though they may be empty:
// they are trimmed in their turn.
void Journal::remove_unwanted(std::size_t from, std::size_t to) {
  std::size_t kept = from;
  Reading reading(*this, from, to);
  while (reading.next()) {
    const std::size_t size = sizeof(Header) + reading.header().size;
    if (reading.header().kind != kGroup && reading.header().audiences == 0) continue;
    std::memmove(buffer_.data() + kept, buffer_.data() + reading.at(), size);
    kept += size;
  }
  const std::size_t removed = to - kept;
  if (removed == 0) return;
  buffer_.erase(buffer_.begin() + static_cast<std::ptrdiff_t>(kept),
                buffer_.begin() + static_cast<std::ptrdiff_t>(to));
  if (to <= sealed_) sealed_ -= static_cast<std::uint32_t>(removed);
}

// The parts that the pending changes are about; returns the audiences that see something of them.
Reach Journal::note_pending(std::uint64_t stamp) {
  Reach changed = 0;
  bool dropped = false;
  Reading reading(*this, sealed_ + kGroupSize, buffer_.size());
  while (reading.next()) {
    add_to(changed, reading.header().audiences);
    const auto depth = static_cast<std::uint8_t>(std::to_integer<unsigned>(reading.bytes()[0]) & 7);
    const ByteView address = reading.address();
    switch (reading.operation()) {
      case Operation::bag_move: {
        Address::Buffer slot;
        std::memcpy(slot.data(), address.data(), address.size());
        slot[address.size()] = std::byte{0};  // the index of no field
        note(PartKind::slot, depth, ByteView(slot.data(), address.size() + 1), stamp);
        break;
      }
      case Operation::list_set:
      case Operation::map_put:
      case Operation::map_erase:
      case Operation::bag_insert:
      case Operation::bag_erase:
        note(PartKind::element, depth, address, stamp);
        break;
      default:
        note(PartKind::whole, depth, address, stamp);
        break;
    }
    if (reading.header().kind != kMovedToo) continue;
    set_audiences(reading.at(), 0);
    dropped = true;
  }
  if (dropped) remove_unwanted(sealed_ + kGroupSize, buffer_.size());
  return changed;
}

Reach Journal::seal_as(std::uint64_t stamp, Reach versions) {
  assert(stamp > stamp_);
  Reach changed = versions;
  if (pending() != 0) {
    compact();
    add_to(changed, note_pending(stamp));
    const Header group{sizeof stamp, 0, 0, kGroup};
    std::memcpy(buffer_.data() + sealed_, &group, sizeof group);
    bus::store(buffer_.data() + sealed_ + sizeof group, stamp);
    const std::size_t begin = sealed_;
    sealed_ = static_cast<std::uint32_t>(buffer_.size());
    compact_above_ = 0;
    trim(begin);
  }
  const bool lost = overflowed_ || !stamps_.takes(stamp);
  if (lost) changed = kAudienceBits;
  stamp_ = stamp;
  set_versions(changed);
  if (lost) lose_history();
  return changed;
}

// The group that begins at `last` stays, however large: watchers that keep up must be able to get
// it.
void Journal::trim(std::size_t last) {
  if (last <= kHistoryBytes) return;
  // To three quarters, so that not every tick moves the rest.
  const std::size_t enough = last - kHistoryBytes * 3 / 4;
  std::size_t cut = 0;
  Reading reading(*this, 0, sealed_);
  while (reading.next()) {
    if (reading.header().kind != kGroup) continue;
    cut = reading.at();
    if (cut >= enough || cut == last) break;
    ordered_from_ = group_stamp(cut);
  }
  buffer_.erase(buffer_.begin(), buffer_.begin() + static_cast<std::ptrdiff_t>(cut));
  sealed_ -= static_cast<std::uint32_t>(cut);
  if (buffer_.capacity() > kIdleBuffer && buffer_.size() <= kIdleBuffer / 2)
    buffer_.shrink_to_fit();
}

bool Journal::keeps_order(Audience audience, std::uint64_t since) const {
  if (since == version(audience)) return true;
  if (since < ordered_from_) return false;
  std::size_t ticks = 0;
  std::uint64_t stamp = 0;
  std::uint64_t counted = 0;
  Reading reading(*this, 0, sealed_);
  while (reading.next()) {
    if (reading.header().kind == kGroup) {
      stamp = group_stamp(reading.at());
    } else if (stamp > since && stamp != counted &&
               (reading.header().audiences & bit_of(audience)) != 0) {
      counted = stamp;
      ++ticks;
    }
  }
  return ticks <= 1;
}

void Journal::collect(Audience audience, std::uint64_t since, Encoder& out) const {
  if (since == version(audience)) return;
  const Reach bit = bit_of(audience);
  std::uint64_t previous = since;
  Reading reading(*this, 0, sealed_);
  bool more = reading.next();
  while (more) {
    const std::uint64_t stamp = group_stamp(reading.at());
    const Reading begin = reading;
    std::size_t bytes = 0;
    while ((more = reading.next()) && reading.header().kind != kGroup) {
      if ((reading.header().audiences & bit) != 0) bytes += reading.header().size;
    }
    if (bytes == 0 || stamp <= since) continue;
    out.varint(stamp - previous);
    out.varint(bytes);
    previous = stamp;
    Reading change = begin;
    while (change.next() && change.header().kind != kGroup) {
      if ((change.header().audiences & bit) == 0) continue;
      out.raw(change.bytes().data(), change.bytes().size());
    }
  }
  if (previous != version(audience)) {  // the history of its latest ticks is gone
    out.varint(version(audience) - previous);
    out.varint(0);
  }
}

void Journal::open(Audience audience, bool as_replica) {
  const std::size_t i = index_of(audience);
  if (!as_replica) {
    seal();
    versions_[i] = ++stamp_;
  }
  floors_[i] = versions_[i];
  sent_[i] = versions_[i];
}

void Journal::set_versions(Reach audiences) {
  for (std::size_t i = 0; i < kAudiences; ++i) {
    if ((audiences >> i & 1U) != 0) versions_[i] = stamp_;
  }
}

void Journal::lose_order() {
  buffer_.clear();
  sealed_ = 0;
  compact_above_ = 0;
  overflowed_ = false;
  ordered_from_ = stamp_;
}

void Journal::lose_history() {
  lose_order();
  floors_ = versions_;
  stamps_.clear(stamp_);
}

void Journal::change_fields(ByteView indices, Reach audiences) {
  if (pending() != 0 || overflowed_) seal();
  for (std::size_t i = 0; i < indices.size(); ++i) {
    note(PartKind::whole, 1, indices.subspan(i, 1), stamp_ + 1);
  }
  advance(stamp_ + 1, audiences);
}

void Journal::advance(std::uint64_t stamp, Reach versions) {
  assert(pending() == 0 && stamp > stamp_);
  const bool known = stamps_.takes(stamp);
  stamp_ = stamp;
  set_versions(known ? versions : kAudienceBits);
  lose_order();
  if (!known) lose_history();
}

void Journal::resume(const std::array<std::uint64_t, kAudiences>& floors,
                     const std::vector<std::uint64_t>& last) {
  stamps_.clear(0);
  if (!stamps_.takes(stamp_)) return lose_history();
  floors_ = floors;
  for (std::size_t i = 0; i < last.size(); ++i) {
    const auto index = static_cast<std::byte>(i + 1);
    if (last[i] != 0) stamps_.note(PartKind::whole, 1, ByteView(&index, 1), last[i]);
  }
}

void Journal::restart() {
  ++stamp_;
  versions_.fill(stamp_);
  lose_history();
}

void Journal::restart(std::uint32_t lineage) {
  lineage_ = lineage;
  restart();
}

void Journal::restart(std::uint32_t lineage, std::uint64_t stamp,
                      const std::array<std::uint64_t, kAudiences>& versions) {
  if (lineage != lineage_) sent_.fill(kNeverSent);
  lineage_ = lineage;
  stamp_ = stamp;
  versions_ = versions;
  lose_history();
}

}  // namespace starbus::entity
