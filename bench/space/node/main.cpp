// bench-space-node: the space node of bench_space, which starts it. Accounts, walkers, and fields
// without anything else.
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "bench/space/node/field.hpp"
#include "bench/space/node/walker.hpp"
#include "nodes/db/remote/remote_database.hpp"
#include "nodes/hosting/db_saver.hpp"
#include "nodes/login/accounts/ticket_check.hpp"
#include "nodes/players/account_loader.hpp"
#include "nodes/runtime/node.hpp"
#include "nodes/space/node/space_app.hpp"

namespace starbus::bench::space {
namespace {

using namespace std::chrono_literals;

class Walk final : public nodes::space::SpaceApp {
 public:
  Walk() {
    declare<Field>(kFieldType, [this](nodes::space::SpaceInit init, nodes::Node&) {
      auto made = std::make_unique<Field>(std::move(init), options_);
      field_ = made->id();
      return made;
    });
    entity<WalkerAccount>({.save_when = nodes::entities::SaveWhen::at_end});
    entity<Walker>({.save_every = 10s});
  }

  void configure(daemon::ConfigReader& reader) override {
    SpaceApp::configure(reader);
    ticket_keys_ = reader.strings("ticket_keys");
    options_.view = reader.integer<std::uint16_t>("view", 100, 1, 2'000);
    options_.margin = static_cast<float>(reader.number("margin", 0, 0, 1e6));
    options_.paths = reader.integer<std::uint32_t>("paths", 0, 0, 1'000'000);
    options_.news_every = reader.integer<std::uint64_t>("news_every", 0, 0, 1'000);
  }

  bus::Result<> start(nodes::Node& node) override {
    auto keys = nodes::login::VerifyingKeys::read(ticket_keys_);
    if (!keys) return bus::Error(bus::Errc::bad_config, keys.error().to_string());
    around_.ticket = nodes::login::ticket_check(std::move(*keys));
    if (auto started = SpaceApp::start(node); !started) return started;
    host().show_also("field", [this]() -> nlohmann::json {
      const auto* const field = dynamic_cast<const Field*>(host().find(field_));
      return field == nullptr ? nlohmann::json() : field->figures();
    });
    around_.load = players::load_at<Walker>(entities(), node.role());
    entities().world().add(around_);
    loader_.emplace(players::load_account_here<WalkerAccount>(entities()));
    node.offer(std::string(players::kAccountService), *loader_);
    return {};
  }

 private:
  nodes::entities::HostOptions entity_options(nodes::Node& node) override {
    database_.emplace(node.bus(), nodes::db::RemoteOptions{});
    nodes::entities::DbSaverOptions saving;
    // Only the present owner of a name may save what is kept under it.
    saving.checkout = [&node](const std::string& type, const std::string& id) {
      const bool account = type == WalkerAccount::kTypeName;
      return node.bus().epoch((account ? "account/" : "player/") + id).value;
    };
    saver_.emplace(*database_, saving);
    nodes::entities::HostOptions options;
    options.save = saver_->store();
    options.load = saver_->loader();
    options.take_in = {"player/", "account/"};
    return options;
  }

  FieldOptions options_;
  entity::OnlineId field_ = entity::OnlineId::none;
  std::vector<std::string> ticket_keys_;
  players::AccountWorld around_;
  std::optional<nodes::db::RemoteDatabase> database_;
  std::optional<nodes::entities::DbSaver> saver_;
  std::optional<players::AccountLoader> loader_;
};

}  // namespace
}  // namespace starbus::bench::space

int main(int argc, char** argv) {
  return starbus::nodes::run_node(
      {.role = "walk", .version = "1.0", .description = "The space node of bench_space."},
      std::make_unique<starbus::bench::space::Walk>(), argc, argv);
}
