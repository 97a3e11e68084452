#include "nodes/gate/core/subjects.hpp"

#include "base/give_back.hpp"
#include "nodes/gate/core/doors.hpp"
#include "nodes/gate/core/downlink.hpp"
#include "nodes/gate/core/egress.hpp"
#include "nodes/gate/core/hand_overs.hpp"
#include "nodes/gate/core/uplink.hpp"

namespace starbus::nodes::gate {

using sessions::AccountAnswer;
using sessions::AccountAnswerKind;
using sessions::Answer;
using sessions::AnswerKind;
using Kind = Question::Kind;

CloseReason close_reason_of(sessions::Reason reason) {
  switch (reason) {
    case sessions::Reason::replaced:
      return CloseReason::replaced;
    case sessions::Reason::too_slow:
      return CloseReason::too_slow;
    case sessions::Reason::fault:
      return CloseReason::fault;
    case sessions::Reason::switched:
    case sessions::Reason::away:
    case sessions::Reason::ended:
      break;
  }
  return CloseReason::ended;
}

// --- the account ---------------------------------------------------------------------------------

void Subjects::ask_account(Session& session, Kind kind, sessions::AskAccount word) {
  session.ask_at = desk_.now + desk_.options.times.pause;
  const std::uint64_t question = desk_.ask({kind, session.id, session.hand.turn, {}});
  desk_.effects.push_back(TellAccount{question, session.account, std::move(word)});
}

/// The gate that the client names may have started again since it gave the session away.
void Subjects::enter(Session& session) {
  const auto sought = desk_.doors->sought(session);
  if (!sought) return bind(session);
  if (session.locating) return;
  session.locating = true;
  ask_account(session, Kind::seek, sessions::Where{*sought, {}});
}

void Subjects::bind(Session& session) {
  if (session.binding) return;
  session.binding = true;
  ask_account(session, Kind::bind,
              sessions::BindSession{session.id, desk_.options.self, session.hand.turn,
                                    sessions::seal_of(session.hand.secret), session.ticket});
}

void Subjects::locate(Session& session) {
  if (session.locating || session.stage != Stage::live) return;
  session.locating = true;
  session.locate_due = false;
  ask_account(session, Kind::where, sessions::Where{session.id, session.order.bind()});
}

void Subjects::work(Session& session) {
  if (desk_.now < session.ask_at) return desk_.table.wake(session, session.ask_at);
  if (session.stage == Stage::fresh && !session.account.empty()) enter(session);
  if (session.stage != Stage::live) return;
  if (session.locate_due) locate(session);
  if (session.relink_due) desk_.hand_overs->relink_account(session);
}

void Subjects::failed(Session& session, Kind kind) {
  if (kind == Kind::where) session.locate_due = true;
  if (kind == Kind::relink_account) session.relink_due = true;
  desk_.table.wake(session, session.ask_at);
}

void Subjects::account_said(const Question& question, Outcome outcome, bus::ByteView bytes) {
  Session* const session = desk_.table.find(question.session);
  if (session == nullptr) return;
  if (question.kind == Kind::bind) session->binding = false;
  if (question.kind == Kind::where || question.kind == Kind::seek) session->locating = false;
  if (question.kind == Kind::relink_account) session->relinking = false;
  if (session->stage != Stage::fresh && session->stage != Stage::live) return;
  if (outcome == Outcome::no_owner || outcome == Outcome::owner_lost) {
    desk_.effects.push_back(LoadAccount{session->account});
    return failed(*session, question.kind);
  }
  const auto said = sessions::decode_account_answer(bytes);
  if (outcome != Outcome::ok || !said) {
    if (outcome == Outcome::ok) ++desk_.counters.malformed_words;
    return failed(*session, question.kind);
  }
  if (said->kind == AccountAnswerKind::later || said->kind == AccountAnswerKind::ok) {
    return failed(*session, question.kind);
  }
  if (question.kind == Kind::seek) {
    return desk_.doors->found(*session, *said) ? void() : bind(*session);
  }
  if (question.kind == Kind::relink_account) {
    // An answer to a turn that is over says nothing of this one.
    return question.number == session->hand.turn ? relinked(*session, *said) : void();
  }
  answer(*session, *said);
}

void Subjects::answer(Session& session, const AccountAnswer& said) {
  switch (said.kind) {
    case AccountAnswerKind::bound:
      if (session.stage == Stage::fresh) {
        session.stage = Stage::live;
        give_back(session.ticket);
        if (said.login != 0) session.login = said.login;
        desk_.doors->welcome_new(session);
      }
      return bound(session, said.bind, said.subject);
    case AccountAnswerKind::replaced: {
      const bool came_back = session.stage == Stage::live && said.login == session.login;
      return end(session, came_back ? CloseReason::fault : CloseReason::replaced, {});
    }
    case AccountAnswerKind::refused:
      return end(session, session.stage == Stage::fresh ? CloseReason::token : CloseReason::fault,
                 {});
    case AccountAnswerKind::ended:
    case AccountAnswerKind::ok:
    case AccountAnswerKind::later:
      return end(session, CloseReason::ended, {});
  }
}

void Subjects::relinked(Session& session, const AccountAnswer& said) {
  if (said.kind == AccountAnswerKind::refused) {
    return said.turn > session.hand.turn ? belongs_to(session, said.gate, said.turn)
                                         : end(session, CloseReason::fault, {});
  }
  if (said.kind == AccountAnswerKind::bound) {
    session.hand.confirmed = said.bind;
    answer(session, said);
    if (session.stage == Stage::live && session.request_waits) desk_.downlink->pulse(session);
    return desk_.hand_overs->settle(session);
  }
  answer(session, said);
}

void Subjects::bound(Session& session, const Bind& bind, const std::string& subject) {
  if (bind <= session.order.bind()) return;
  session.subject = subject;
  desk_.table.wake(session, desk_.now + desk_.options.times.pulse);
  desk_.downlink->begin(session, bind);
}

void Subjects::told(const sessions::ToGate& word) {
  const SessionId id = std::visit([](const auto& each) { return each.session; }, word);
  Session* const session = desk_.table.find(id);
  if (session == nullptr || session->stage == Stage::ended) return;
  const auto* bound_word = std::get_if<sessions::Bound>(&word);
  const auto* end_word = std::get_if<sessions::End>(&word);
  if (session->stage == Stage::giving || session->stage == Stage::stub) {
    return bound_word != nullptr ? desk_.hand_overs->forward(*session, *bound_word)
                                 : desk_.hand_overs->forward(*session, *end_word);
  }
  if (end_word != nullptr) {
    if (end_word->bind <= session->order.bind()) return;
    return end(*session, close_reason_of(end_word->reason), end_word->closing);
  }
  // The welcome goes before the first packet: its answer names the bind, too.
  if (session->stage == Stage::live) bound(*session, bound_word->bind, bound_word->subject);
}

// --- the subject ---------------------------------------------------------------------------------

void Subjects::subject_said(const Question& question, Outcome outcome, bus::ByteView bytes) {
  Session* const session = desk_.table.find(question.session);
  if (session == nullptr) return;
  if (question.kind == Kind::pulse) session->pulsing = false;
  if (question.kind == Kind::resync) session->resyncing = false;
  if (question.kind == Kind::relink_subject) session->telling_subject = false;
  const auto said = sessions::decode_answer(bytes);
  if (outcome == Outcome::ok && !said) ++desk_.counters.malformed_words;
  const bool answered = outcome == Outcome::ok && said.has_value();
  if (question.kind == Kind::request) {
    const bool settled =
        answered && said->kind != AnswerKind::refused && said->kind != AnswerKind::not_linked;
    desk_.uplink->outcome(*session, question, settled);
  }
  if (session->stage != Stage::live) return;
  if (!answered) return locate(*session);
  switch (said->kind) {
    case AnswerKind::ok:
      // It obeys this gate now. An account that is the subject shows that with a pulse: it has
      // heard the relink as account.
      if (session->request_waits &&
          (question.kind == Kind::relink_subject || question.kind == Kind::pulse)) {
        desk_.uplink->again(*session);
      }
      return;
    case AnswerKind::dropped:
    case AnswerKind::old:
      return;
    case AnswerKind::not_linked:
    case AnswerKind::ending:
    case AnswerKind::replaced:  // by whom, the account knows
      return locate(*session);
    case AnswerKind::refused:
      return refused(*session, question, *said);
  }
}

/// It obeys another (turn, gate): a former one, if the relink was lost with a home; or a later one.
void Subjects::refused(Session& session, const Question& question, const Answer& said) {
  if (said.turn > session.hand.turn) return belongs_to(session, said.gate, said.turn);
  locate(session);
  if (question.kind == Kind::relink_subject) return;  // again with the next pulse
  desk_.hand_overs->relink_subject(session);
}

// --- ends ----------------------------------------------------------------------------------------

void Subjects::end(Session& session, CloseReason reason,
                   const std::optional<sessions::Closing>& closing, std::string_view why) {
  ++desk_.counters.ended;
  if (reason == CloseReason::too_slow) ++desk_.counters.too_slow;
  desk_.part(session, desk_.doors->address_of(session), why.empty() ? name_of(reason) : why, true);
  const bool welcomed = session.stage == Stage::live;
  session.stage = Stage::ended;
  session.reason = reason;
  session.until = desk_.now + desk_.options.times.ended;
  desk_.table.wake(session, session.until);
  desk_.doors->forget_login(session);
  // One that is too slow hears why without what it has not taken.
  const bool leaves_out = reason == CloseReason::too_slow && Egress::waiting(session) > 0;
  if (welcomed && session.connection != 0 && !leaves_out) {
    desk_.egress->all(session);
    const bool knows = closing && closing->login == session.login;
    const Ended last{reason, knows, knows ? closing->up_done : 0, knows ? closing->since : Bind{}};
    desk_.effects.push_back(
        SendPacket{session.connection, session.window.add(PacketKind::ended, last, {}, 0)});
  }
  desk_.doors->close(session, Closed{reason, 0, {}});
  desk_.downlink->leave_groups(session);
  session.order.clear();
  desk_.hand_overs->settle_all(session);
}

void Subjects::leave(Session& session, CloseReason reason, std::string_view why) {
  if (session.stage == Stage::live && !session.subject.empty()) {
    desk_.effects.push_back(
        TellSubject{0, session.subject, sessions::ClientGone{session.id, session.order.bind()}});
  }
  end(session, reason, {}, why);
}

void Subjects::forget_late(Session& session) {
  if (!session.subject.empty()) {
    desk_.effects.push_back(
        TellSubject{0, session.subject, sessions::Unknown{session.id, session.hand.turn}});
  }
  forget(session);
}

void Subjects::forget(Session& session) {
  desk_.downlink->leave_groups(session);
  desk_.homes.forget(session.id);
  desk_.table.erase(session.id);
}

void Subjects::belongs_to(Session& session, const GateId& gate, std::uint32_t turn) {
  if (gate == desk_.options.self || gate.channel.empty()) {
    return end(session, CloseReason::fault, {});
  }
  desk_.doors->close(session, Closed{CloseReason::later, 0, {}});
  session.stage = Stage::stub;
  desk_.part(session, {}, "given", true);
  session.hand.to = gate;
  session.hand.address.clear();
  session.hand.turn = std::max(session.hand.turn, turn - 1);  // a stub_done of that turn ends it
  session.until = desk_.now + desk_.options.times.stub;
  desk_.table.wake(session, session.until);
}

}  // namespace starbus::nodes::gate
