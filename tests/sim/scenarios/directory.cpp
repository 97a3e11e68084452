// Spec cases D, G, C: directory and leases, groups, causality.
#include "bus/core/routers/root/directory.hpp"
#include "tests/sim/scenarios/places.hpp"

namespace starbus::sim {
namespace {

using bus::Errc;

void restart_root(Script& s, std::uint64_t down_ms = 50) {
  s.world.root().crash();
  s.run_ms(down_ms);
  s.world.root().start();
}

void d1(std::FILE* trace) {
  Script s(with_things(), trace);
  s.bind("c.1", "thing/1");
  s.until_rest();
  s.hold_all("c", "busroot");  // as after a power loss that nobody has noticed yet
  restart_root(s);
  s.run_ms(500);
  const MessageId id = s.send("entity/a.1", "entity/c.2");
  s.bind("a.1", "thing/1");
  s.run_ms(9'000);
  s.expect(s.owner("thing/1") == "c.1", "a name of a host that is awaited is not granted");
  s.expect(s.failed.empty(), "nothing fails as no_owner");
  s.release_all();
  s.until_handled(id);
  s.finish();
  s.expect(s.owner("thing/1") == "c.1", "the owner keeps its name");
}

void d2(std::FILE* trace) {
  Script s({}, trace);
  s.hold_all("c", "busroot");
  restart_root(s);
  s.until([&] { return s.host("b").router()->uplink().greeted; }, "b to announce");
  const MessageId first = s.announce("entity/a.1", {"entity/b.1", "entity/c.1", "entity/c.2"});
  s.run_ms(2'000);
  s.release_all();
  for (MessageId id = first; id < first + 3; ++id) s.until_handled(id);
  s.finish();
}

void d3(std::FILE* trace) {
  Script s(with_things(), trace);
  s.bind("b.1", "thing/1");
  s.until_rest();
  const auto epoch_of = [&](std::string_view name) {
    return s.world.root()
        .router()
        ->directory()
        .find(s.world.name(s.world.index_of(name)).id)
        ->epoch;
  };
  const bus::Epoch before = epoch_of("thing/1");
  restart_root(s);
  s.until_rest();
  s.bind("a.1", "thing/2");
  s.until_rest();
  s.expect(epoch_of("thing/2") > before, "a restarted busroot grants higher epochs");
  s.expect(epoch_of("thing/2").term() > before.term(), "under a higher term");
  s.finish();
}

/// A stopped owner: its lease passes, another is granted, it wakes and must not act.
void d4(std::FILE* trace) {
  Script s(with_things(), trace);
  s.world.leases_may_end = true;
  s.bind("b.1", "thing/1");
  s.until_rest();
  s.until_handled(s.send("entity/a.1", "thing/1"));
  s.process("b.1").pause();
  s.hold_all("b", "b.1");
  s.run_ms(45'000);
  s.world.oracle.disturbed();
  s.bind("a.2", "thing/1");
  s.until([&] { return s.process("a.2").owns(s.world.name(s.world.index_of("thing/1")).id); },
          "the name to be free after the lease");
  s.process("b.1").resume();  // from here on the oracle sees two owners
  s.run_ms(100);
  s.release_all();
  s.run_ms(1'000);
  s.expect(s.world.counts[Event::leases_lost] == 1, "the stopped owner has fenced itself");
  s.finish();
}

/// A host cut off from busroot: its processes stop before their names go to others.
void d4b(std::FILE* trace) {
  Script s(with_things(), trace);
  s.world.leases_may_end = true;
  s.bind("b.1", "thing/1");
  s.until_rest();
  s.world.isolate(s.host("b"), s.world.now() + from_ms(43'000));
  s.world.network.swallow(s.world.network.link_between(s.host("b"), s.world.root()), true, true);
  s.run_ms(5'000);
  s.bind("a.1", "thing/1");  // refused while the lease runs
  for (int i = 0; i < 60 && s.owner("thing/1") != "a.1"; ++i) {
    s.run_ms(1'000);
    if (!s.process("a.1").application().binding(s.world.index_of("thing/1"))) {
      s.bind("a.1", "thing/1");
    }
  }
  s.expect(s.owner("thing/1") == "a.1", "the name is free after the lease");
  s.until([&] { return s.host("b").router()->uplink().greeted; }, "b to come back with its claims");
  s.run_ms(3'000);
  const MessageId id = s.send("entity/c.1", "thing/1");
  s.until_handled(id);
  s.expect(s.handler_of(id) == "a.1", "a claim under a lower epoch takes nothing away");
  s.finish();
}

/// Another machine that carries the host's name must not take its names. (Two busds of one machine
/// are kept apart by the lock on the state directory, before anything else.)
void d5(std::FILE* trace) {
  Script s({}, trace);
  HostNode second(s.world, "b");
  second.set_machine("another");
  second.start();
  s.run_ms(3'000);
  s.expect(second.router() && !second.router()->uplink().greeted, "the second is refused");
  s.expect(s.host("b").router()->uplink().greeted, "the first serves on");
  const MessageId id = s.send("entity/a.1", "entity/b.1");
  s.until_handled(id);
  second.crash();
  s.run_ms(100);
  s.finish();
}

void d6(std::FILE* trace) {
  Script s({}, trace);
  bus::Directory::Owner owner(bus::Process{1, 2, 3});
  {
    bus::Directory directory;
    const bus::ChannelId id = bus::channel_id("player/1");
    directory.insert(id, "player/1", owner);
    s.expect(directory.find(id, "player/2").error() == Errc::name_taken,
             "a name that collides does not unbind its victim");
  }
  s.finish();
}

void g1(std::FILE* trace) {
  Script s(with_things(), trace);
  s.bind("b.2", "thing/1");
  s.until_rest();
  s.hold("busroot", "b", Kind::multicast);
  for (const char* name : {"entity/b.1", "entity/c.1", "thing/1"}) {
    s.until_handled(s.send("entity/a.1", name));
  }
  const MessageId first =
      s.announce("entity/a.1", {"entity/b.1", "entity/c.1", "entity/c.2", "thing/1"});
  s.run_ms(50);
  s.process("b.2").application().unbind(s.world.index_of("thing/1"));  // a member leaves
  s.bind("c.2", "thing/2");                                            // another joins
  restart_root(s);
  s.release_all();
  for (MessageId id = first; id < first + 3; ++id) s.until_handled(id);
  s.until([&] { return s.was_handled(first + 3) || s.failed.contains(first + 3); },
          "the one that left to be reported");
  s.finish();
}

/// Daemons choose nothing: what is resent goes where it was sent.
void g2(std::FILE* trace) {
  Script s(with_things(), trace);
  s.bind("b.1", "thing/1");
  s.bind("c.1", "thing/2");
  s.until_rest();
  s.until_handled(s.send("entity/a.1", "thing/1"));
  s.hold("b", "b.1", Kind::data);
  const MessageId first = s.send("entity/a.1", "thing/1");
  s.until_held("b", "b.1");
  s.host("b").crash();
  s.release_all();
  s.host("b").start();
  const MessageId second = s.send("entity/a.1", "thing/1");
  s.until_handled(second);
  s.expect(s.handler_of(first) == "b.1" && s.handler_of(second) == "b.1",
           "both at the instance that the sender chose");
  s.finish();
}

/// Order is per sender; who wants more waits until what it sent is settled, as flush() does.
void c1(std::FILE* trace) {
  Script s({}, trace);
  s.until_handled(s.send("entity/a.1", "mover/y"));
  s.until_rest();
  s.hold("busroot", "b", Kind::data);
  const MessageId first = s.send("entity/a.1", "mover/y");  // mover/y is at b.1
  s.until_held("busroot", "b");
  const bus::Origin& origin = s.process("a.1").core().origin();
  const bus::Origin::Mark mark = origin.mark();
  s.run_ms(500);
  s.expect(!origin.settled(mark), "what is under way is not settled");
  s.release_all();
  s.until([&] { return origin.settled(mark); }, "the flush");
  s.expect(s.was_handled(first), "settled means handled");
  s.until_handled(s.send("entity/a.1", "entity/b.2"));
  s.finish();
}

/// Nothing of a dead incarnation is delivered after its death was reported, although the report, in
/// the control lane, overtakes what waits in a slow link.
void c2(std::FILE* trace) {
  Script s({}, trace);
  s.until_handled(s.send("entity/b.2", "entity/a.1", bus::Lane::bulk));
  s.until_rest();
  const LinkId link = s.world.network.link_between(s.process("a.1"), s.host("a"));
  s.world.network.slow_down(link, Toward::connector, from_ms(20));
  for (int i = 0; i < 9; ++i) s.send("entity/b.2", "entity/a.1", bus::Lane::bulk, 100'000);
  s.until([&] { return s.host("a").router()->counters().runs_forwarded >= 9; }, "busd to have it");
  s.kill("b.2");
  const auto reported = [&] {
    return !s.process("a.1").core().rows("")->rows().contains("process/b.2");
  };
  s.until(reported, "the death to be reported");
  const std::uint64_t before = s.world.counts[Event::handled];
  s.run_ms(1'000);
  s.expect(s.world.counts[Event::handled] == before, "no message of the dead after its death");
  s.finish();
}

}  // namespace

std::vector<Scenario> directory_scenarios() {
  return {
      {"D1", "grace ends when all have announced, not by a short clock", d1},
      {"D2", "an announcement in grace reaches all members", d2},
      {"D3", "a restarted busroot grants higher epochs", d3},
      {"D4", "a stopped owner fences itself", d4},
      {"D4b", "the processes of an isolated host fence themselves", d4b},
      {"D5", "a second busd under one host name is refused", d5},
      {"D6", "names that collide do not rob each other", d6},
      {"G1", "each member of a group is a stream of its own", g1},
      {"G2", "the sender chooses the instance", g2},
      {"C1", "flush waits until everything is handled", c1},
      {"C2", "nothing of a dead process after its death", c2},
  };
}

}  // namespace starbus::sim
