// A program over written code that warns of nothing: compiled with each compiler by itself
// (ClientCodeCompiles), and so no .cpp.
#include "tests/clients/code/heroes.hpp"

#include "clients/cpp/client.hpp"
#include "tests/clients/code/odd.hpp"

namespace game = starbus::game;

struct Program : game::Events, heroes::HeroClient, heroes::HeroState::Watch {
  game::View<heroes::HeroState> hero{*this};
  game::Client* client = nullptr;
  std::int64_t gold = 0;

  void on_full(const game::FullState& full) override { take(hero.snapshot(full.properties)); }
  void on_news(game::ByteView news) override { take(hero.delta(news)); }
  void on_names(const game::ServerNames& names, std::span<const game::Difference>) override {
    take(hero.learn(names));
  }
  void on_call(const game::Call& call) override { static_cast<void>(hear(call)); }
  void take(game::Taken taken) {
    if (taken != game::Taken::ok && taken != game::Taken::waits) client->refresh();
  }

  void gold_changed(const std::int64_t& now) override { gold = now; }
  void said(const std::string&, const std::string&) override {}
  void shown(const heroes::Tree&, const std::variant<std::int32_t, std::string>&,
             const std::tuple<std::int32_t, std::string, bool>&, const std::vector<std::string>&,
             const std::array<std::int32_t, 3>&, const std::map<std::string, std::int64_t>&,
             const std::optional<heroes::Order>&, std::chrono::duration<std::int64_t, std::milli>,
             const heroes::Nothing&, double, const game::Bytes&) override {}
};

int main() {
  Program program;
  game::Options options;
  options.settings.names = &heroes::names();
  game::Client client(options, program);
  program.client = &client;
  const heroes::Hero hero(client);
  const auto asked = hero.buy(1001, "for you", [&](const auto& bought) {
    if (bought) program.gold -= *bought.value;
  });
  return asked == game::Asked::ok && odd::names().methods.empty() ? 1 : 0;
}
