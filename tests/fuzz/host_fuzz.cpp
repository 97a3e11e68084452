/// A busd's router between busroot (actor 0) and three processes (1 to 3, one of a restricted
/// role), all of which say what they like: nothing may stop it.
#include "bus/core/routers/host_router.hpp"

#include "bus/core/wire/name.hpp"
#include "tests/fuzz/router_driver.hpp"
#include "tests/fuzz/world.hpp"

namespace starbus::bus {
namespace {

class Shell final : public DeafShell<HostShell> {
 public:
  void watch_pid(std::int64_t) override {}
  void unwatch_pid(std::int64_t) override {}
  void remember_term(Epoch) override {}
  void journal(const JournaledProcess&, bool) override {}
  void answer_query(const Query& query) override { require(query.path.size() <= 255); }
  void uplink_ended(const Error&) override {}
};

HostConfig config() {
  Role free;
  free.name = "node";
  free.bind = free.send = {""};
  Role narrow;
  narrow.name = "narrow";
  narrow.bind = {"entity/"};
  narrow.send = {"entity/", "service/"};
  narrow.messages_per_second = 100;
  narrow.max_names = 4;
  HostConfig config;
  config.host = fuzz::kHost;
  config.software = "fuzz";
  config.incarnation = 7;
  config.access = AccessList({free, narrow});
  return config;
}

}  // namespace
}  // namespace starbus::bus

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace starbus::bus;
  Shell shell;
  HostRouter router(shell, config(), from_ms(10'000));
  RouterDriver<HostShell> driver(router, shell);
  driver.run(fuzz_input(data, size), 4, [&](std::uint8_t actor) {
    const LinkId id = driver.opened(actor);
    PeerFacts facts;
    facts.pid = actor + 1;
    if (actor == 0) {
      router.uplink_opened(id, {}, driver.session_of(id), driver.now());
      router.flush();
      Welcome welcome;
      welcome.host = "root-1";
      welcome.term = Epoch::of(1, 0);
      return driver.say(actor, welcome);
    }
    router.link_opened(id, facts, driver.now());
    driver.say(actor, fuzz::hello_of_process(actor));
    driver.say(actor, TableEnd{});
  });
  return 0;
}
