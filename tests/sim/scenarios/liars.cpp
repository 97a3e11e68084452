// A process and a host that lie: what they say costs others neither messages nor names.
#include "bus/core/wire/record.hpp"
#include "tests/sim/script.hpp"

namespace starbus::sim {
namespace {

WorldOptions with_liars() {
  WorldOptions options;
  options.liars = true;
  return options;
}

LiarNode& lying_process(Script& s) {
  return *s.world.liars().at(0);
}

LiarNode& lying_host(Script& s) {
  return *s.world.liars().at(1);
}

/// Acknowledges all that a.1 has sent to the channel.
template <class Liar>
void acknowledge_all(Script& s, Liar& liar, const bus::Row& row) {
  const bus::Process victim = s.process("a.1").core().self();
  for (int i = 0; i < 20; ++i) {
    liar.say(bus::Ack{bus::Lane::call, victim, bus::channel_id(row.name), row.lineage,
                      ~std::uint64_t{}});
    s.run_ms(50);
  }
}

/// A process lists a channel of another host by an epoch that was never granted.
void a1(std::FILE* trace) {
  Script s(with_liars(), trace);
  LiarNode& liar = lying_process(s);
  bus::Row row = liar.row_of("mover/y");
  row.epoch = bus::Epoch::of(row.epoch.term(), (std::uint64_t{1} << 40) - 1);
  liar.set_rows({row});
  liar.start();
  s.run_ms(500);
  s.until_handled(s.send("entity/a.1", "mover/y"));
  // Its busd has just restarted, and busroot has not answered yet.
  s.host("a").crash();
  s.hold_all("busroot", "a");
  s.host("a").start();
  s.run_ms(2'000);
  const MessageId id = s.send("entity/a.2", "mover/y");
  s.run_ms(2'000);
  s.release_all();
  s.until_handled(id);
  s.expect(s.handler_of(id) == "b.1", "the owner handles it");
  s.finish();
}

/// A process lists a channel of another host as its frozen copy, and acknowledges for it.
void a2(std::FILE* trace) {
  Script s(with_liars(), trace);
  LiarNode& liar = lying_process(s);
  const bus::Row row = liar.row_of("entity/b.1", bus::RowState::frozen);
  liar.set_rows({row});
  liar.start();
  s.run_ms(500);
  s.hold_all("a", "busroot");
  const MessageId id = s.send("entity/a.1", "entity/b.1");
  acknowledge_all(s, liar, row);
  s.release_all();
  s.until_handled(id);
  s.finish();
}

/// A host acknowledges, in grace, for the channel of a host that is not back yet.
void a3(std::FILE* trace) {
  Script s(with_liars(), trace);
  LiarNode& liar = lying_host(s);
  liar.set_rows({});
  const bus::Row row = liar.row_of("entity/b.1");
  liar.start();
  s.run_ms(500);
  s.hold_all("b", "busroot");
  s.world.root().crash();
  s.run_ms(50);
  s.world.root().start();
  s.until([&] { return s.host("a").router()->uplink().greeted; }, "a to announce");
  s.run_ms(1'000);
  const MessageId id = s.send("entity/a.1", "entity/b.1");
  acknowledge_all(s, liar, row);
  s.release_all();
  s.until_handled(id);
  s.finish();
}

}  // namespace

std::vector<Scenario> liar_scenarios() {
  return {
      {"A1", "a process lists a channel of another host by an epoch that was never granted", a1},
      {"A2", "a process acknowledges for a frozen copy that it never had", a2},
      {"A3", "a host acknowledges for a name that busroot does not know yet", a3},
  };
}

}  // namespace starbus::sim
