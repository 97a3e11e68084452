// Spec cases F9 to F13: sessions, link clocks, windows, gaps. And the life of filter entries.
#include "tests/sim/scenarios/places.hpp"

namespace starbus::sim {
namespace {

using bus::Lane;

void f9(std::FILE* trace) {
  Script s(with_things(), trace);
  s.bind("b.1", "thing/1");
  s.until_rest();
  s.world.network.set_stray_chance(0);
  s.hold("b", "busroot", Kind::table);
  s.cut("b.1");  // it says hello again, and busd tells its rows to busroot
  s.until_held("b", "busroot");
  s.world.network.abandon(s.world.network.link_between(s.host("b"), s.world.root()), {});
  s.release_all();
  s.until_rest();
  s.process("b.1").application().unbind(s.world.index_of("thing/1"));
  s.until_rest();
  s.world.network.set_stray_chance(1);
  s.until([&] { return s.world.counts[Event::stray_bundles] > 0; }, "old bytes on the new link");
  s.run_ms(100);
  s.finish();
  s.expect(s.owner("thing/1").empty(), "the old rows claim nothing");
}

/// A session's first bytes are read after those of its successor.
void f9b(std::FILE* trace) {
  Script s(with_things(), trace);
  s.cut("b");
  s.hold("b", "busroot", Kind::hello);
  s.until_held("b", "busroot");
  // busd gives up on that link; what is on it, a table without the name to be, is read later.
  s.world.network.abandon(s.world.network.link_between(s.host("b"), s.world.root()),
                          from_ms(4'000));
  s.release_all();
  s.until([&] { return s.host("b").router()->uplink().greeted; }, "the next session");
  s.bind("b.1", "thing/1");
  s.until_rest();
  s.run_ms(5'000);
  s.bind("a.1", "thing/1");
  s.run_ms(1'000);
  s.expect(s.owner("thing/1") == "b.1", "the older table erases nothing");
  s.finish();
}

void f10(std::FILE* trace) {
  Script s({}, trace);
  const std::vector<std::string> to = {"entity/b.1", "entity/b.2", "mover/y"};
  for (const std::string& name : to) s.send("entity/a.1", name, Lane::bulk);
  s.until_rest();
  const LinkId uplink = s.world.network.link_between(s.host("a"), s.world.root());
  s.world.network.slow_down(uplink, Toward::listener, from_ms(150));
  std::vector<MessageId> ids;
  for (int i = 0; i < 9; ++i) {
    for (const std::string& name : to)
      ids.push_back(s.send("entity/a.1", name, Lane::bulk, 100'000));
  }
  for (const MessageId id : ids) s.until_handled(id);
  s.expect(s.world.network.link_between(s.host("a"), s.world.root()) == uplink,
           "the session outlives megabytes on a slow link");
  s.finish();
}

void f11(std::FILE* trace) {
  Script s({}, trace);
  s.send("entity/a.1", "entity/b.1");
  s.send("entity/a.1", "entity/b.2");
  s.until_rest();
  s.process("b.1").pause();
  while (s.try_send("entity/a.1", "entity/b.1", Lane::call, 60'000)) s.run_ms(1);
  s.expect(s.world.counts[Event::would_block] > 0, "the window to the slow receiver is spent");
  const MessageId id = s.send("entity/a.1", "entity/b.2");
  s.until([&] { return s.was_handled(id); }, "the neighbour to be served", 200);
  s.process("b.1").resume();
  s.finish();
}

void f12(std::FILE* trace) {
  Script s({}, trace);
  s.send("entity/a.1", "entity/b.1");
  s.send("entity/b.1", "entity/a.1");
  s.until_rest();
  const LinkId a = s.world.network.link_between(s.host("a"), s.world.root());
  const LinkId b = s.world.network.link_between(s.host("b"), s.world.root());
  for (const LinkId link : {a, b}) {
    s.world.network.slow_down(link, Toward::listener, from_ms(20));
    s.world.network.slow_down(link, Toward::connector, from_ms(20));
  }
  for (int i = 0; i < 9; ++i) {
    for (const Lane lane : bus::kDataLanes) {
      s.send("entity/a.1", "entity/b.1", lane, 100'000);
      s.send("entity/b.1", "entity/a.1", lane, 100'000);
    }
  }
  s.until_rest();
  s.finish();
}

void f13(std::FILE* trace) {
  Script s({}, trace);
  s.send("entity/a.1", "entity/b.1");
  s.until_rest();
  const auto before = s.process("a.1").core().origin().counters();
  s.lose("a", Kind::data, 1);
  MessageId last = 0;
  for (int i = 0; i < 10; ++i) {
    last = s.send("entity/a.1", "entity/b.1");
    s.run_ms(1);
  }
  s.until_handled(last);
  s.until_rest();
  const auto after = s.process("a.1").core().origin().counters();
  s.expect(after.transmitted - before.transmitted <= 40, "ten messages and one gap are no storm");
  s.finish();
}

/// Not a case of its own in the list of F, but the rule that filter entries outlive every copy: the
/// acknowledgement is lost, the sender is away for half a minute, then it sends again.
void f14(std::FILE* trace) {
  Script s({}, trace);
  s.until_handled(s.send("entity/a.1", "entity/b.1"));
  s.until_rest();
  s.hold("b.1", "b", Kind::ack);
  const MessageId id = s.send("entity/a.1", "entity/b.1");
  s.until_handled(id);
  s.until_held("b.1", "b");
  s.cut("b.1");  // the acknowledgement is lost
  s.hold_all("a.1", "a");
  s.run_ms(8'000);
  s.cut("a.1");
  s.release_all();
  s.hold("a.1", "a", Kind::hello);
  s.run_ms(12'000);
  s.release_all();
  s.finish();
}

}  // namespace

std::vector<Scenario> link_scenarios() {
  return {
      {"F9", "bytes of an old session mean nothing in the new one", f9},
      {"F9b", "the first bytes of an older session come after its successor's", f9b},
      {"F10", "a heartbeat does not wait behind data", f10},
      {"F11", "a slow receiver stops its own senders only", f11},
      {"F12", "two full directions do not wait for each other", f12},
      {"F13", "one gap is one resend", f13},
      {"F14", "filter entries outlive every copy", f14},
  };
}

}  // namespace starbus::sim
