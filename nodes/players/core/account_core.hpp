/// AccountCore: the account's half of the protocol of sessions (docs/design/sessions.md): who has
/// the account, and which entity (the subject) that session plays.
///
/// Sans-IO: words, outcomes and the clock come in, `AccountEffects` come out. Every change is
/// **stored before it is told**: what comes while the disk works waits, up to kAccountAsks and
/// kAccountHeard. One question to a subject is open at a time, so that what one has taken is known
/// before the next is told. Belongs to one thread. Gates are hostile: what does not fit is
/// answered, and changes nothing. An account that hears of a bind of a later owner is stale: it
/// answers `later` from then on, and binds nobody.
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "entity/client/link.hpp"
#include "nodes/players/core/account_effects.hpp"
#include "nodes/players/core/error.hpp"
#include "nodes/players/core/limits.hpp"

namespace starbus::nodes::players {

using sessions::LinkTime;
using sessions::Sender;

/// Whose core it is.
struct AccountOptions {
  std::string account{};  // its own channel
  std::string first{};  // the subject of a session that has chosen none: the account, or an entity
  /// The account, as `first`, takes over when its subject ends the play (Reason::ended).
  bool comes_back = true;
};

struct AccountCounters {
  std::uint64_t binds = 0;          // that were drawn
  std::uint64_t refused = 0;        // words of gates that did not fit
  std::uint64_t later = 0;          // words that were answered so
  std::uint64_t words_dropped = 0;  // of entities: kAccountHeard
  std::uint64_t loads = 0;          // of subjects
};

class AccountCore {
 public:
  explicit AccountCore(AccountOptions options);

  /// Its process owns the name under this epoch, and this is what is stored. A session that is
  /// stored is bound again: the account may have died in the middle of anything.
  void owned(std::uint64_t epoch, const std::optional<AccountRow>& stored, AccountEffects& out);

  // --- what it is asked ---

  /// A word of a gate or a login; answered under this number, at once or after a store. `ticket`:
  /// that of a BindSession, if it is good.
  void ask(std::uint64_t number, const sessions::AskAccount& word, const Sender& from,
           const std::optional<TicketSeen>& ticket, AccountEffects& out);
  /// A word of an entity; one of a gate is not heard.
  void hear(const sessions::ToAccount& word, const Sender& from, AccountEffects& out);
  /// This session, under this bind, plays another entity from now on. Errors: no_session,
  /// same_subject; busy: it is being stored, or goes to another one.
  Result<> choose(const SessionId& session, const Bind& bind, const std::string& subject,
                  AccountEffects& out);
  /// Ends its session: the client is told why. Errors: no_session; busy, as choose.
  Result<> end(Reason reason, AccountEffects& out);
  /// The next session begins with `first` again. Errors: busy (also while it has a session).
  Result<> rest(AccountEffects& out);

  // --- what comes of its effects ---

  /// It is on the disk: what follows from it is told.
  void stored(std::uint64_t number, AccountEffects& out);
  /// Whether it was stored is not known: it is stored again, and told after that.
  void store_failed(std::uint64_t number, LinkTime now, AccountEffects& out);
  void answered(std::uint64_t question, Outcome outcome,
                const std::optional<sessions::Answer>& answer, LinkTime now, AccountEffects& out);
  /// `there`: the name has an owner now.
  void loaded(std::uint64_t question, bool there, LinkTime now, AccountEffects& out);
  /// Does what is due; call it when wakes() has come.
  void tick(LinkTime now, AccountEffects& out);
  std::optional<LinkTime> wakes() const;

  const AccountRow& row() const { return row_; }
  /// All is stored and told, and the subject has the session if there is one.
  bool settled() const { return storing_ == 0 && !asked_ && !due_ && !again_at_; }
  bool stale() const { return stale_; }
  const AccountCounters& counters() const { return counters_; }

 private:
  struct Asked {
    std::uint64_t number;
    sessions::AskAccount word;
    Sender from;
    std::optional<TicketSeen> ticket;
  };
  struct SubjectSaid {
    std::uint64_t question;
    Outcome outcome;
    std::optional<sessions::Answer> answer;
  };
  struct LoadEnded {
    std::uint64_t question;
    bool there;
  };
  using Input = std::variant<Asked, sessions::ToAccount, SubjectSaid, LoadEnded>;
  /// The open question to a subject.
  enum class Kind : std::uint8_t { link, unlink, look, load, load_lost };
  struct Question {
    std::uint64_t number;
    Kind kind;
    Bind bind;
  };

  void take(Input input, AccountEffects& out);
  bool full(const Input& input, AccountEffects& out);
  void run(const Asked& asked, AccountEffects& out);
  void run(const sessions::ToAccount& word, AccountEffects& out);
  void run(const SubjectSaid& said, AccountEffects& out);
  void run(const LoadEnded& ended, AccountEffects& out);
  void prove(const Asked& asked, AccountEffects& out);
  void bind(const Asked& asked, const sessions::BindSession& word, AccountEffects& out);
  void where(const Asked& asked, const sessions::Where& word, AccountEffects& out);
  void relink(const Asked& asked, const sessions::Relink& word, AccountEffects& out);
  void on_left(const sessions::Left& word, AccountEffects& out);
  void on_lost(const sessions::LinkLost& word, AccountEffects& out);

  std::optional<sessions::AccountAnswerKind> refuses(const sessions::BindSession& word,
                                                     const std::optional<TicketSeen>& ticket) const;
  void reply(const Asked& asked, sessions::AccountAnswerKind kind, AccountEffects& out);
  void later(const Asked& asked, AccountEffects& out);
  sessions::AccountAnswer answer(sessions::AccountAnswerKind kind) const;

  Bind draw();
  void save(AccountEffects& out);
  void step(AccountEffects& out);
  void tell(AccountEffects& out);
  void look(AccountEffects& out);
  void load(bool lost, AccountEffects& out);
  void linked(const SubjectSaid& said, AccountEffects& out);
  void unlinked(const SubjectSaid& said, AccountEffects& out);
  void looked(const SubjectSaid& said, AccountEffects& out);
  void outdated(const sessions::Answer& answer, AccountEffects& out);
  void close(Reason reason, const std::optional<Closing>& closing, AccountEffects& out);
  void again() { again_at_ = now_ + kLinkAgain; }

  AccountOptions options_;
  AccountRow row_;
  std::uint64_t epoch_ = 0;
  std::uint64_t counter_ = 0;
  LinkTime now_{};

  std::uint64_t storing_ = 0;           // number of the store that is under way; 0: none
  std::optional<LinkTime> store_at_{};  // it has failed, and is repeated then
  AccountEffects after_{};              // told when it is stored
  CompactQueue<Input> waiting_{};       // until then

  std::optional<Question> asked_{};
  bool due_ = false;     // the subject is to be told the row as it is
  bool loaded_ = false;  // a load was tried, and again() has not passed since
  std::optional<LinkTime> again_at_{};
  std::optional<LinkTime> look_at_{};  // whether the subject still has the session
  bool stale_ = false;
  std::uint64_t numbers_ = 0;
  AccountCounters counters_;
};

}  // namespace starbus::nodes::players
