#include "nodes/login/desk/desk.hpp"

#include <utility>

#include "entity/client/account_name.hpp"
#include "nodes/gate/wire/limits.hpp"

namespace starbus::nodes::login {

using entity::sessions::account_channel;

Result<> Desk::add(const std::string& method, std::unique_ptr<Verifier> verifier) {
  if (methods_.contains(method)) {
    return Error(Errc::exists, "method " + method + ": there already; choose another name");
  }
  if (methods_.size() >= kMethods) {
    return Error(Errc::too_many, "methods: " + std::to_string(kMethods) + " at most; use fewer");
  }
  const std::size_t lane = methods_.size();
  methods_.emplace(method, Method{lane, std::move(verifier)});
  return {};
}

void Desk::ask(LoginAsk ask, Reply reply) {
  const auto known = sessions_.find(ask.session);
  if (known != sessions_.end()) {
    Asked& before = asked_.at(known->second);
    if (before.ask.gate == ask.gate) {
      before.reply = std::move(reply);
      return;
    }
    return reply(LoginRefused{CloseReason::fault, 0, "the session is another gate's"});
  }
  const auto method = methods_.find(ask.method);
  const auto address = parse_address(ask.address);
  if (method == methods_.end()) {
    return reply(LoginRefused{CloseReason::denied, 0, "there is no such way to log in"});
  }
  if (!address) {
    return reply(LoginRefused{CloseReason::fault, 0, "the gate does not say the address"});
  }
  Effects effects;
  const std::string account = method->second.verifier->counted_as(ask.account);
  const AttemptId id = admission_.begin(account, *address, clock_(), effects, method->second.lane);
  sessions_.emplace(ask.session, id);
  gates_[ask.gate.process].insert(id);
  asked_.emplace(id, Asked{std::move(ask), std::move(reply)});
  carry_out(effects);
}

void Desk::gone(const entity::sessions::SessionId& session) {
  const auto found = sessions_.find(session);
  if (found == sessions_.end()) return;
  const AttemptId id = found->second;
  admission_.gone(id, clock_());
  forget(id);
}

void Desk::gate_died(const bus::Process& gate) {
  reports_.died(gate);
  const auto found = gates_.find(gate);
  if (found == gates_.end()) return;
  dying_.insert(dying_.end(), found->second.begin(), found->second.end());
}

/// Some of those whose gate has died.
void Desk::bury() {
  for (std::size_t i = 0; i < kStepsAtOnce && !dying_.empty(); ++i) {
    const AttemptId id = dying_.back();
    dying_.pop_back();
    if (!asked_.contains(id)) continue;
    admission_.gone(id, clock_());
    forget(id);
  }
}

void Desk::gate_reports(const bus::Process& gate, std::uint64_t sessions, std::uint64_t most) {
  if (reports_.report(gate, sessions, most, clock_().steady)) measure();
}

void Desk::nodes(const std::string& role, const std::vector<NodeBusy>& nodes) {
  admission_.nodes(role, nodes, clock_());
  step();
}

void Desk::measure() {
  const Now now = clock_();
  admission_.measured(reports_.sum(now.steady), now);
  step();
}

void Desk::step() {
  bury();
  Effects effects;
  admission_.step(clock_(), effects);
  carry_out(effects);
}

std::optional<Time> Desk::next() {
  const Now now = clock_();
  return dying_.empty() ? admission_.next(now) : now.steady;
}

// --- what admission wants ------------------------------------------------------------------------

void Desk::carry_out(const Effects& effects) {
  for (const Effect& effect : effects) {
    std::visit([this](const auto& each) { take(each); }, effect);
  }
}

void Desk::take(const Look& look) {
  LoginAsk& ask = asked_.at(look.id).ask;
  auto judged = [this, alive = std::weak_ptr(alive_), id = look.id](const Verdict& verdict) {
    if (alive.expired()) return;
    Effects effects;
    admission_.judged(id, verdict, clock_(), effects);
    carry_out(effects);
  };
  Verifier& verifier = *methods_.at(ask.method).verifier;
  // A password is not kept; the signed part is the account's ticket, if it is right.
  bus::Bytes kept;
  if (ask.method == gate::kReentryMethod) kept = ask.proof;
  verifier.verify({ask.account, std::exchange(ask.proof, std::move(kept))}, std::move(judged));
}

void Desk::take(const Number& number) {
  auto numbered = [this, alive = std::weak_ptr(alive_),
                   id = number.id](std::optional<std::uint64_t> login) {
    if (alive.expired()) return;
    Effects effects;
    admission_.numbered(id, login, clock_(), effects);
    carry_out(effects);
  };
  numbers_(account_channel(number.account), std::move(numbered));
}

void Desk::take(const Tell& tell) {
  const auto found = asked_.find(tell.id);
  if (found != asked_.end()) found->second.reply(LoginWaiting{tell.ahead, tell.seconds});
}

void Desk::take(const Admit& admit) {
  const auto found = asked_.find(admit.id);
  if (found == asked_.end()) return;
  const LoginAsk& ask = found->second.ask;
  if (ask.method == gate::kReentryMethod) {
    // Its login goes on: the account takes the signed part itself, until that is too old.
    const bus::Bytes proof = ask.proof;
    return end(admit.id, LoginAdmitted{account_channel(admit.account), admit.login, proof, proof});
  }
  const std::uint64_t now = clock_().wall;
  Ticket ticket{TicketKind::login, account_channel(admit.account),
                ask.session,       ask.gate,
                admit.login,       now + static_cast<std::uint64_t>(Time(kTicketLife).count())};
  const auto signed_ticket = sign(ticket, key_);
  ticket.kind = TicketKind::reentry;
  ticket.gate = {};
  ticket.expires = now + static_cast<std::uint64_t>(options_.reentry_life.count());
  const auto reentry = sign(ticket, key_);
  if (!signed_ticket || !reentry) {
    return end(admit.id, LoginRefused{CloseReason::fault, 0, "the name of the gate is too long"});
  }
  end(admit.id, LoginAdmitted{ticket.account, admit.login, *signed_ticket, *reentry});
}

void Desk::take(const Refuse& refuse) {
  end(refuse.id,
      LoginRefused{refuse.reason, refuse.retry_ms, refuse.text.substr(0, gate::kCloseTextBytes)});
}

void Desk::end(AttemptId id, const LoginAnswer& answer) {
  const auto found = asked_.find(id);
  if (found == asked_.end()) return;
  const Reply reply = std::move(found->second.reply);
  forget(id);
  reply(answer);
}

void Desk::forget(AttemptId id) {
  const auto found = asked_.find(id);
  const LoginAsk& ask = found->second.ask;
  sessions_.erase(ask.session);
  const auto gate = gates_.find(ask.gate.process);
  gate->second.erase(id);
  if (gate->second.empty()) gates_.erase(gate);
  asked_.erase(found);
}

}  // namespace starbus::nodes::login
