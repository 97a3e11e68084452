#include "nodes/players/account_loader.hpp"

#include "bus/core/wire/name.hpp"
#include "entity/client/account_name.hpp"

namespace starbus::nodes::players {

using entity::sessions::kAccountPrefix;

void AccountLoader::load(entity::rpc::Caller&, std::string channel) {
  if (!channel.starts_with(kAccountPrefix) || channel.size() == kAccountPrefix.size() ||
      !bus::check_channel_name(channel)) {
    ++refused_;
    return;
  }
  load_(channel);
}

}  // namespace starbus::nodes::players
