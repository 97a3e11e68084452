// Replicas: bytes of the real entity are applied, whole or not at all.
#include "entity/properties/history/root_newest.hpp"
#include "entity/properties/path.hpp"
#include "entity/properties/wire.hpp"

namespace starbus::entity {
namespace {

template <class T>
T take_fixed(Decoder& in) {
  const ByteView bytes = in.take(sizeof(T));
  return in.ok() ? bus::load<T>(bytes.data()) : T{};
}

}  // namespace

void Root::become_replica(Audience audience) {
  attention_ = static_cast<std::uint8_t>((attention_ & kObservedBit) | kReplicaBit);
  save_watched_ = await_unsaved_ = false;
  journal().restart(std::uint32_t{0});
  journal_->replica_of = audience;
  journal_->synced = false;
}

void Root::become_real() {
  if (!is_replica()) return;
  attention_ = static_cast<std::uint8_t>(attention_ & ~kReplicaBit);
  begin_anew();
}

DataResult<> Root::apply_snapshot(ByteView bytes) {
  Decoder in(bytes, {.bytes = kMaxState});
  if (in.byte() != kSnapshotForm) in.fail(DataErrc::malformed);
  const std::uint8_t view = in.byte();
  if (view >= kViews) in.fail(DataErrc::malformed);
  const auto hash = take_fixed<std::uint64_t>(in);
  const auto lineage = take_fixed<std::uint32_t>(in);
  const std::uint8_t watching = in.byte();
  if ((watching & ~kAudienceBits) != 0) in.fail(DataErrc::malformed);
  const std::uint64_t stamp = in.varint();
  if (stamp > kMaxStamp) in.fail(DataErrc::malformed);
  std::array<std::uint64_t, kAudiences> versions{};
  for (std::uint64_t& version : versions) {
    const std::uint64_t behind = in.varint();
    if (behind > stamp) in.fail(DataErrc::malformed);
    version = stamp - behind;
  }
  const bool moved = view == static_cast<std::uint8_t>(View::migration);
  if (moved && lineage == 0 && watching != 0) in.fail(DataErrc::malformed);
  if (!in.ok()) return DataError(in.error());
  if (hash != schema().hash()) {
    return DataError(DataErrc::schema_mismatch, std::string(schema().name()));
  }
  if (moved) {
    if (const DataErrc why = refusal(attention_); why != DataErrc::ok) return DataError(why);
  }
  if (!moved && !is_replica()) return DataError(DataErrc::not_replica);
  if (!moved && view != static_cast<std::uint8_t>(journal_->replica_of)) {
    return DataError(DataErrc::wrong_audience);
  }
  const auto before = moved ? nullptr : state_for_observers();
  History history;
  if (const DataResult<> applied = apply_body(in, static_cast<View>(view), history); !applied)
    return applied;
  const Cause cause = journal_ == nullptr || !journal_->synced ? Cause::first
                      : journal_->lineage() == lineage         ? Cause::snapshot
                                                               : Cause::new_life;
  // The version of an audience that is not watched there does not grow. A ghost serves other
  // clients, and everything that they see ghosts see, too.
  const bool of_ghosts = view == static_cast<std::uint8_t>(View::ghost);
  if (of_ghosts && (watching & bit_of(Audience::other_clients)) == 0) {
    versions[static_cast<std::size_t>(Audience::other_clients)] =
        versions[static_cast<std::size_t>(Audience::ghost)];
  }
  // Properties that were never watched have no lineage.
  const bool begins = moved && lineage == 0;
  journal().restart(begins ? draw_lineage() : lineage, stamp, versions);
  journal_->synced = true;
  if (moved) {
    if (!begins) journal_->resume(history.floors(versions), history.last(stamp));
    attention_ = static_cast<std::uint8_t>(attention_ | watching);
    if ((watching & bit_of(Audience::save)) != 0) save_watched_ = true;
    journal_->set_all_sent();
    note_unsaved();
  } else if (watchers() != 0) {
    tell_listener();
  }
  if (before != nullptr) tell_differences(*before, cause);
  return {};
}

/// A copy of all fields, if there are observers to compare it for.
std::shared_ptr<StructBase> Root::state_for_observers() const {
  if (observers_ == nullptr || observers_->empty()) return nullptr;
  std::shared_ptr<StructBase> copy = schema().fresh();
  Transaction copied;
  restore_fields(schema(), *copy, *this, copied);
  copied.commit();
  return copy;
}

void Root::tell_differences(const StructBase& before, Cause cause) {
  Differences differences(*observers_, cause);
  differences.fields(schema(), before, *this);
  for (Change& change : std::move(differences).take(schema())) observers_->tell(std::move(change));
}

DataResult<> Root::apply_body(Decoder& in, View view, History& history) {
  Transaction undo;
  replace_fields(schema(), *this, view, in, undo);
  if (view == View::migration) read_history(in, history);
  if (in.finish() != DataErrc::ok) return DataError(in.error());
  undo.commit();
  return {};
}

/// The results of one call of apply_delta until all of it is known to be valid.
struct Root::Batch {
  struct Group {
    std::uint64_t stamp;
    std::size_t passing;  // how many of them, up to the end of this group
    Reach versions;
  };
  View view;
  std::uint64_t version;
  Transaction undo;
  std::vector<Passing> passing;
  std::vector<Group> groups;
  std::vector<Change> changes;
  Reach versions = 0;  // of the present group: the audiences that see a part of it
};

DataResult<> Root::apply_delta(ByteView bytes) {
  if (!is_replica()) return DataError(DataErrc::not_replica);
  Decoder in(bytes, {.bytes = kMaxState});
  if (in.byte() != kDeltaForm) in.fail(DataErrc::malformed);
  const std::uint8_t head = in.byte();
  const bool newest = (head & kNewestBit) != 0;
  const auto audience = static_cast<std::uint8_t>(head & ~kNewestBit);
  const auto lineage = take_fixed<std::uint32_t>(in);
  const std::uint64_t from = in.varint();
  const std::uint64_t more = in.varint();
  if (audience >= kAudiences || lineage == 0 || from > kMaxStamp || more > kMaxStamp - from) {
    in.fail(DataErrc::malformed);
  }
  if (!in.ok()) return DataError(in.error());
  if (audience != static_cast<std::uint8_t>(journal_->replica_of)) {
    return DataError(DataErrc::wrong_audience);
  }
  const Version had = version(journal_->replica_of);
  if (!journal_->synced || lineage != had.lineage || from > had.stamp) {
    return DataError(DataErrc::gap);
  }
  if (newest) {
    if (from + more <= had.stamp) return {};  // it has them
    return apply_newest(in, from + more);
  }
  Batch batch{view_of(journal_->replica_of), had.stamp, {}, {}, {}, {}};
  const DataErrc error = apply_groups(in, from, from + more, batch);
  if (error != DataErrc::ok) return DataError(error);
  batch.undo.commit();
  pass_on(batch);
  for (Change& change : batch.changes) observers_->tell(std::move(change));
  return {};
}

DataErrc Root::apply_groups(Decoder& in, std::uint64_t from, std::uint64_t to, Batch& batch) {
  std::uint64_t stamp = from;
  while (in.left() > 0 && in.ok()) {
    const std::uint64_t step = in.varint();
    if (step == 0 || step > to - stamp) {
      in.fail(DataErrc::malformed);
      break;
    }
    stamp += step;
    const std::uint64_t size = in.varint();
    if (size == 0 && stamp != to) in.fail(DataErrc::malformed);
    if (size > in.left()) in.fail(DataErrc::truncated);
    if (!in.ok()) break;
    if (stamp <= batch.version) {
      in.take(static_cast<std::size_t>(size));
      continue;
    }
    if (stamp <= journal_->stamp()) return DataErrc::malformed;
    batch.versions = 0;
    // By one decoder, so that all groups have one budget.
    const std::size_t behind = in.left() - static_cast<std::size_t>(size);
    while (in.ok() && in.left() > behind) {
      if (!in.charge(kChangeCost)) break;
      if (const DataErrc error = apply_change(in, batch); error != DataErrc::ok) return error;
    }
    if (in.ok() && in.left() < behind) in.fail(DataErrc::malformed);
    if (!in.ok()) break;
    batch.groups.push_back({stamp, batch.passing.size(), batch.versions});
  }
  if (in.ok() && stamp != to) in.fail(DataErrc::malformed);
  return in.error();
}

DataErrc Root::apply_change(Decoder& in, Batch& batch) {
  const std::uint8_t head = in.byte();
  const auto depth = static_cast<std::uint8_t>(head & 7);
  if (depth == 0 || head >> 3 >= static_cast<int>(kOperations)) return DataErrc::malformed;
  const ByteView whole = in.rest();
  Spot spot;
  if (const DataErrc error = walk(in, depth, spot); error != DataErrc::ok) return error;
  const Reach reach = spot.reach;
  if ((reach & bit_of(batch.view)) == 0) return DataErrc::malformed;
  batch.versions = static_cast<Reach>(batch.versions | (reach & kAudienceBits));

  const ByteView address = whole.first(whole.size() - in.left());
  const bool watching = observed(address);
  Replay replay{batch.view,
                in,
                batch.undo,
                static_cast<Operation>(head >> 3),
                address,
                depth,
                static_cast<Reach>(reach & attention_ & kAudienceBits),
                watching,
                batch.passing};
  const ByteView payload = in.rest();
  spot.type->apply(spot.field, replay);
  if (!in.ok()) return in.error();
  if (replay.pass != 0 && replay.changed && !replay.passed) {
    const ByteView used = payload.first(payload.size() - in.left());
    batch.passing.push_back({replay.pass, replay.operation, depth,
                             Bytes(address.begin(), address.end()), Bytes(used.begin(), used.end()),
                             replay.key});
  }
  if (watching && replay.changed) {
    batch.changes.push_back({path_text(this->schema(), address), replay.operation,
                             std::move(replay.old), Bytes(address.begin(), address.end()),
                             Cause::delta});
  }
  return DataErrc::ok;
}

void Root::pass_on(Batch& batch) {
  std::size_t next = 0;
  for (const Batch::Group& group : batch.groups) {
    for (; next < group.passing; ++next) {
      const Passing& change = batch.passing[next];
      journal_->record({change.audiences, change.operation, change.depth, change.address,
                        change.payload, change.key, change.moved_too});
    }
    journal_->seal_as(group.stamp, static_cast<Reach>(group.versions | bit_of(batch.view)));
  }
  if (watchers() != 0) tell_listener();
}

}  // namespace starbus::entity
