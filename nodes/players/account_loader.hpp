/// Loads accounts for gates and logins, under `service/accounts`: in each node whose EntityHost has
/// accounts.
///
///   players::AccountLoader loader(players::load_account_here<MyAccount>(host));
///   node.offer(std::string(players::kAccountService), loader);
///
/// Belongs to the loop's thread; the host outlives it. Only gates and servers may call.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "entity/rpc/rpc.hpp"
#include "nodes/hosting/entity_host.hpp"

namespace starbus::nodes::players {

/// The shared name of all loaders.
inline constexpr std::string_view kAccountService = "service/accounts";

class AccountLoader final : public entity::rpc::Callable<AccountLoader> {
 public:
  /// Has the account loaded, here or where it lives already.
  using Load = std::function<void(const std::string& channel)>;
  explicit AccountLoader(Load load) : load_(std::move(load)) {}
  ~AccountLoader() { close_rpc(); }

  /// `account/NAME`. Whoever wants the account asks it again: there is no answer.
  void load(entity::rpc::Caller& from, std::string channel);

  static constexpr auto kRpc = entity::rpc::methods(
      "starbus_accounts", entity::rpc::method<&AccountLoader::load>("load", entity::rpc::gate));

  std::uint64_t refused() const { return refused_; }  // names of other things

 private:
  const Load load_;
  std::uint64_t refused_ = 0;
};

/// Accounts of class A enter in this process.
template <entity::EntityClass A>
AccountLoader::Load load_account_here(entities::EntityHost& host) {
  return [&host](const std::string& channel) {
    host.enter<A>(channel, {}, [](const bus::Result<entities::Entered<A>>&) {});
  };
}

}  // namespace starbus::nodes::players
