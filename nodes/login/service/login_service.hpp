/// The RPC methods of a login for gates, under `service/login`.
///
/// A gate asks again and again until the last answer: each question is held for kAskHeld, or until
/// there is news. So a login that dies costs its clients one question, and a gate that dies is
/// noticed by its silence. Belongs to the loop's thread; the desk outlives it. Only gates may call.
#pragma once

#include <chrono>
#include <deque>
#include <map>
#include <optional>
#include <string>

#include "entity/rpc/rpc.hpp"
#include "nodes/login/desk/desk.hpp"
#include "nodes/login/service/limits.hpp"

namespace starbus::nodes::login {

namespace rpc = entity::rpc;

/// The shared name of all logins.
inline constexpr std::string_view kLoginService = "service/login";

class LoginService final : public rpc::Callable<LoginService> {
 public:
  /// `clock`: milliseconds that never go back.
  LoginService(Desk& desk, std::function<Time()> clock) : desk_(desk), clock_(std::move(clock)) {
    limit_coroutines(kQuestionsHeld);
  }
  ~LoginService() { close_rpc(); }

  /// The bytes of a LoginAsk; the answer is those of a LoginTold.
  rpc::Task<std::string> enter(rpc::Caller& from, std::string ask);
  /// Its client waits no more: 16 bytes, the session of the LoginAsk.
  void leave(rpc::Caller& from, std::string session);

  static constexpr auto kRpc =
      rpc::methods("starbus_login", rpc::method<&LoginService::enter>("enter", rpc::gate),
                   rpc::method<&LoginService::leave>("leave", rpc::gate));

  /// Answers questions that were held long enough; gives up logins without any. Often.
  void sweep();
  /// Logins that are not answered to the end.
  std::size_t size() const { return rows_.size(); }

 private:
  using SessionId = entity::sessions::SessionId;
  struct Row {
    bus::Process gate{};
    LoginAnswer news{};  // the newest
    bool told = true;    // the gate has it, or there is none
    bus::Done<std::string> waiter{};
    Time asked{0};  // the last question
  };
  using Rows = std::map<SessionId, Row>;
  void said(const SessionId& session, const LoginAnswer& answer);
  /// Answers the waiter; after a last answer the row goes.
  void answer(Rows::iterator at);

  Desk& desk_;
  const std::function<Time()> clock_;
  Rows rows_;
  SessionId swept_{};  // the last that sweep() has looked at
};

}  // namespace starbus::nodes::login
