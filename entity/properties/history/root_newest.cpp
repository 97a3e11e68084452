// Observers that lag: the newest value of what has changed since their version.
#include "entity/properties/history/root_newest.hpp"

#include <algorithm>

#include "entity/properties/wire.hpp"

namespace starbus::entity {
namespace {

// Kinds of parts are two bits before the three of the depth.
constexpr unsigned kPartShift = 3;
constexpr unsigned kParts = 4;

void put_head(Encoder& out, PartKind part, std::uint8_t depth, ByteView address) {
  out.byte(static_cast<std::uint8_t>(static_cast<unsigned>(part) << kPartShift | depth));
  out.raw(address.data(), address.size());
}

// Whether the field, or anything within it, does not travel; `sees` gets the audiences of that.
bool stays_behind(const FieldInfo& field, Reach holder, Reach& sees) {
  const auto reach = static_cast<Reach>(field.reach & holder);
  bool stays = (reach & kTravelBit) == 0;
  if (stays) sees = static_cast<Reach>(sees | (reach & kAudienceBits));
  if (stays || field.type->nested() == nullptr) return stays;
  for (const FieldInfo& within : field.type->nested()->fields()) {
    stays = stays_behind(within, reach, sees) || stays;
  }
  return stays;
}

}  // namespace

DataErrc Root::walk(Decoder& in, std::uint8_t depth, Spot& spot) const {
  // The caller may change what is found, or may not.
  StructBase* owner = const_cast<Root*>(this);
  const Schema* schema = &this->schema();
  for (std::uint8_t level = 1;; ++level) {
    const FieldInfo* const field = schema->find(in.byte());
    if (field == nullptr) in.fail(DataErrc::malformed);
    if (!in.ok()) return in.error();
    spot.reach = static_cast<Reach>(spot.reach & field->reach);
    spot.type = field->type;
    spot.field = field->of(*owner);
    if (level == depth) return DataErrc::ok;
    owner = field->type->descend(spot.field, in);
    schema = field->type->nested();
    if (owner == nullptr) return in.ok() ? DataErrc::malformed : in.error();
  }
}

// What is gone first: it makes room for what has come.
void Root::encode_newest(Audience audience, std::uint64_t since, Encoder& out) const {
  const View view = view_of(audience);
  Scratch behind;
  Encoder others(behind.bytes(), kMaxState);
  journal_->stamps().since(since, [&](const Stamps::Changed& changed) {
    if (!others.ok()) return;
    const bool slot = changed.part == PartKind::slot;
    const ByteView address = changed.address.first(changed.address.size() - (slot ? 1 : 0));
    Decoder in(address);
    Spot spot;
    if (walk(in, changed.depth, spot) != DataErrc::ok || (spot.reach & bit_of(view)) == 0) return;
    const std::size_t before = others.written();
    put_head(others, changed.part, changed.depth, address);
    if (changed.part == PartKind::whole) return spot.type->encode(spot.field, view, others);
    if (spot.type->encode_element(spot.field, changed.part, in, view, others)) return;
    others.rewind(before);
    if (!slot) put_head(out, PartKind::gone, changed.depth, address);
  });
  out.raw(behind.bytes().data(), behind.bytes().size());
  if (!others.ok()) out.fail(others.error());
}

DataResult<> Root::apply_newest(Decoder& in, std::uint64_t to) {
  struct Noted {
    PartKind part;
    std::uint8_t depth;
    Bytes address;
  };
  const View view = view_of(journal_->replica_of);
  if (to <= journal_->stamp()) return DataError(DataErrc::malformed);
  const auto before = state_for_observers();
  Transaction undo;
  std::vector<Noted> noted;
  Reach versions = bit_of(view);
  while (in.ok() && in.left() > 0 && in.charge(kChangeCost)) {
    const std::uint8_t head = in.byte();
    const unsigned kind = head >> kPartShift;
    const auto depth = static_cast<std::uint8_t>(head & 7);
    if (depth == 0 || kind >= kParts) return DataError(DataErrc::malformed);
    const auto part = static_cast<PartKind>(kind);
    const ByteView whole = in.rest();
    Spot spot;
    if (const DataErrc error = walk(in, depth, spot); error != DataErrc::ok) {
      return DataError(error);
    }
    if ((spot.reach & bit_of(view)) == 0) return DataError(DataErrc::malformed);
    std::size_t size = whole.size() - in.left();
    if (part == PartKind::whole) {
      spot.type->replace(spot.field, view, in, undo);
    } else {
      size += spot.type->apply_element(spot.field, part, view, in, undo);
    }
    if (!in.ok()) break;
    versions = static_cast<Reach>(versions | (spot.reach & kAudienceBits));
    if ((spot.reach & watchers()) == 0) continue;
    const ByteView address = whole.first(size);
    Noted& last = noted.emplace_back(Noted{part == PartKind::gone ? PartKind::element : part, depth,
                                           Bytes(address.begin(), address.end())});
    if (part == PartKind::slot) last.address.push_back(std::byte{0});
  }
  if (!in.ok()) return DataError(in.error());
  undo.commit();
  for (const Noted& each : noted) journal_->note(each.part, each.depth, each.address, to);
  journal_->advance(to, versions);
  if (watchers() != 0) tell_listener();
  if (before != nullptr) tell_differences(*before, Cause::snapshot);
  return {};
}

bool Root::tell_what_stayed_behind() {
  if (journal_ == nullptr || is_replica() || watchers() == 0) return false;
  Bytes indices;
  Reach told = 0;
  for (const FieldInfo& field : schema().fields()) {
    Reach sees = 0;
    if (!stays_behind(field, kWholeReach, sees) || (sees & watchers()) == 0) continue;
    told = static_cast<Reach>(told | (sees & watchers()));
    indices.push_back(static_cast<std::byte>(field.index));
  }
  if (told == 0) return false;
  journal_->change_fields(indices, told);
  tell_listener();
  return true;
}

// --- what travels of the history -----------------------------------------------------------------

void Root::encode_history(Encoder& out) const {
  const bool any = journal_ != nullptr && watchers() != 0;
  out.byte(any ? 1 : 0);
  if (!any) return;
  for (std::size_t i = 0; i < kAudiences; ++i) {
    const auto audience = static_cast<Audience>(i);
    out.varint(journal_->version(audience) - journal_->floor(audience));
  }
  for (const FieldInfo& field : schema().fields()) {
    out.varint(journal_->stamp() - journal_->stamps().last(field.index));
  }
}

void Root::read_history(Decoder& in, History& history) const {
  if (!in.ok()) return;
  const std::uint8_t any = in.byte();
  if (any > 1) in.fail(DataErrc::malformed);
  if (any == 0) return;
  for (std::uint64_t& behind : history.behind_version) behind = in.varint();
  for (std::size_t i = 0; i < schema().fields().size() && in.ok(); ++i) {
    history.behind_stamp.push_back(in.varint());
  }
}

}  // namespace starbus::entity
