/// Whom a session plays: what the account says, what the subject answers, and the end of a session.
/// A role of GateCore; belongs to
/// the loop's thread.
#pragma once

#include "nodes/gate/core/desk.hpp"

namespace starbus::nodes::gate {

class Subjects {
 public:
  explicit Subjects(Desk& desk) : desk_(desk) {}

  /// Asks the account to bind a fresh session to its character; before that, where the session is
  /// that its client would rather go on with.
  void enter(Session& session);
  /// Asks the account whom it plays; once at a time.
  void locate(Session& session);
  /// What was asked and not answered, again.
  void work(Session& session);

  /// The outcome of a question to the account.
  void account_said(const Question& question, Outcome outcome, bus::ByteView bytes);
  /// The outcome of a question to the subject.
  void subject_said(const Question& question, Outcome outcome, bus::ByteView bytes);
  /// Words of accounts and subjects that were not asked for.
  void told(const sessions::ToGate& word);

  /// The session has ended: the client is told, and those that still forward.
  /// `why`: for operators, if it is not the reason.
  void end(Session& session, CloseReason reason, const std::optional<sessions::Closing>& closing,
           std::string_view why = {});
  /// Ends it from this side: the subject is told that its client is gone.
  void leave(Session& session, CloseReason reason, std::string_view why = {});
  /// Its time is over: a subject that still obeys this gate hears that its client is away.
  void forget_late(Session& session);
  /// Forgets it.
  void forget(Session& session);
  /// Another gate has it, as the account or the subject says: its client is fetched from there.
  void belongs_to(Session& session, const GateId& gate, std::uint32_t turn);

 private:
  void bind(Session& session);
  void bound(Session& session, const Bind& bind, const std::string& subject);
  void answer(Session& session, const sessions::AccountAnswer& said);
  void ask_account(Session& session, Question::Kind kind, sessions::AskAccount word);
  void failed(Session& session, Question::Kind kind);
  void relinked(Session& session, const sessions::AccountAnswer& said);
  void refused(Session& session, const Question& question, const sessions::Answer& said);
  Desk& desk_;
};

/// Why a session has ended, as its client is told.
CloseReason close_reason_of(sessions::Reason reason);

}  // namespace starbus::nodes::gate
