#include "nodes/players/core/account_core.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace starbus::nodes::players {
namespace {

template <class T>
void append(std::vector<T>& to, std::vector<T>& from) {
  to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

}  // namespace

AccountCore::AccountCore(AccountOptions options) : options_(std::move(options)) {
  row_.subject = options_.first;
}

void AccountCore::owned(std::uint64_t epoch, const std::optional<AccountRow>& stored,
                        AccountEffects& out) {
  epoch_ = epoch;
  counter_ = 0;
  if (stored) row_ = *stored;
  if (!row_.session) return;
  row_.closing.reset();  // a subject may have had it
  if (!row_.unlinking()) return step(out);
  due_ = true;
  tell(out);
}

// --- inputs --------------------------------------------------------------------------------------

/// While a store is under way nothing else changes.
void AccountCore::take(Input input, AccountEffects& out) {
  if (storing_ == 0) {
    return std::visit([&](const auto& each) { run(each, out); }, input);
  }
  if (!full(input, out)) waiting_.push_back(std::move(input));
}

/// What does not fit is answered, or can be spared. Ends of questions always fit: one is open.
bool AccountCore::full(const Input& input, AccountEffects& out) {
  const auto alike = std::ranges::count_if(
      waiting_, [&](const Input& each) { return each.index() == input.index(); });
  if (const Asked* const asked = std::get_if<Asked>(&input)) {
    if (static_cast<std::size_t>(alike) < kAccountAsks && !store_at_) return false;
    later(*asked, out);
    return true;
  }
  if (!std::holds_alternative<sessions::ToAccount>(input)) return false;
  if (static_cast<std::size_t>(alike) < kAccountHeard) return false;
  ++counters_.words_dropped;
  return true;
}

void AccountCore::ask(std::uint64_t number, const sessions::AskAccount& word, const Sender& from,
                      const std::optional<TicketSeen>& ticket, AccountEffects& out) {
  take(Asked{number, word, from, ticket}, out);
}

void AccountCore::hear(const sessions::ToAccount& word, const Sender& from, AccountEffects& out) {
  if (from.gate) {
    ++counters_.refused;
    return;
  }
  take(word, out);
}

void AccountCore::answered(std::uint64_t question, Outcome outcome,
                           const std::optional<sessions::Answer>& answer, LinkTime now,
                           AccountEffects& out) {
  now_ = now;
  if (asked_ && asked_->number == question) take(SubjectSaid{question, outcome, answer}, out);
}

void AccountCore::loaded(std::uint64_t question, bool there, LinkTime now, AccountEffects& out) {
  now_ = now;
  if (asked_ && asked_->number == question) take(LoadEnded{question, there}, out);
}

// --- what the game wants -------------------------------------------------------------------------

Result<> AccountCore::choose(const SessionId& session, const Bind& bind, const std::string& subject,
                             AccountEffects& out) {
  if (!row_.session || row_.session != session || row_.bind != bind) return PlayerErrc::no_session;
  if (storing_ != 0 || row_.unlinking()) return PlayerErrc::busy;
  if (subject == row_.subject) return PlayerErrc::same_subject;
  row_.next = subject;
  due_ = true;
  save(out);
  return {};
}

Result<> AccountCore::end(Reason reason, AccountEffects& out) {
  if (!row_.session) return PlayerErrc::no_session;
  if (storing_ != 0 || row_.unlinking()) return PlayerErrc::busy;
  row_.ends = reason;
  due_ = true;
  save(out);
  return {};
}

Result<> AccountCore::rest(AccountEffects& out) {
  if (storing_ != 0 || row_.session) return PlayerErrc::busy;
  if (row_.subject == options_.first) return {};
  row_.subject = options_.first;
  save(out);
  return {};
}

// --- the disk ------------------------------------------------------------------------------------

void AccountCore::save(AccountEffects& out) {
  storing_ = ++numbers_;
  out.store = AccountEffects::Store{storing_, row_};
}

void AccountCore::stored(std::uint64_t number, AccountEffects& out) {
  if (storing_ == 0 || number != storing_) return;
  storing_ = 0;
  store_at_.reset();
  AccountEffects told = std::exchange(after_, {});
  append(out.answers, told.answers);
  append(out.gates, told.gates);
  append(out.subjects, told.subjects);
  out.opened = out.opened || told.opened;
  if (told.closed) out.closed = told.closed;
  tell(out);
  while (storing_ == 0 && !waiting_.empty()) {
    const Input next = std::move(waiting_.front());
    waiting_.pop_front();
    std::visit([&](const auto& each) { run(each, out); }, next);
  }
}

void AccountCore::store_failed(std::uint64_t number, LinkTime now, AccountEffects& out) {
  if (storing_ == 0 || number != storing_) return;
  now_ = now;
  store_at_ = now + kStoreAgain;
  for (const auto& each : after_.answers) {
    ++counters_.later;
    out.answers.push_back({each.ask, answer(sessions::AccountAnswerKind::later)});
  }
  after_.answers.clear();
  waiting_.erase_if([&](const Input& each) {
    const Asked* const asked = std::get_if<Asked>(&each);
    if (asked != nullptr) later(*asked, out);
    return asked != nullptr;
  });
}

void AccountCore::tick(LinkTime now, AccountEffects& out) {
  now_ = now;
  if (store_at_ && *store_at_ <= now) {
    store_at_.reset();
    return save(out);
  }
  if (row_.session && settled() && look_at_ && *look_at_ <= now) {
    look_at_ = now + kSubjectLook;
    return look(out);
  }
  if (!again_at_ || *again_at_ > now || storing_ != 0) return;
  again_at_.reset();
  loaded_ = false;
  if (!row_.session || asked_) return;
  if (!row_.unlinking()) return step(out);
  due_ = true;
  tell(out);
}

std::optional<LinkTime> AccountCore::wakes() const {
  if (store_at_) return store_at_;
  if (storing_ != 0) return {};
  return row_.session && settled() ? look_at_ : again_at_;
}

}  // namespace starbus::nodes::players
