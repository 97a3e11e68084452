/// ClientLink: what an entity knows of the client that plays it, and the home's half of the
/// protocol of sessions (docs/design/sessions.md). It travels with the entity.
///
/// Sans-IO: words and the clock come in, `Effects` come out; parts wait here until home_lines.hpp
/// hands them to the bus, and get their numbers when the bus has taken them. Calls go first, in
/// their order and without credit; properties and droppable updates share what credit there is,
/// and have no number while they wait: so nothing that has one is ever dropped. One hand on the
/// wheel: a link obeys one session, that of the highest bind. Belongs to the loop's thread and to
/// its entity. Says and hears nothing while frozen. Treats what gates say as hostile: what does not
/// fit is answered, and changes nothing.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/compact_queue.hpp"
#include "entity/client/droppables.hpp"
#include "entity/client/error.hpp"
#include "entity/client/limits.hpp"
#include "entity/client/parts.hpp"
#include "entity/client/words.hpp"

namespace starbus::entity::sessions {

/// All that travels. A plain value; ClientLink keeps it in order.
struct LinkState {
  SessionId session{};  // zero: no client
  GateId gate{};
  std::uint32_t turn = 0;
  Key seal{};             // of the pass of the next relink
  std::string account{};  // that has linked it last
  Bind bind{};            // of the stretch
  Bind top{};             // the highest that it has obeyed, of unlinks, too
  std::uint64_t login = 0;
  Bind since{};
  std::uint64_t up_done = 0;
  std::vector<std::uint64_t> open{};
  Run run{};
  std::uint64_t next = 1;               // n of the next part
  bool full_due = false;                // that is the full state
  bool closing = false;                 // its last word waits to be sent
  bool lost = false;                    // it was void, and asks its account
  std::uint64_t acked = 0;              // by the client, of this run
  std::uint64_t allowed = 0;            // bytes beyond these
  CompactQueue<std::uint32_t> sizes{};  // of the parts acked + 1 .. next - 1
  std::vector<std::string> groups{};
  CompactQueue<Part> unsent{};
  // When it was packed:
  std::optional<LinkTime> away{};          // for how long
  std::vector<WaitingUpdate> droppable{};  // updates that have no number yet

  friend bool operator==(const LinkState& a, const LinkState& b);
};
void encode(const LinkState& state, bus::Bytes& out);
/// Errors: those of a decoder; malformed also if it breaks an invariant of the link.
DataResult<LinkState> decode_link(bus::ByteView bytes);

/// Who says a word: the process that the bus has stamped, and whether it is a gate. Accounts are
/// servers.
struct Sender {
  bus::Process process{};
  bool gate = false;
};

/// What a call of the link wants done by its owner.
struct Effects {
  struct ForGate {
    GateId to;
    ToGate word;
  };
  struct ForAccount {
    std::string channel;
    ToAccount word;
  };
  /// A request that has begun: to be run, and answered with reply(login, u).
  struct Begin {
    std::uint64_t login;
    std::uint64_t u;
    bus::Bytes body;
  };
  std::vector<ForGate> gates{};
  std::vector<ForAccount> accounts{};
  std::optional<Begin> begin{};
  bool send = false;             // something waits to be sent
  bool news = false;             // properties may be told again
  bool linked = false;           // a client plays it from now on
  std::optional<Reason> gone{};  // and not any more
};

class ClientLink {
 public:
  /// `subject`: the channel of its entity.
  explicit ClientLink(std::string subject) : subject_(std::move(subject)) {}
  ClientLink(std::string subject, LinkState state, LinkTime now);

  /// A client plays the entity.
  bool linked() const { return static_cast<bool>(state_.session) && !state_.closing; }
  /// It is not reached at present: its gate is gone.
  bool away() const { return away_since_.has_value(); }
  bool frozen() const { return frozen_; }
  const LinkState& state() const { return state_; }
  const std::string& subject() const { return subject_; }

  // --- what the entity says ---

  /// Errors: no_client, too_large, frozen; too_slow, with which the session has ended.
  Result<> call(Body body, Effects& out);
  /// Errors: as call; too_many_groups.
  Result<> join(const std::string& group, Effects& out);
  Result<> leave(const std::string& group, Effects& out);
  /// Says an update when there is credit, if no newer one of its slot has come by then, and while
  /// it is of use: never before what was said before it. Errors: no_client, too_large, frozen.
  Result<> droppable(std::uint64_t slot, const DropRule& rule, Body body, LinkTime now,
                     Effects& out);
  /// What the slot is about is gone: its update is dropped.
  void drop(std::uint64_t slot) { droppables_.erase(slot); }
  /// Whether changes of properties may be said: there is credit, and the full state has gone.
  bool wants_news() const;
  /// There are changes that wait for wants_news(), or there are none any more.
  void note_news(bool wait) { news_wait_ = wait; }
  /// Those that wait may be said now.
  bool news_due() const { return news_wait_ && wants_news(); }
  /// Only if wants_news().
  void news(Body body, Effects& out);
  /// As wants_news(), for what the player sees. While that waits, as noted, droppable updates leave
  /// half of the credit to it and to properties.
  bool wants_sight() const { return wants_news(); }
  void note_sight(bool wait) { sight_wait_ = wait; }
  /// Errors: as call; no_credit if not wants_sight(), which is noted.
  Result<> sight(Body body, Effects& out);
  /// To a request that has begun. False: nobody waits for it any more.
  bool reply(std::uint64_t login, std::uint64_t u, bus::Bytes answer, Effects& out);
  /// Lets the client go: its last part says why, and its account is told.
  void let_go(Reason reason, Effects& out);

