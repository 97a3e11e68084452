/// Calls of accounts, for gates and logins: an account that nobody owns is loaded meanwhile.
/// Belongs to the loop's thread; the endpoint outlives it.
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "entity/client/words.hpp"
#include "entity/rpc/rpc.hpp"

namespace starbus::nodes::players {

class AccountCalls {
 public:
  using Done = std::function<void(entity::rpc::Result<std::string>)>;
  explicit AccountCalls(entity::rpc::Endpoint& endpoint) : endpoint_(endpoint) {}

  /// The bytes of an AccountAnswer, or the error of the call; once, in a later turn.
  void ask(const std::string& account, const entity::sessions::AskAccount& word,
           std::chrono::milliseconds deadline, Done done);
  /// Has it loaded wherever accounts live.
  void load(const std::string& account);

 private:
  entity::rpc::Endpoint& endpoint_;
};

}  // namespace starbus::nodes::players
