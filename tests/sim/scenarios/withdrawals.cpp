// Messages that their senders have given up, and that wait on their way.
#include "tests/sim/script.hpp"

namespace starbus::sim {
namespace {

using bus::Lane;

/// Megabytes for a neighbour on a slow link: the message waits behind them at busroot, and the word
/// that it is given up passes it in the control lane.
void t1(std::FILE* trace) {
  Script s({}, trace);
  s.send("entity/a.1", "entity/b.2", Lane::bulk);
  s.send("entity/a.1", "entity/b.1", Lane::bulk);
  s.until_rest();
  s.world.network.slow_down(s.world.network.link_between(s.host("b"), s.world.root()),
                            Toward::connector, from_ms(100));
  for (int i = 0; i < 9; ++i) s.send("entity/a.1", "entity/b.1", Lane::bulk, 100'000);
  s.run_ms(100);  // they are at busroot
  const NameIndex from = s.world.index_of("entity/a.1");
  const NameIndex to = s.world.index_of("entity/b.2");
  Application::SendOptions options;
  options.expires = s.world.now() + from_ms(200);
  s.expect(s.process("a.1").application().send(from, {to}, Lane::bulk, options), "it is sent");
  const MessageId id = s.world.oracle.issued();
  const MessageId next = s.send("entity/a.1", "entity/b.2", Lane::bulk);
  s.until([&] { return s.failed.contains(id); }, "the message to expire");
  s.expect(s.failed[id].reason == bus::Errc::expired && s.failed[id].sent, "it had left");
  s.until_handled(next);
  s.expect(!s.was_handled(id), "what is given up is not handled");
  s.finish();
}

}  // namespace

std::vector<Scenario> withdrawal_scenarios() {
  return {{"T1", "what is given up is taken back from the queue in which it waits", t1}};
}

}  // namespace starbus::sim
