#include "entity/properties/journal.hpp"

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
                      entry.latest_only ? kLatestOnly : kChange};
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

// A latest-only change makes those of the same field in the history pointless.
void Journal::drop_older_latest() {
  Reading latest(*this, sealed_ + kGroupSize, buffer_.size());
  bool dropped = false;
  while (latest.next()) {
    if (latest.header().kind != kLatestOnly) continue;
    Reading older(*this, 0, sealed_);
    while (older.next()) {
      if (older.header().kind != kLatestOnly) continue;
      if (bus::as_text(older.address()) != bus::as_text(latest.address())) continue;
      set_audiences(older.at(),
                    static_cast<Reach>(older.header().audiences & ~latest.header().audiences));
      dropped = true;
    }
  }
  if (dropped) remove_unwanted(0, sealed_);
}

Reach Journal::seal_as(std::uint64_t stamp, Reach versions) {
  assert(stamp > stamp_);
  Reach changed = versions;
  if (pending() != 0) {
    compact();
    Reading reading(*this, sealed_ + kGroupSize, buffer_.size());
    while (reading.next()) add_to(changed, reading.header().audiences);
    drop_older_latest();
    const Header group{sizeof stamp, 0, 0, kGroup};
    std::memcpy(buffer_.data() + sealed_, &group, sizeof group);
    bus::store(buffer_.data() + sealed_ + sizeof group, stamp);
    const std::size_t begin = sealed_;
    sealed_ = static_cast<std::uint32_t>(buffer_.size());
    compact_above_ = 0;
    trim(begin);
  }
  if (overflowed_) changed = kAudienceBits;
  stamp_ = stamp;
  for (std::size_t i = 0; i < kAudiences; ++i) {
    if ((changed >> i & 1U) != 0) versions_[i] = stamp;
  }
  if (overflowed_) lose_history();
  return changed;
}

// The group that begins at `last` stays, however large: watchers that keep up must be able to get
// it.
void Journal::trim(std::size_t last) {
  if (last <= kHistoryBytes) return;
  // To three quarters, so that not every tick moves the rest.
  const std::size_t enough = last - kHistoryBytes * 3 / 4;
  std::size_t cut = 0;
  std::uint64_t stamp = 0;
  Reading reading(*this, 0, sealed_);
  while (reading.next()) {
    if (reading.header().kind == kGroup) {
      cut = reading.at();
      if (cut >= enough || cut == last) break;
      stamp = group_stamp(cut);
      continue;
    }
    for (std::size_t i = 0; i < kAudiences; ++i) {
      if ((reading.header().audiences >> i & 1U) != 0) floors_[i] = std::max(floors_[i], stamp);
    }
  }
  buffer_.erase(buffer_.begin(), buffer_.begin() + static_cast<std::ptrdiff_t>(cut));
  sealed_ -= static_cast<std::uint32_t>(cut);
  if (buffer_.capacity() > kIdleBuffer && buffer_.size() <= kIdleBuffer / 2)
    buffer_.shrink_to_fit();
}

bool Journal::collect(Audience audience, std::uint64_t since, Encoder& out) const {
  if (since < floor(audience) || since > version(audience)) return false;
  if (since == version(audience)) return true;
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
  return true;
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

void Journal::lose_history() {
  buffer_.clear();
  sealed_ = 0;
  compact_above_ = 0;
  overflowed_ = false;
  floors_ = versions_;
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
