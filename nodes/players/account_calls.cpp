#include "nodes/players/account_calls.hpp"

#include <utility>

#include "nodes/players/account.hpp"
#include "nodes/players/account_loader.hpp"

namespace starbus::nodes::players {

namespace rpc = entity::rpc;

void AccountCalls::ask(const std::string& account, const entity::sessions::AskAccount& word,
                       std::chrono::milliseconds deadline, Done done) {
  bus::Bytes bytes;
  entity::sessions::encode(word, bytes);
  const std::string text(bus::as_text(bytes));
  rpc::CallOptions options;
  options.deadline = deadline;
  rpc::call<&Account::ask>(endpoint_, account, options,
                           text)([done = std::move(done)](const auto& answer) {
    if (answer) return done(*answer);
    done(rpc::Error(answer.error()));
  });
}

void AccountCalls::load(const std::string& account) {
  rpc::SendOptions options;
  // One of those who host accounts: the same for an account while it stays.
  options.hash_key = std::hash<std::string>()(account);
  static_cast<void>(
      rpc::send<&AccountLoader::load>(endpoint_, std::string(kAccountService), options, account));
}

}  // namespace starbus::nodes::players
