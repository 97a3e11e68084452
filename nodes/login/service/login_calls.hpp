/// Questions of a gate to the logins of its cluster.
///
/// A login is asked again and again until it says yes or no: each question waits there for a few
/// seconds, so that a login that dies costs its clients a question, and not their place. Belongs to
/// the loop's thread; the endpoint outlives it, and its questions are as many as its owner has
/// open.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "entity/rpc/rpc.hpp"
#include "nodes/gate/wire/login_words.hpp"

namespace starbus::nodes::login {

class LoginCalls {
 public:
  using Said = std::function<void(const gate::LoginAnswer&)>;

  /// `deadline`: for one answer of a login, which says LoginWaiting after less.
  LoginCalls(entity::rpc::Endpoint& endpoint, std::chrono::milliseconds deadline)
      : endpoint_(endpoint), deadline_(deadline) {}
  LoginCalls(const LoginCalls&) = delete;
  LoginCalls& operator=(const LoginCalls&) = delete;

  /// `said` is called in later turns of the loop: with LoginWaiting, and at last with one of the
  /// others, unless forget() comes first. A number is used once.
  void ask(std::uint64_t question, const gate::LoginAsk& what, Said said);
  /// Its client waits no more. Ignored if it was answered.
  void forget(std::uint64_t question);
  /// Questions that are not answered to the end.
  std::size_t size() const { return rows_.size(); }

 private:
  struct Row {
    std::string word{};  // the bytes of the LoginAsk
    gate::SessionId session{};
    Said said{};
  };
  using Rows = std::map<std::uint64_t, Row>;

  void call(std::uint64_t question);
  void answered(std::uint64_t question, const std::optional<std::string>& reply);
  void last(Rows::iterator at, const gate::LoginAnswer& answer);

  entity::rpc::Endpoint& endpoint_;
  const std::chrono::milliseconds deadline_;
  Rows rows_;
  std::shared_ptr<char> alive_ = std::make_shared<char>();
};

}  // namespace starbus::nodes::login
