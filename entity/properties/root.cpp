#include "entity/properties/root.hpp"

#include "entity/properties/path.hpp"
#include "entity/properties/wire.hpp"

namespace starbus::entity {
namespace {

template <class T>
void put_fixed(Encoder& out, T value) {
  std::byte bytes[sizeof value];
  bus::store(bytes, value);
  out.raw(bytes, sizeof bytes);
}

}  // namespace

Root::~Root() = default;

Journal& Root::journal() {
  if (journal_ == nullptr) {
    // A declaration that breaks a limit shows here, before anything is recorded.
    journal_ = std::make_unique<Journal>(draw_lineage(), schema().fields().size());
  }
  return *journal_;
}

std::uint32_t Root::draw_lineage() const {
  return Lineages::of_process().draw(schema().hash());
}

void Root::watch(Audience audience) {
  if (watched(audience)) return;
  if (is_replica() &&
      (journal_->replica_of != Audience::ghost || audience != Audience::other_clients)) {
    throw BadData({DataErrc::wrong_audience, "a replica can only be watched for other clients"});
  }
  journal().open(audience, is_replica());
  if (audience == Audience::save) save_watched_ = true;
  attention_ = static_cast<std::uint8_t>(attention_ | bit_of(audience));
}

void Root::unwatch(Audience audience) {
  if (audience == Audience::save) {
    save_watched_ = false;
    if (await_unsaved_) return;
  }
  attention_ = static_cast<std::uint8_t>(attention_ & ~bit_of(audience));
}

Reach Root::seal() {
  return journal_ == nullptr || is_replica() ? Reach{0} : journal_->seal();
}

Version Root::version(Audience audience) const {
  if (journal_ == nullptr) return {};
  return {journal_->lineage(), journal_->version(audience)};
}

DataResult<> Root::encode_delta(Audience audience, const Version& since, Bytes& out) const {
  if (!watched(audience) || since.lineage != journal_->lineage() || since.lineage == 0) {
    return DataError(DataErrc::history_lost);
  }
  const std::uint64_t to = journal_->version(audience);
  if (since.stamp > to || since.stamp < journal_->floor(audience)) {
    return DataError(DataErrc::history_lost);
  }
  Encoder encoder(out, kMaxState);
  const bool ordered = journal_->keeps_order(audience, since.stamp);
  encoder.byte(kDeltaForm);
  encoder.byte(static_cast<std::uint8_t>(static_cast<unsigned>(audience) |
                                         (ordered ? 0U : unsigned{kNewestBit})));
  put_fixed(encoder, journal_->lineage());
  encoder.varint(since.stamp);
  encoder.varint(to - since.stamp);
  if (ordered) {
    journal_->collect(audience, since.stamp, encoder);
  } else {
    encode_newest(audience, since.stamp, encoder);
  }
  if (const DataErrc error = encoder.error(); error != DataErrc::ok) {
    encoder.rewind(0);
    return DataError(error);
  }
  return {};
}

DataResult<> Root::encode_snapshot(View view, Bytes& out) {
  seal();
  Encoder encoder(out, kMaxState);
  encoder.byte(kSnapshotForm);
  encoder.byte(static_cast<std::uint8_t>(view));
  put_fixed(encoder, schema().hash());
  put_fixed(encoder, journal_ == nullptr ? std::uint32_t{0} : journal_->lineage());
  encoder.byte(watchers());
  const std::uint64_t stamp = journal_ == nullptr ? 0 : journal_->stamp();
  encoder.varint(stamp);
  for (std::size_t i = 0; i < kAudiences; ++i) {
    encoder.varint(stamp - version(static_cast<Audience>(i)).stamp);
  }
  encode_fields(schema(), *this, view, encoder);
  if (view == View::migration) encode_history(encoder);
  if (const DataErrc error = encoder.error(); error != DataErrc::ok) {
    encoder.rewind(0);
    return DataError(error);
  }
  return {};
}

Reach Root::news() {
  if (watchers() == 0) return 0;
  seal();
  Reach with_news = 0;
  for (std::size_t i = 0; i < kAudiences; ++i) {
    const auto audience = static_cast<Audience>(i);
    if (!watched(audience) || !journal_->has_news(audience)) continue;
    with_news = static_cast<Reach>(with_news | bit_of(audience));
  }
  return with_news;
}

DataResult<> Root::take_news(Audience audience, Bytes& out) {
  const Version sent{journal_->lineage(), journal_->sent(audience)};
  DataResult<> encoded = encode_delta(audience, sent, out);
  if (!encoded) encoded = encode_snapshot(view_of(audience), out);
  if (encoded) journal_->set_sent(audience);
  return encoded;
}

void Root::drop_news(Audience audience) {
  if (watched(audience)) journal_->set_sent(audience);
}

void Root::begin_anew() {
  if (journal_ == nullptr || is_replica()) return;
  journal_->restart(draw_lineage());
  if (watchers() != 0) tell_listener();
}

// The bit of the audience brings the next write here; `save_watched_` says what else it is for.
void Root::await_unsaved() {
  if (is_replica()) return;
  await_unsaved_ = true;
  attention_ = static_cast<std::uint8_t>(attention_ | bit_of(Audience::save));
}

void Root::note_unsaved() {
  if (!std::exchange(await_unsaved_, false)) return;
  if (!save_watched_) {
    attention_ = static_cast<std::uint8_t>(attention_ & ~bit_of(Audience::save));
  }
  if (listener_ != nullptr) listener_->unsaved(tag_);
}

// One write may come here several times, with the attention of its beginning.
void Root::record_for_others(const Journal::Entry& entry) {
  note_unsaved();
  Journal::Entry others = entry;
  others.audiences = static_cast<Reach>(entry.audiences & ~bit_of(Audience::save));
  if (others.audiences == 0) return;
  journal_->record(others);
  tell_listener();
}

void Root::tell(const Address& address, Operation operation, std::any old) {
  const ByteView bytes = address.bytes();
  observers_->tell({path_text(schema(), bytes), operation, std::move(old),
                    Bytes(bytes.begin(), bytes.end()), Cause::write});
}

const void* Root::field_at(ByteView address) {
  Decoder in(address);
  StructBase* owner = this;
  for (const Schema* at = &schema(); at != nullptr;) {
    const FieldInfo* const field = at->find(in.byte());
    if (field == nullptr || !in.ok()) return nullptr;
    if (in.left() == 0) return field->of(*owner);
    owner = field->type->descend(field->of(*owner), in);
    if (owner == nullptr) return nullptr;
    at = field->type->nested();
  }
  return nullptr;
}

void Root::unobserve(ObserverId id) {
  if (observers_ == nullptr) return;
  observers_->remove(id);
  if (observers_->empty()) attention_ = static_cast<std::uint8_t>(attention_ & ~kObservedBit);
}

std::size_t Root::memory() const {
  const std::size_t recording = journal_ == nullptr ? 0 : sizeof(Journal) + journal_->memory();
  return recording + (observers_ == nullptr ? 0 : sizeof(Observers));
}

}  // namespace starbus::entity
