// How an account links and unlinks the entity that its session plays.
#include <algorithm>
#include <utility>

#include "nodes/players/core/account_core.hpp"

namespace starbus::nodes::players {

using sessions::Answer;
using sessions::AnswerKind;

Bind AccountCore::draw() {
  ++counters_.binds;
  return {epoch_, ++counter_};
}

/// A new bind for the session and its subject: stored, then told.
void AccountCore::step(AccountEffects& out) {
  row_.bind = draw();
  due_ = true;
  again_at_.reset();
  if (!row_.unlinking()) {
    after_.gates.push_back({row_.gate, sessions::Bound{row_.session, row_.bind, row_.subject}});
  }
  save(out);
}

/// Tells the subject what is stored, when it has answered what it was told before.
void AccountCore::tell(AccountEffects& out) {
  if (!due_ || asked_ || storing_ != 0) return;
  due_ = false;
  if (!row_.session) return;
  if (row_.unlinking()) {
    asked_ = Question{++numbers_, Kind::unlink, draw()};
    const Reason why = row_.ends.value_or(Reason::switched);
    out.subjects.push_back({row_.subject, sessions::Unlink{asked_->bind, why}, asked_->number});
    return;
  }
  asked_ = Question{++numbers_, Kind::link, row_.bind};
  out.subjects.push_back({row_.subject,
                          sessions::SetLink{row_.session, row_.gate, row_.turn, row_.bind,
                                            row_.login, options_.account, row_.seal, row_.closing},
                          asked_->number});
}

/// Asks for the numbers of its link: an account is no gate, so one that is linked refuses, and
/// says what it obeys.
void AccountCore::look(AccountEffects& out) {
  asked_ = Question{++numbers_, Kind::look, row_.bind};
  out.subjects.push_back(
      {row_.subject, sessions::Pulse{row_.session, row_.turn, row_.bind, {}, 0}, asked_->number});
}

/// `lost`: it may have had the last word. At once for the first time, then paced.
void AccountCore::load(bool lost, AccountEffects& out) {
  if (loaded_ || row_.subject == options_.account) return again();
  loaded_ = true;
  ++counters_.loads;
  asked_ = Question{++numbers_, lost ? Kind::load_lost : Kind::load, row_.bind};
  out.load = AccountEffects::Load{row_.subject, asked_->number};
}

// --- what has come of it -------------------------------------------------------------------------

void AccountCore::run(const SubjectSaid& said, AccountEffects& out) {
  if (!asked_ || asked_->number != said.question) return;
  const Kind kind = asked_->kind;
  if (kind == Kind::link) linked(said, out);
  if (kind == Kind::unlink) unlinked(said, out);
  if (kind == Kind::look) looked(said, out);
  tell(out);
}

void AccountCore::run(const LoadEnded& ended, AccountEffects& out) {
  if (!asked_ || asked_->number != ended.question) return;
  const bool lost = asked_->kind == Kind::load_lost;
  asked_.reset();
  if (!due_ && row_.session) {
    if (!ended.there) {
      again();
    } else if (lost) {
      step(out);
    } else {
      due_ = true;  // nobody has had this bind
    }
  }
  tell(out);
}

void AccountCore::linked(const SubjectSaid& said, AccountEffects& out) {
  asked_.reset();
  const bool ok = said.answer && said.answer->kind == AnswerKind::ok;
  // It has it, or may have it; handed on again it would be older than what that knows.
  const bool had = said.answer ? ok : said.outcome != Outcome::no_owner;
  if (had) row_.closing.reset();
  if (due_ || !row_.session) return;  // there is something newer to tell
  if (ok) {
    loaded_ = false;
    look_at_ = now_ + kSubjectLook;
    out.playing = true;
  } else if (said.answer && said.answer->kind == AnswerKind::old) {
    outdated(*said.answer, out);
  } else if (said.outcome == Outcome::no_owner) {
    load(false, out);
  } else if (said.outcome == Outcome::owner_lost) {
    load(true, out);
  } else {
    again();  // silent, ending, or packed for a move
  }
}

/// It has obeyed a bind as high: the next one is higher, or this account has a later owner.
void AccountCore::outdated(const Answer& answer, AccountEffects& out) {
  if (answer.bind.epoch > epoch_) {
    stale_ = true;
    return;
  }
  if (answer.bind.epoch == epoch_) counter_ = std::max(counter_, answer.bind.counter);
  if (!row_.unlinking()) return step(out);
  due_ = true;
}

void AccountCore::unlinked(const SubjectSaid& said, AccountEffects& out) {
  asked_.reset();
  std::optional<Closing> closing;
  if (said.answer && said.answer->kind == AnswerKind::ok) closing = said.answer->closing;
  if (closing && closing->login != row_.login) closing.reset();
  if (!row_.unlinking()) {  // a later login wants the same entity after all
    if (closing) row_.closing = closing;
    return;
  }
  if (said.answer && said.answer->kind == AnswerKind::old) return outdated(*said.answer, out);
  if (said.answer && said.answer->kind == AnswerKind::dropped) return again();
  if (row_.ends) return close(*row_.ends, closing, out);
  row_.subject = std::exchange(row_.next, {});
  row_.closing = closing;
  loaded_ = false;
  step(out);
}

/// The answer to look().
void AccountCore::looked(const SubjectSaid& said, AccountEffects& out) {
  asked_.reset();
  if (due_ || !row_.session) return;
  if (said.outcome == Outcome::no_owner || said.outcome == Outcome::owner_lost)
    return load(true, out);
  if (!said.answer || said.answer->kind == AnswerKind::dropped) return;  // its gate asks again
  const bool obeys = said.answer->kind == AnswerKind::refused && said.answer->bind == row_.bind;
  if (obeys && said.answer->turn >= row_.turn) return;
  again();  // not at once: it may have let its client go, and its word is under way
}

/// The gate, the record and the subject are told; what the subject knew of requests is kept for
/// another session of the same login.
void AccountCore::close(Reason reason, const std::optional<Closing>& closing, AccountEffects& out) {
  row_.bind = draw();
  after_.gates.push_back({row_.gate, sessions::End{row_.session, row_.bind, reason, closing}});
  after_.closed = reason;
  row_.session = {};
  row_.gate = {};
  row_.turn = 0;
  row_.seal = {};
  row_.next.clear();
  row_.ends.reset();
  row_.closing = closing;
  due_ = loaded_ = false;
  again_at_.reset();
  save(out);
}

}  // namespace starbus::nodes::players
