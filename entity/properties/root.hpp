#pragma once

#include <memory>
#include <utility>

#include "entity/properties/history/journal.hpp"
#include "entity/properties/history/lineage.hpp"
#include "entity/properties/observers.hpp"
#include "entity/properties/schema.hpp"
#include "entity/properties/scratch.hpp"

namespace starbus::entity {

/// Gathers changes of many entities, so that no pass over all of them is needed.
class ChangeListener {
 public:
  /// There is a change for a watcher, the first since listen(). `tag` is the one
  /// that was given there. Within the write: it may note it down, and no more.
  virtual void changed(std::uint64_t tag) = 0;
  /// A saved field is written, the first since await_unsaved(). As above.
  virtual void unsaved(std::uint64_t tag) { static_cast<void>(tag); }

 protected:
  ~ChangeListener() = default;
};

/// The operations of all properties of entities: be watched, tell what
/// changed, be a replica, be saved and loaded, be inspected. Owned by its entity, which does not
/// move in memory; used by the thread that owns the entity, never by two. Failing calls change
/// nothing.
class Root : public StructBase {
 public:
  Root(const Root&) = delete;
  Root& operator=(const Root&) = delete;
  virtual ~Root();

  /// The fields of its class.
  virtual const Schema& schema() const = 0;

  // --- Telling others: the real entity --------------------------------------------------------

  /// Changes that `audience` sees are recorded from now on. A new watcher begins with a snapshot.
  void watch(Audience audience);
  /// The last watcher left. A later watch() begins again: old versions are refused.
  void unwatch(Audience audience);
  bool watched(Audience audience) const { return (watchers() & bit_of(audience)) != 0; }
  /// A bit for each audience that is.
  Reach watchers() const {
    const Reach saved = bit_of(Audience::save);
    const unsigned bits = attention_ & kAudienceBits;
    return static_cast<Reach>(save_watched_ ? bits : bits & ~static_cast<unsigned>(saved));
  }

  /// Ends the tick and gives each watched audience that has news its bytes, once, ghosts first:
  /// send(Audience, ByteView), which may not touch this object. They are a delta from the last sent
  /// state, or a snapshot if the state was replaced since. An error: that
  /// audience's state is larger than kMaxState; the others got theirs.
  template <class Send>
  DataResult<> flush(Send&& send);

  /// The same in steps, for callers that send to some audiences in other ways. Ends the tick; a bit
  /// for each watched audience that has news.
  Reach news();
  /// Appends the news of one of those, as flush sends them. Error: as of flush; they stay news.
  DataResult<> take_news(Audience audience, Bytes& out);
  /// The audience got the state in another way: it has no news.
  void drop_news(Audience audience);
  /// Tells `listener` once, at the next change for a watcher; then it has to be called again. Null:
  /// no listener. The listener outlives this object.
  void listen(ChangeListener* listener, std::uint64_t tag) {
    listener_ = listener;
    tag_ = tag;
    listening_ = listener != nullptr;
  }
  /// False after its call, until listen() is called again.
  bool listened() const { return listening_; }

  /// Ends the tick without sending: the changes so far are one step. Returns the audiences with
  /// news.
  Reach seal();
  /// The latest version that `audience` can have. Its stamp grows by whole ticks; its lineage
  /// stays, also through moves by snapshot, and is another one for the same entity when it is
  /// loaded again.
  Version version(Audience audience) const;
  /// Appends the changes for `audience` after `since`, up to the last sealed tick: those of one
  /// tick in their order, and of several the newest value of each part that has changed, once.
  /// history_lost if `since` is older than the watching of the audience, was never a version, or is
  /// one of another lineage.
  DataResult<> encode_delta(Audience audience, const Version& since, Bytes& out) const;
  /// Seals, then appends all that the view sees, with the versions. `migration` is everything that
  /// travels to another process, of whatever audience.
  DataResult<> encode_snapshot(View view, Bytes& out);

  /// Another process may have gone on from the same state and sent its changes: from now on this
  /// object has another lineage, and its watchers take a snapshot.
  void begin_anew();

  /// After the arrival by a snapshot for migration: what did not travel has its defaults, and is
  /// news for those who see it. What else has changed since a version of the former process can be
  /// asked for as before; of changes within structs and containers only the field is known. True:
  /// there are news.
  bool tell_what_stayed_behind();

  // --- Being a replica ------------------------------------------------------------------------

  /// From now on only apply_ functions change this object, until become_real(): writing is refused.
  /// It has no state and no version: it takes a snapshot first.
  void become_replica(Audience audience);
  /// Takes the place of the real entity, which may have had later changes than this copy: begins a
  /// new lineage.
  void become_real();
  bool is_replica() const { return (attention_ & kReplicaBit) != 0; }

  // --- While its entity moves -------------------------------------------------------------------

  /// Its state was packed to live on elsewhere: every write, load and reset is refused as `frozen`
  /// until thaw(), so that nothing is written that is lost. Reading goes on. Both idempotent.
  void freeze() { attention_ = static_cast<std::uint8_t>(attention_ | kFrozenBit); }
  void thaw() { attention_ = static_cast<std::uint8_t>(attention_ & ~kFrozenBit); }
  bool frozen() const { return (attention_ & kFrozenBit) != 0; }
  /// Why writing is refused with these bits of attention(); ok: it is not.
  static DataErrc refusal(std::uint8_t attention) {
    if ((attention & kReplicaBit) != 0) return DataErrc::replica;
    return (attention & kFrozenBit) != 0 ? DataErrc::frozen : DataErrc::ok;
  }