  // --- what it is told ---

  /// Obeys a word, or says why not: nothing has changed then. The answer goes back to its sender.
  /// It must not be frozen.
  Answer take(const ToSubject& word, const Sender& from, LinkTime now, Effects& out);
  /// The process of a gate has died, or is a gate no more.
  void gate_died(const bus::Process& process, LinkTime now);
  /// Ends a session whose client is away too long; repeats what must be repeated.
  void tick(LinkTime now, Effects& out);

  // --- the life of its entity ---

  /// The entity owns its name under this epoch. Before that the link says nothing.
  void owned(std::uint64_t epoch, Effects& out);
  /// It has come from `before`: its first part says so. Then owned().
  void arrived(const bus::Process& before);
  /// Nothing is said from here; the state that travels.
  LinkState freeze(LinkTime now);
  /// The move was given up, under the same lineage.
  void thaw(Effects& out) {
    frozen_ = false;
    out.send = true;
  }
  /// The move was rolled back under a fresh lineage: the target may have spoken, so this link is
  /// void, and its account is asked for a new bind.
  void rolled_back(LinkTime now, Effects& out);

  // --- sending: for HomeLines ---

  /// Updates that are too old are dropped: before ready() and draft(), so that none gets a number.
  void expire(LinkTime now) { droppables_.expire(now); }
  /// Whether draft() has something.
  bool ready() const;
  bool full_due() const { return state_.full_due; }
  /// What is to be sent now, at most so many bytes and parts, but one part at least. `properties`:
  /// the snapshot, if full_due(). `fresh`: the handle if one is introduced. Nothing has changed
  /// until taken().
  Section draft(std::size_t bytes, std::size_t parts, bus::Bytes properties,
                std::uint32_t fresh) const;
  /// The bus has taken what draft() returned: the numbers are drawn.
  void taken(const Section& sent);

  const Droppables& droppables() const { return droppables_; }

 private:
  Answer on(const SetLink& word, const Sender& from, LinkTime now, Effects& out);
  Answer on(const Unlink& word, const Sender& from, LinkTime now, Effects& out);
  Answer on(const Relink& word, const Sender& from, LinkTime now, Effects& out);
  Answer on(const Resync& word, const Sender& from, LinkTime now, Effects& out);
  Answer on(const Pulse& word, const Sender& from, LinkTime now, Effects& out);
  Answer on(const Credit& word, const Sender& from, LinkTime now, Effects& out);
  Answer on(const ClientGone& word, const Sender& from, LinkTime now, Effects& out);
  Answer on(const Unknown& word, const Sender& from, LinkTime now, Effects& out);
  Answer on(const Request& word, const Sender& from, LinkTime now, Effects& out);

  Answer answer(AnswerKind kind) const;
  Answer outdated() const;
  Answer stranger(const SessionId& session, const Bind& bind) const;
  bool obeys(const SessionId& session, const Sender& from) const {
    return linked() && session == state_.session && from.gate &&
           from.process == state_.gate.process;
  }
  Closing closing_word() const { return {state_.login, state_.up_done, state_.since, state_.open}; }
  void take_closing(const SetLink& word);
  bool has_credit(std::size_t more) const;
  bool may_update(std::size_t more) const;
  void lead(std::int64_t bytes);
  Result<> may_say(const Body& body, Effects& out);
  void say(PartKind kind, Body body, Effects& out);
  void say_numbers(Effects& out);
  void say_last(Reason reason, Effects& out);
  void new_run(Effects& out);
  void end_stretch();
  /// Drops unsent parts but those that `keep` wants; a request whose reply goes is open no more.
  template <class Keep>
  void keep_unsent(Keep keep) {
    state_.unsent.erase_if([&](const Part& part) {
      if (keep(part)) return false;
      if (part.kind == PartKind::reply) std::erase(state_.open, request_of(part));
      unsent_bytes_ -= part.body->size();
      return true;
    });
  }
  static std::uint64_t request_of(const Part& reply);

  std::string subject_;
  LinkState state_;
  std::uint64_t epoch_ = 0;      // 0: not owned yet
  std::uint64_t in_flight_ = 0;  // bytes of state_.sizes
  std::uint64_t unsent_bytes_ = 0;
  Droppables droppables_;
  bool news_wait_ = false;
  bool sight_wait_ = false;
  std::int64_t lead_ = 0;  // bytes of properties and sight before updates, while both wait
  std::uint32_t handle_ = 0;
  bool introduced_ = false;
  bool frozen_ = false;
  std::optional<LinkTime> away_since_;
  LinkTime ask_at_{};  // while it is lost
  LinkTime heard_{};   // a word of its gate or its account
};

}  // namespace starbus::entity::sessions
