#include "nodes/login/service/login_calls.hpp"

#include <utility>

#include "nodes/login/service/login_service.hpp"

namespace starbus::nodes::login {

void LoginCalls::ask(std::uint64_t question, const gate::LoginAsk& what, Said said) {
  bus::Bytes bytes;
  encode(what, bytes);
  rows_[question] = {std::string(bus::as_text(bytes)), what.session, std::move(said)};
  call(question);
}

void LoginCalls::forget(std::uint64_t question) {
  const auto at = rows_.find(question);
  if (at == rows_.end()) return;
  const gate::SessionId session = at->second.session;
  rows_.erase(at);
  const std::string id(reinterpret_cast<const char*>(&session), sizeof session);
  static_cast<void>(rpc::send<&LoginService::leave>(endpoint_, std::string(kLoginService), {}, id));
}

void LoginCalls::call(std::uint64_t question) {
  rpc::CallOptions options;
  options.deadline = deadline_;
  rpc::call<&LoginService::enter>(
      endpoint_, std::string(kLoginService), options,
      rows_.at(question).word)([this, alive = std::weak_ptr(alive_), question](const auto& reply) {
    if (alive.expired()) return;
    answered(question, reply ? std::optional<std::string>(*reply) : std::nullopt);
  });
}

void LoginCalls::answered(std::uint64_t question, const std::optional<std::string>& reply) {
  const auto at = rows_.find(question);
  if (at == rows_.end()) return;
  if (!reply) {
    return last(at, gate::LoginRefused{gate::CloseReason::later, 5'000, "no login answers"});
  }
  const auto told = gate::decode_login_told(bus::as_bytes(*reply));
  if (!told) {
    return last(at, gate::LoginRefused{gate::CloseReason::fault, 0, "the login is not understood"});
  }
  if (!std::holds_alternative<gate::LoginWaiting>(told->answer)) return last(at, told->answer);
  const Said said = at->second.said;
  said(told->answer);
  if (!rows_.contains(question)) return;
  call(question);
}

void LoginCalls::last(Rows::iterator at, const gate::LoginAnswer& answer) {
  const Said said = std::move(at->second.said);
  rows_.erase(at);
  said(answer);
}

}  // namespace starbus::nodes::login
