// Accounts as entities: what clients, gates and deadlines do to them.
#include <gmock/gmock.h>

#include "tests/nodes/players/home.hpp"

namespace starbus::nodes::players {
namespace {

using boost::asio::use_awaitable;
using bus::Task;
using ::testing::ElementsAre;
using namespace std::chrono_literals;

class AccountTest : public PlayersTest {};

TEST_F(AccountTest, AClientLogsInChoosesPlaysAndComesBackToItsAccount) {
  run([this]() -> Task {
    EXPECT_TRUE(co_await open());
    EXPECT_EQ(ada->life_cycle().state_name(), "offline");
    EXPECT_TRUE(co_await play());
    Hero* const bob = hero(*x);
    EXPECT_EQ(bob->comings, 1);
    EXPECT_EQ(state_of(*x), "playing");
    EXPECT_EQ(gate->full.up_done, 2U) << "numbers go on from the account to the hero";
    EXPECT_TRUE(co_await request<&Player::log_out>(*gate, 3));
    EXPECT_TRUE(co_await plays(*gate, "account/ada"));
    EXPECT_EQ(gate->full.up_done, 3U);
    EXPECT_TRUE(co_await until([this] { return state_of(*x) == "gone"; }));
    EXPECT_EQ(ada->life_cycle().state_name(), "lobby");
    EXPECT_TRUE(shelf.all.contains("hero/ada.1")) << "it was saved";
    EXPECT_TRUE(co_await request<&Account::leave>(*gate, 4));
    EXPECT_TRUE(co_await until([this] { return gate->ended() != nullptr; }));
    EXPECT_EQ(gate->ended()->reason, Reason::ended);
    EXPECT_EQ(ada->life_cycle().state_name(), "offline");
    EXPECT_THAT(ada->closed, ElementsAre(Reason::ended));
  });
}

TEST_F(AccountTest, CharactersAreMadeAndRemovedWithinBounds) {
  run([this]() -> Task {
    EXPECT_TRUE(co_await open());
    EXPECT_TRUE(co_await log_in(*gate, 5));
    EXPECT_TRUE(co_await plays(*gate, "account/ada"));
    std::uint64_t u = 0;
    const std::string bad[] = {"", "admin", "a\nb", "\xff", std::string(kCharacterName + 1, 'x')};
    for (const std::string& name : bad) {
      EXPECT_TRUE(co_await request<&Account::create>(*gate, ++u, name));
      EXPECT_FALSE(good(*gate, u)) << name;
    }
    for (std::size_t i = 0; i < kCharacters; ++i) {
      EXPECT_TRUE(co_await request<&Account::create>(*gate, ++u, std::string("Bob")));
      EXPECT_TRUE(good(*gate, u));
    }
    EXPECT_TRUE(co_await request<&Account::create>(*gate, ++u, std::string("Bob")));
    EXPECT_FALSE(good(*gate, u)) << "kCharacters";
    EXPECT_TRUE(co_await request<&Account::remove>(*gate, ++u, std::string("ada.3")));
    EXPECT_TRUE(good(*gate, u));
    EXPECT_TRUE(co_await request<&Account::remove>(*gate, ++u, std::string("ada.3")));
    EXPECT_FALSE(good(*gate, u));
    EXPECT_TRUE(co_await request<&Account::choose>(*gate, ++u, std::string("ada.3")));
    EXPECT_FALSE(good(*gate, u));
    EXPECT_EQ(ada->state.characters.size(), kCharacters - 1);
    EXPECT_TRUE(co_await request<&Account::create>(*gate, ++u, std::string("Eve")));
    EXPECT_TRUE(good(*gate, u));
    const std::int64_t latest = static_cast<std::int64_t>(kCharacters) + 1;
    EXPECT_EQ(ada->state.characters.at(latest).id.get(), "ada.17") << "no id comes again";
  });
}

TEST_F(AccountTest, ALaterLoginTakesTheHeroOver) {
  run([this]() -> Task {
    EXPECT_TRUE(co_await open());
    EXPECT_TRUE(co_await play());
    EXPECT_TRUE(co_await log_in(*other, 6));
    EXPECT_TRUE(co_await plays(*other, kHero));
    EXPECT_TRUE(co_await until([this] { return gate->ended() != nullptr; }));
    EXPECT_EQ(gate->ended()->reason, Reason::replaced);
    EXPECT_EQ(other->full.up_done, 0U) << "another login counts from 1";
    EXPECT_EQ(state_of(*x), "playing");
    EXPECT_EQ(hero(*x)->comings, 1) << "it stayed in the world";
    EXPECT_EQ(hero(*x)->backs, 1) << "the new client has to join its groups";
    const sessions::AskAccount old =
        sessions::BindSession{{7, 7}, gate->id(), 1, {}, Home::ticket(1)};
    const auto refused = co_await ask(gate->endpoint, old);
    EXPECT_EQ(refused.kind, sessions::AccountAnswerKind::replaced);
    const sessions::AskAccount forged =
        sessions::BindSession{{7, 7}, gate->id(), 1, {}, bus::Bytes()};
    const auto no_ticket = co_await ask(gate->endpoint, forged);
    EXPECT_EQ(no_ticket.kind, sessions::AccountAnswerKind::refused);
  });
}

TEST_F(AccountTest, AfterTheDeathOfAccountAndHeroTheSessionGoesOn) {
  run([this]() -> Task {
    EXPECT_TRUE(co_await open());
    EXPECT_TRUE(co_await play());
    hero(*x)->state.gold = 77;
    EXPECT_TRUE(
        co_await until([this] { return hero(*x)->state.gold == 77 && x->host.unsaved() == 0; }));
    const sessions::Bind bind = gate->at.bind;
    gate->full = {};
    x.reset();
    EXPECT_TRUE(co_await enter(*y));
    EXPECT_TRUE(co_await plays(*gate, kHero));
    EXPECT_GT(gate->at.bind, bind);
    EXPECT_EQ(gate->at.session, (sessions::SessionId{5, 5}));
    EXPECT_EQ(hero(*y)->state.gold, 77);
    EXPECT_TRUE(co_await until([this] { return ada->life_cycle().state_name() == "online"; }));
    const sessions::AskAccount where = sessions::Where{{5, 5}, bind};
    const auto found = co_await ask(gate->endpoint, where);
    EXPECT_EQ(found.kind, sessions::AccountAnswerKind::bound);
    EXPECT_EQ(found.subject, kHero);
  });
}

TEST_F(AccountTest, ASessionThatIsNotLinkedInTimeEnds) {
  run([this]() -> Task {
    EXPECT_TRUE(co_await open());
    EXPECT_TRUE(co_await log_in(*gate, 5));
    EXPECT_TRUE(co_await plays(*gate, "account/ada"));
    x->around.load = [](const std::string&, const AccountWorld::Loaded&) {};  // never
    x->around.times.load = 60ms;
    EXPECT_TRUE(co_await request<&Account::create>(*gate, 1, std::string("Bob")));
    EXPECT_TRUE(co_await request<&Account::choose>(*gate, 2, std::string("ada.1")));
    EXPECT_TRUE(co_await until([this] {
      return ada->life_cycle().state_name() == "ending" ||
             ada->life_cycle().state_name() == "offline";
    }));
  });
}

TEST_F(AccountTest, AClientThatChoosesNothingIsLetGo) {
  times.lobby = 60ms;
  run([this]() -> Task {
    EXPECT_TRUE(co_await open());
    EXPECT_TRUE(co_await log_in(*gate, 5));
    EXPECT_TRUE(co_await until([this] { return gate->ended() != nullptr; }));
    EXPECT_EQ(gate->ended()->reason, Reason::away);
    EXPECT_EQ(ada->life_cycle().state_name(), "offline");
  });
}

TEST_F(AccountTest, AnEndThatIsNotStoredIsNotWaitedFor) {
  times.end = 60ms;
  run([this]() -> Task {
    EXPECT_TRUE(co_await open());
    EXPECT_TRUE(co_await log_in(*gate, 5));
    EXPECT_TRUE(co_await plays(*gate, "account/ada"));
    shelf.holds = true;
    EXPECT_TRUE(co_await request<&Account::leave>(*gate, 1));
    EXPECT_TRUE(co_await until([this] { return ada->life_cycle().state_name() == "offline"; }));
    EXPECT_EQ(gate->ended(), nullptr) << "what is not stored is not told";
    shelf.release();
    EXPECT_TRUE(co_await until([this] { return gate->ended() != nullptr; }));
  });
}

TEST_F(AccountTest, AnIdleAccountGoes) {
  times.idle = 30ms;
  run([this]() -> Task {
    EXPECT_TRUE(co_await open());
    EXPECT_TRUE(co_await until([this] { return x->host.entities().size() == 0; }));
    EXPECT_TRUE(co_await enter(*y)) << "its name is free";
  });
}

}  // namespace
}  // namespace starbus::nodes::players
