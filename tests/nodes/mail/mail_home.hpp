/// Two processes on two hosts, a mail store, a shelf of documents, and players who read mail.
#pragma once

#include <gmock/gmock.h>

#include <boost/asio/use_awaitable.hpp>

#include "mail/mail_store_thread.hpp"
#include "nodes/hosting/db_saver.hpp"
#include "nodes/hosting/entity_host.hpp"
#include "nodes/hosting/mail/inbox.hpp"
#include "nodes/hosting/mail/notices.hpp"
#include "nodes/hosting/mail/post.hpp"
#include "nodes/runtime/main_loop.hpp"
#include "testing/cluster.hpp"
#include "tests/bus/client/loop_fixture.hpp"
#include "tests/daemon/support.hpp"
#include "tests/nodes/hosting/shelf.hpp"

namespace starbus::nodes::entities {

namespace rpc = entity::rpc;

struct PlayerState : entity::Properties<PlayerState> {
  entity::Field<int, entity::Flags::save> gold{this, "gold"};
  entity::List<int, entity::Flags::save> seen{this, "seen"};
  entity::List<std::string, entity::Flags::save> heard{this, "heard"};
  entity::StateOf<Inbox> inbox{this};
  entity::StateOf<Notices> notices{this};
};
class Player final
    : public entity::EntityOf<Player, entity::Entity, entity::Components<Inbox, Notices>> {
 public:
  static constexpr std::string_view kTypeName = "player";
  explicit Player(const entity::ConstructKey& key) : EntityOf(key) {}

  void gift(const MailInfo&, int gold) {
    state.gold += gold;
    state.seen.push_back(gold).value();
  }
  /// Refuses as often as the test says.
  entity::EntityResult<> stubborn(const MailInfo& mail, int gold) {
    attempts.push_back(static_cast<int>(mail.attempts));
    if (refusals > 0) {
      --refusals;
      return entity::EntityError(entity::EntityErrc::hook_failed, "not today");
    }
    gift(mail, gold);
    return {};
  }
  void wild(const MailInfo&) { throw std::runtime_error("a wild handler"); }
  void leave(const MailInfo&, int gold) {
    state.gold += gold;
    destroy();
  }
  void hear(const MailInfo& notice, const std::string& text) {
    state.heard.push_back(text).value();
    EXPECT_TRUE(notice.notice);
  }
  entity::Root* properties() override { return &state; }
  PlayerState state;
  static inline int refusals = 0;
  static inline std::vector<int> attempts;  // as the handler was told
  static constexpr auto kMail =
      mail_methods(mail_method<&Player::gift>("gift"), mail_method<&Player::stubborn>("stubborn"),
                   mail_method<&Player::wild>("wild"), mail_method<&Player::leave>("leave"),
                   mail_method<&Player::hear>("hear"));

 private:
  ~Player() override = default;
};

/// A process whose players are kept on a shelf.
struct MailHome {
  MailHome(boost::asio::io_context& loop, const bus::Options& options, Shelf& shelf,
           std::uint64_t first, bool saves = true,
           std::chrono::milliseconds mail_retry = std::chrono::milliseconds(1))
      : drawn(first),
        saver(shelf),
        bus(loop, options),
        main(loop),
        host(endpoint, main.timers(), options.node, with(saves, mail_retry)) {
    host.declare<Player>();
    endpoint.on_lease_lost([this] { host.lose_all(); });
  }
  HostOptions with(bool saves, std::chrono::milliseconds mail_retry) {
    HostOptions made;
    made.draw = [this]() -> entity::IdentityResult<entity::OnlineId> {
      return entity::OnlineId{++drawn};
    };
    if (saves) made.save = saver.store();
    made.load = saver.loader();
    made.tick = std::chrono::milliseconds(5);
    made.mail_retry = mail_retry;
    return made;
  }
  std::uint64_t drawn;
  DbSaver saver;
  bus::Bus bus;
  rpc::Endpoint endpoint{bus};
  MainLoop main;
  EntityHost host;
};

class EntityMailFixture : public bus::LoopTest {
 protected:
  EntityMailFixture() {
    Player::refusals = 0;
    Player::attempts.clear();
  }
  ~EntityMailFixture() override {
    x.reset();
    y.reset();
    cluster.crash_busd("a");  // the store waits for no daemon
    store.reset();
  }
  boost::asio::awaitable<bool> begin() {
    for (MailHome* home : {x.get(), y.get()}) {
      const auto connected = co_await home->bus.connect(boost::asio::use_awaitable);
      if (!connected) co_return false;
      const auto ready = co_await home->endpoint.ready(boost::asio::use_awaitable);
      if (!ready) co_return false;
    }
    co_return true;
  }
  /// Null: it is not there. Waits while a former life is on its way out.
  boost::asio::awaitable<Player*> enter(MailHome& at, std::string name = "player/ada") {
    boost::asio::steady_timer pause(loop);
    for (int i = 0; i < 2'000; ++i) {
      auto end = co_await at.host.enter<Player>(name, {}, boost::asio::use_awaitable);
      if (end && end->entity != nullptr) co_return end->entity;
      pause.expires_after(std::chrono::milliseconds(5));
      co_await pause.async_wait(boost::asio::use_awaitable);
    }
    ADD_FAILURE() << name << " does not enter";
    co_return nullptr;
  }
  /// The process ends, and nothing of its entities is saved by that.
  boost::asio::awaitable<void> kill(std::unique_ptr<MailHome>& home) {
    shelf.refuses = true;
    const auto closed =
        co_await home->bus.close(std::chrono::seconds(1), boost::asio::use_awaitable);
    EXPECT_TRUE(closed);
    home.reset();
    shelf.refuses = false;
  }
  /// So many messages were acknowledged, as the store counts them.
  boost::asio::awaitable<bool> settled(std::uint64_t messages) {
    co_return co_await until(
        [this, messages] { return store->figures().counters.settled == messages; });
  }
  static mail::MailStoreSettings store_settings(const starbus::testing::Cluster& cluster,
                                                const daemon::test::TempFolder& folder) {
    mail::MailStoreSettings settings;
    settings.host = "a";
    settings.folder = folder.path() / "mail";
    for (int shard = 0; shard < 256; ++shard) {
      settings.shards.push_back(static_cast<std::uint8_t>(shard));
    }
    settings.scrub.rate = 0;
    settings.endpoint = cluster.node("a", "store").endpoint;
    return settings;
  }
  static mail::MailStoreHooks store_hooks() {
    mail::MailStoreHooks hooks;
    hooks.trouble = [](const std::string&) {};
    hooks.note = [](const std::string&) {};
    hooks.stopped = [](const storage::Error& why) { ADD_FAILURE() << why.to_string(); };
    return hooks;
  }

  daemon::test::TempFolder folder;
  starbus::testing::Cluster cluster{loop, {.hosts = {"a", "b"}, .lease = bus::from_ms(2'000)}};
  std::unique_ptr<mail::MailStoreThread> store =
      std::make_unique<mail::MailStoreThread>(store_settings(cluster, folder), store_hooks());
  Shelf shelf{loop};
  std::unique_ptr<MailHome> x = std::make_unique<MailHome>(loop, cluster.node("a", "x"), shelf, 0);
  std::unique_ptr<MailHome> y =
      std::make_unique<MailHome>(loop, cluster.node("b", "y"), shelf, 1'000);
};

}  // namespace starbus::nodes::entities
