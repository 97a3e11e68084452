#include "nodes/gate/cluster/cluster_ports.hpp"

#include <map>
#include <memory>
#include <utility>

#include "nodes/gate/node/limits.hpp"
#include "nodes/login/service/login_service.hpp"
#include "nodes/players/account_calls.hpp"

namespace starbus::nodes::gate {
namespace {

namespace rpc = entity::rpc;

Outcome outcome_of(const rpc::Error& error) {
  if (rpc::is_absent(error)) return Outcome::no_owner;
  return error == bus::Errc::owner_lost || error == rpc::Errc::deadline ? Outcome::owner_lost
                                                                        : Outcome::refused;
}

/// Asks a login until its last answer. Lives as long as the functions of its port.
class LoginCalls : public std::enable_shared_from_this<LoginCalls> {
 public:
  explicit LoginCalls(Node& node) : node_(node) {}

  void ask(std::uint64_t question, const LoginAsk& what, LoginPort::Said said) {
    login::Ask word{what.session, {}, what.method, what.account, what.proof, what.address};
    word.gate = {std::string(bus::kGatePrefix) + node_.process(), node_.bus().self()};
    bus::Bytes bytes;
    login::encode(word, bytes);
    rows_[question] = {std::string(bus::as_text(bytes)), what.session, std::move(said)};
    call(question);
  }
  void forget(std::uint64_t question) {
    const auto at = rows_.find(question);
    if (at == rows_.end()) return;
    const SessionId session = at->second.session;
    rows_.erase(at);
    const std::string id(reinterpret_cast<const char*>(&session), sizeof session);
    static_cast<void>(rpc::send<&login::LoginService::leave>(
        node_.rpc(), std::string(login::kLoginService), {}, id));
  }

 private:
  struct Row {
    std::string word;
    SessionId session{};
    LoginPort::Said said{};
  };

  void call(std::uint64_t question) {
    rpc::CallOptions options;
    options.deadline = kLoginAnswer;
    rpc::call<&login::LoginService::enter>(
        node_.rpc(), std::string(login::kLoginService), options,
        rows_.at(question).word)([self = shared_from_this(), question](const auto& reply) {
      self->answered(question, reply ? std::optional<std::string>(*reply) : std::nullopt);
    });
  }
  void answered(std::uint64_t question, const std::optional<std::string>& reply) {
    const auto at = rows_.find(question);
    if (at == rows_.end()) return;
    if (!reply) return last(at, LoginRefused{CloseReason::later, 5'000, "no login answers"});
    const auto told = login::decode_told(bus::as_bytes(*reply));
    if (!told) {
      return last(at, LoginRefused{CloseReason::fault, 0, "the login is not understood"});
    }
    if (const auto* waiting = std::get_if<login::Waiting>(&told->answer)) {
      const LoginPort::Said said = at->second.said;
      said(LoginWaiting{waiting->ahead, waiting->seconds});
      if (rows_.contains(question)) call(question);
      return;
    }
    if (const auto* admitted = std::get_if<login::Admitted>(&told->answer)) {
      return last(at, LoginAdmitted{admitted->account, admitted->login, admitted->ticket,
                                    admitted->reentry});
    }
    const auto& refused = std::get<login::Refused>(told->answer);
    last(at, LoginRefused{refused.reason, refused.retry_ms, refused.text});
  }
  void last(std::map<std::uint64_t, Row>::iterator at, const LoginAnswer& answer) {
    const LoginPort::Said said = std::move(at->second.said);
    rows_.erase(at);
    said(answer);
  }

  Node& node_;
  std::map<std::uint64_t, Row> rows_;
};

}  // namespace

Ports cluster_ports(Node& node) {
  Ports ports;
  const auto accounts = std::make_shared<players::AccountCalls>(node.rpc());
  ports.accounts.ask = [accounts](const std::string& account, const sessions::AskAccount& word,
                                  AccountPort::Done done) {
    accounts->ask(account, word, kAccountAnswer,
                  [done = std::move(done)](const rpc::Result<std::string>& answer) {
                    if (answer) return done(Outcome::ok, bus::as_bytes(*answer));
                    done(outcome_of(answer.error()), {});
                  });
  };
  ports.accounts.load = [accounts](const std::string& account) { accounts->load(account); };
  const auto logins = std::make_shared<LoginCalls>(node);
  ports.login.ask = [logins](std::uint64_t question, const LoginAsk& ask, LoginPort::Said said) {
    logins->ask(question, ask, std::move(said));
  };
  ports.login.forget = [logins](std::uint64_t question) { logins->forget(question); };
  return ports;
}

}  // namespace starbus::nodes::gate
