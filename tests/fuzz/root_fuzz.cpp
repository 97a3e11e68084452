/// busroot's router and two busds (actors 0 and 1) that say what they like: nothing may stop it.
#include "bus/core/routers/root_router.hpp"

#include "tests/fuzz/router_driver.hpp"
#include "tests/fuzz/world.hpp"

namespace starbus::bus {
namespace {

class Shell final : public DeafShell<RootShell> {
 public:
  Result<> allow_host(const std::string&, const std::string&) override { return {}; }
  Result<> remember_hosts(const std::vector<std::string>&) override { return {}; }
  void answer_query(const Query& query) override { require(query.path.size() <= 255); }
  void on_answer(const Answer&) override {}
};

}  // namespace
}  // namespace starbus::bus

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace starbus::bus;
  Shell shell;
  RootRouter router(shell, {}, from_ms(10'000));
  RouterDriver<RootShell> driver(router, shell);
  driver.run(fuzz_input(data, size), 2, [&](std::uint8_t actor) {
    router.link_opened(driver.opened(actor), {}, driver.now());
    driver.say(actor, fuzz::hello_of_host(actor));
    for (const ProcessUp& process : fuzz::processes_of_host(actor)) driver.say(actor, process);
    driver.say(actor, TableEnd{});
  });
  return 0;
}