  /// Applies the bytes of encode_delta, all or nothing. Ticks that this replica has are skipped. Of
  /// newest values observers get the differences, as of a snapshot.
  /// gap: changes in between are missing, or it is of another lineage; desync and malformed: take a
  /// snapshot.
  DataResult<> apply_delta(ByteView bytes);
  /// Applies the bytes of encode_snapshot for this replica's audience; or for migration, into a
  /// fresh object that is not a replica and then goes on where the source stopped. Observers of a
  /// replica get what is different now, field by field in the order of the schema, each with its
  /// Cause; those of a fresh object that takes over are not called.
  DataResult<> apply_snapshot(ByteView bytes);

  // --- Saving and lifetimes -------------------------------------------------------------------

  /// The state of now is saved, or on its way to be: the next write of a saved field calls
  /// ChangeListener::unsaved(), once. Until then such a write costs a call, and after it that of a
  /// field that is not saved: nothing is recorded for saving.
  void await_unsaved();
  /// The saved form, by name: View::save, or View::migration for a process with other declarations.
  DataResult<> encode_saved(View view, Bytes& out) const;
  /// Reads the saved form into this object: fields that were not saved get their defaults. Does not
  /// call observers; watchers must take a snapshot.
  DataResult<LoadReport> load_saved(ByteView bytes);
  /// Fields of this or a shorter lifetime become their defaults, by ordinary writes.
  DataResult<> reset(Lifetime lifetime);

  // --- Looking at it --------------------------------------------------------------------------

  /// All fields, of all audiences.
  nlohmann::json to_json() const;
  /// "stats.strength", "marks[2]", "prices[\"sword\"]", "items[1001].count".
  DataResult<nlohmann::json> get(std::string_view path) const;
  /// Ordinary writes: recorded, observed, refused on a replica.
  DataResult<> set(std::string_view path, const nlohmann::json& value);

  // --- Observers in this process --------------------------------------------------------------

  /// Calls after every change of the field at `path`, or below it: a write here, or the delta of a
  /// replica, after the whole of it, or a difference that a replica's snapshot has brought.
  /// Observers may write, observe and unobserve; changes that they cause come to observers after
  /// this one. They may not destroy the entity.
  DataResult<ObserverId> observe(std::string_view path, Observer observer);
  void unobserve(ObserverId id);
  /// Changes that observers did not get because of kMaxCascade.
  std::uint64_t untold() const { return observers_ == nullptr ? 0 : observers_->untold(); }

  /// Bytes that recording and observing occupy at present, beside the object itself.
  std::size_t memory() const;

  // --- For fields -----------------------------------------------------------------------------

  /// A change: for watchers, for observers of a path, and whether there are any.
  void record(const Journal::Entry& entry) {
    const Reach saved = bit_of(Audience::save);
    if ((entry.audiences & saved) != 0 && !save_watched_) [[unlikely]] {
      return record_for_others(entry);
    }
    if ((entry.audiences & saved) != 0) note_unsaved();
    journal_->record(entry);
    tell_listener();
  }
  void tell(const Address& address, Operation operation, std::any old);
  DataResult<ObserverId> add_observer(ByteView address, Observer observer);
  bool observed(ByteView address) const {
    return observers_ != nullptr && observers_->wanted(address);
  }
  /// The field at the address of a change, of the type that is declared there. Null: the item that
  /// it stands in is gone.
  const void* field_at(ByteView address);

 protected:
  Root() = default;

 private:
  Journal& journal();
  std::uint32_t draw_lineage() const;
  struct Batch;
  struct Target;
  struct Spot;
  struct History;
  DataErrc apply_groups(Decoder& in, std::uint64_t from, std::uint64_t to, Batch& batch);
  DataErrc apply_change(Decoder& in, Batch& batch);
  DataErrc walk(Decoder& in, std::uint8_t depth, Spot& spot) const;
  void encode_newest(Audience audience, std::uint64_t since, Encoder& out) const;
  DataResult<> apply_newest(Decoder& in, std::uint64_t to);
  void encode_history(Encoder& out) const;
  void read_history(Decoder& in, History& history) const;
  void pass_on(Batch& batch);
  DataResult<> apply_body(Decoder& in, View view, History& history);
  std::shared_ptr<StructBase> state_for_observers() const;
  void tell_differences(const StructBase& before, Cause cause);
  DataResult<Target> resolve(std::string_view path);
  void tell_listener() {
    if (std::exchange(listening_, false)) listener_->changed(tag_);
  }
  void note_unsaved();
  void record_for_others(const Journal::Entry& entry);

  bool listening_ = false;     // for the next change; the flags fill a gap after the base
  bool save_watched_ = false;  // Audience::save has a watcher, and not only this:
  bool await_unsaved_ = false;

  std::unique_ptr<Journal> journal_;      // from the first watch on
  std::unique_ptr<Observers> observers_;  // from the first observer on
  ChangeListener* listener_ = nullptr;
  std::uint64_t tag_ = 0;
};

template <class Send>
DataResult<> Root::flush(Send&& send) {
  const Reach with_news = news();
  DataResult<> result;
  for (std::size_t i = 0; i < kAudiences && with_news != 0; ++i) {
    const auto audience = static_cast<Audience>(i);
    if ((with_news & bit_of(audience)) == 0) continue;
    Scratch bytes;
    if (const DataResult<> encoded = take_news(audience, bytes.bytes()); !encoded) {
      result = encoded;
    } else {
      send(audience, ByteView(bytes.bytes()));
    }
  }
  return result;
}

}  // namespace starbus::entity
