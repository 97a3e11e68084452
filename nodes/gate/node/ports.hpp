/// What a gate needs of accounts and logins: functions, so that the gate depends on neither. The
/// program gives them (gate_app.hpp); a test gives its own. Belongs to the loop's thread.
#pragma once

#include <functional>
#include <string>

#include "nodes/gate/core/effects.hpp"

namespace starbus::nodes::gate {

/// The way to the accounts of a cluster.
struct AccountPort {
  /// The bytes are those of a sessions::AccountAnswer, if the outcome is ok.
  using Done = std::function<void(Outcome, bus::ByteView)>;
  /// Calls an account; `done` is called once, in a later turn of the loop.
  std::function<void(const std::string& account, const sessions::AskAccount& word, Done done)> ask;
  /// Nobody owns this account: has it loaded where accounts live.
  std::function<void(const std::string& account)> load;
};

/// The way to its logins.
struct LoginPort {
  /// May be called several times: Waiting, and then one of the others.
  using Said = std::function<void(const LoginAnswer&)>;
  /// Asks; `said` is called in later turns of the loop, until forget().
  std::function<void(std::uint64_t question, const LoginAsk& ask, Said said)> ask;
  /// Nobody waits for it any more.
  std::function<void(std::uint64_t question)> forget;
};

/// What the functions refer to lives as long as they do.
struct Ports {
  AccountPort accounts{};
  LoginPort login{};
};

}  // namespace starbus::nodes::gate
