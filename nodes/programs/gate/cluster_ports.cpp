#include "nodes/programs/gate/cluster_ports.hpp"

#include <memory>
#include <utility>

#include "nodes/gate/node/call_outcome.hpp"
#include "nodes/gate/node/limits.hpp"
#include "nodes/login/service/login_calls.hpp"
#include "nodes/players/account_calls.hpp"

namespace starbus::nodes::programs {

gate::Ports cluster_ports(Node& node) {
  gate::Ports ports;
  const auto accounts = std::make_shared<players::AccountCalls>(node.rpc());
  ports.accounts.ask = [accounts](const std::string& account,
                                  const entity::sessions::AskAccount& word,
                                  gate::AccountPort::Done done) {
    accounts->ask(account, word, gate::kAccountAnswer,
                  [done = std::move(done)](const entity::rpc::Result<std::string>& answer) {
                    if (answer) return done(gate::Outcome::ok, bus::as_bytes(*answer));
                    done(gate::outcome_of(answer.error()), {});
                  });
  };
  ports.accounts.load = [accounts](const std::string& account) { accounts->load(account); };
  const auto logins = std::make_shared<login::LoginCalls>(node.rpc(), gate::kLoginAnswer);
  ports.login.ask = [logins](std::uint64_t question, const gate::LoginAsk& ask,
                             gate::LoginPort::Said said) {
    logins->ask(question, ask, std::move(said));
  };
  ports.login.forget = [logins](std::uint64_t question) { logins->forget(question); };
  return ports;
}

}  // namespace starbus::nodes::programs
