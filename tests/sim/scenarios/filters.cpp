// Spec cases F1 to F8: filters, custody, failures. Each forces the interleaving that it names.
#include "tests/sim/scenarios/places.hpp"

namespace starbus::sim {
namespace {

using bus::Errc;
using bus::Lane;

/// mover/x at b.1 is frozen, its state held on its way: what is sent to it waits at busroot.
void freeze_x(Script& s, std::string_view target) {
  if (s.owner("mover/x") != "b.1") s.move_and_wait("mover/x", "b.1");
  s.move("mover/x", target);
  s.until([&] { return s.copy("b.1", "mover/x")->frozen; }, "mover/x to freeze");
  s.hold_all("b.1", "b");
}

void f1(std::FILE* trace) {
  Script s({}, trace);
  freeze_x(s, "c.1");
  s.run_ms(600);  // the source is silent for a while: its link is held
  const MessageId one = s.send("entity/a.1", "mover/x");
  s.run_ms(20);
  s.expect(!s.was_handled(one), "the first message is held");
  s.release_all();
  const MessageId two = s.send("entity/a.1", "mover/y");
  s.until_handled(two);
  s.world.root().crash();
  s.run_ms(50);
  s.world.root().start();
  s.finish();
  s.expect(s.was_handled(one), "the held message survives the daemon that held it");
}

void f2(std::FILE* trace) {
  Script s({}, trace);
  s.send("entity/a.1", "mover/x");
  s.until_rest();
  freeze_x(s, "c.1");
  std::vector<MessageId> waiting;
  for (int i = 0; i < 40; ++i) waiting.push_back(s.send("entity/a.1", "mover/x"));
  s.run_ms(10);
  const MessageId later = s.send("entity/a.1", "entity/c.1");
  s.until_handled(later);
  s.release_all();
  for (const MessageId id : waiting) s.until_handled(id);
  s.expect(s.handler_of(waiting[0]) == "c.1", "what waited is handled at the new place");
  s.finish();
}

void f3(std::FILE* trace) {
  Script s({}, trace);
  s.send("entity/a.1", "mover/x");
  s.send("entity/a.1", "mover/y");
  s.until_rest();
  freeze_x(s, "c.1");
  const MessageId first = s.send("entity/a.1", "mover/x");  // these two share a bundle
  const MessageId second = s.send("entity/a.1", "entity/c.1");
  s.until_handled(second);
  s.expect(!s.was_handled(first), "the first is held");
  s.release_all();
  s.until_handled(first);
  s.finish();
}

void f4(std::FILE* trace) {
  Script s({}, trace);
  s.send("entity/a.1", "entity/b.1");
  s.until_rest();
  s.hold("busroot", "b", Kind::data);
  s.send("entity/a.1", "entity/b.1");
  s.send("entity/a.1", "entity/b.1");
  s.until_held("busroot", "b");
  s.world.root().crash();
  s.release_all();
  s.world.root().start();
  s.until([&] { return s.host("a").router()->uplink().greeted; }, "a to be back");
  const MessageId fifth = s.send("entity/a.1", "entity/b.1");  // the oracle sees if it overtakes
  s.until_handled(fifth);
  s.finish();
}

void f5(std::FILE* trace) {
  Script s(with_things(), trace);
  s.lose("busroot", Kind::nack, 3);
  const MessageId nowhere = s.send("entity/a.1", "thing/1");
  s.until([&] { return s.failed.contains(nowhere); }, "the refusal to be repeated");
  s.expect(s.failed[nowhere].reason == Errc::no_owner && !s.failed[nowhere].sent,
           "a message to nobody ends no_owner");
  s.finish();
}

void f6(std::FILE* trace) {
  Script s({}, trace);
  s.send("entity/a.1", "entity/b.1");
  s.until_rest();
  std::vector<MessageId> ids;
  s.hold("b.1", "b", Kind::ack);
  for (int i = 0; i < 3; ++i) ids.push_back(s.send("entity/a.1", "entity/b.1"));
  s.until_handled(ids[2]);
  s.until_held("b.1", "b");
  s.hold_all("busroot", "b");
  for (int i = 0; i < 2; ++i) ids.push_back(s.send("entity/a.1", "entity/b.1"));
  s.run_ms(20);
  s.kill("b.1");
  s.release_all();
  s.run_ms(200);
  s.process("b.1").start();
  s.until([&] { return s.failed.size() == ids.size(); }, "all five to be reported");
  for (const MessageId id : ids) {
    s.expect(s.failed[id].reason == Errc::owner_lost && s.failed[id].sent,
             "what is unacknowledged at an owner's death ends owner_lost");
  }
  s.finish();
}

void f6b(std::FILE* trace) {
  Script s({}, trace);
  s.send("entity/a.1", "entity/b.2", Lane::bulk);
  s.send("entity/a.1", "entity/b.1", Lane::bulk);
  s.until_rest();
  // Megabytes for a neighbour on a slow link: the message waits behind them, and the grant to the
  // next life, in the control lane, passes it.
  s.world.network.slow_down(s.world.network.link_between(s.host("b"), s.world.root()),
                            Toward::connector, from_ms(100));
  for (int i = 0; i < 9; ++i) s.send("entity/a.1", "entity/b.1", Lane::bulk, 100'000);
  s.run_ms(100);  // they are at busroot
  const MessageId stale = s.send("entity/a.1", "entity/b.2", Lane::bulk);
  s.run_ms(20);
  s.kill("b.2");
  s.run_ms(10);
  s.process("b.2").start();
  s.until([&] { return s.owner("entity/b.2") == "b.2"; }, "the next life");
  s.expect(!s.failed.contains(stale), "the stale message is still on its way");
  s.until([&] { return s.failed.contains(stale); }, "the stale message to be reported");
  s.run_ms(3'000);  // the copy arrives
  s.expect(!s.was_handled(stale), "a message for a dead life never runs in the next");
  s.finish();
}

void f7(std::FILE* trace) {
  Script s(with_things(), trace);
  s.bind("b.1", "thing/1");
  s.until_rest();
  s.lose("b.1", Kind::ack);
  const MessageId id = s.send("entity/a.1", "thing/1");
  s.until_handled(id);
  s.process("b.1").application().unbind(s.world.index_of("thing/1"));
  s.until([&] { return s.failed.contains(id); }, "the sender to be told");
  s.expect(s.failed[id].reason == Errc::owner_lost && s.failed[id].sent,
           "no_owner is never said of a message that has left");
  s.finish();
}

void f8(std::FILE* trace) {
  Script s({}, trace);
  s.send("entity/a.1", "entity/b.1");
  s.until_rest();
  s.hold("b.1", "b", Kind::hello);
  s.cut("b.1");
  s.run_ms(50);
  const MessageId fifth = s.send("entity/a.1", "entity/b.1");
  s.until([&] { return s.host("b").router()->host_counters().without_session > 0; }, "a refusal");
  s.release_all();
  s.until([&] { return s.process("b.1").core().greeted(); }, "b.1 to be back");
  const MessageId sixth = s.send("entity/a.1", "entity/b.1");
  s.until_handled(sixth);
  s.expect(s.was_handled(fifth), "the fifth before the sixth");
  s.finish();
}

}  // namespace

std::vector<Scenario> filter_scenarios() {
  return {
      {"F1", "a held message survives although a later one to another channel was handled", f1},
      {"F2", "a moved channel brings its filter", f2},
      {"F3", "the record is what is known, not the bundle", f3},
      {"F4", "holes are seen: prev", f4},
      {"F5", "a refusal may be lost, the release is not", f5},
      {"F6", "what is unacknowledged at an owner's death is owner_lost", f6},
      {"F6b", "a stale copy never reaches the next life", f6b},
      {"F7", "no_owner is never said of a handled message", f7},
      {"F8", "refused 5 is delivered before 6", f8},
  };
}

}  // namespace starbus::sim
