// Spec cases M: moves, crashes in the middle of them, and who may go on.
#include "tests/sim/scenarios/places.hpp"

namespace starbus::sim {
namespace {

using bus::Lane;

void m1(std::FILE* trace) {
  Script s({}, trace);
  settle_x(s);
  s.hold("a", "busroot", Kind::data);
  std::vector<MessageId> late;
  for (int i = 0; i < 5; ++i) late.push_back(s.send("entity/a.1", "mover/x", Lane::bulk, 3'000));
  s.until_held("a", "busroot");
  s.move("mover/x", "c.1");
  s.until([&] { return frozen(s, "b.1", "mover/x"); }, "the source to freeze");
  s.release_all();
  for (const MessageId id : late) s.until_handled(id);
  s.expect(s.handler_of(late[0]) == "c.1", "late data goes to the new place");
  s.finish();
}

void m2(std::FILE* trace) {
  Script s({}, trace);
  settle_x(s);
  s.hold("c", "busroot", Kind::attach);
  s.move("mover/x", "c.1");
  s.until_held("c", "busroot");
  s.until([&] { return s.owner("mover/x") == "b.1"; }, "the source to reclaim");
  s.release_all();
  s.hold_all("b", "busroot");
  s.world.root().crash();
  s.run_ms(50);
  s.world.root().start();
  s.run_ms(3'000);  // the target asks the new busroot, which has not heard the source's host
  s.expect(s.owner("mover/x") == "b.1", "nothing is granted in grace");
  s.release_all();
  s.finish();
}

void m3(std::FILE* trace) {
  Script s({}, trace);
  settle_x(s);
  s.hold("busroot", "c", Kind::attached);
  s.move("mover/x", "c.1");
  s.until_held("busroot", "c");
  s.run_ms(50);
  s.expect(frozen(s, "b.1", "mover/x"), "the source keeps its copy until the target has confirmed");
  s.world.root().crash();
  s.release_all();
  s.world.root().start();
  s.until([&] { return s.owner("mover/x") == "c.1"; }, "the grant to be repeated");
  s.finish();
}

/// The grant has passed busd and is lost behind it; then busroot dies too.
void m3b(std::FILE* trace) {
  Script s({}, trace);
  settle_x(s);
  s.hold("c", "c.1", Kind::attached);
  s.move("mover/x", "c.1");
  s.until_held("c", "c.1");
  s.cut("c.1");
  s.hold("c.1", "c", Kind::hello);
  s.release("c", "c.1");
  s.world.root().crash();
  s.run_ms(50);
  s.world.root().start();
  s.until([&] { return s.host("c").router()->uplink().greeted; }, "busd to tell what it knows");
  s.run_ms(200);
  s.release_all();
  s.until([&] { return s.owner("mover/x") == "c.1"; }, "the grant to be repeated");
  s.finish();
}

void m4(std::FILE* trace) {
  Script s({}, trace);
  settle_x(s);
  s.hold("busroot", "c", Kind::attached);
  s.move("mover/x", "c.1");
  s.until_held("busroot", "c");
  s.cut("c");  // the grant is lost; the table that opens the next session cannot list it
  s.release_all();
  s.until([&] { return s.owner("mover/x") == "c.1"; }, "the target to have it");
  s.finish();
}

void m5(std::FILE* trace) {
  for (const bool has_frozen : {false, true}) {
    Script s({}, trace);
    settle_x(s);
    if (has_frozen) {
      s.hold("b", "busroot", Kind::data);  // the state
    } else {
      s.hold("b", "b.1", Kind::move_ok);
    }
    s.move("mover/x", "c.1");
    if (has_frozen) {
      s.until_held("b", "busroot");
    } else {
      s.until_held("b", "b.1");
    }
    s.host("b").crash();
    s.release_all();
    const MessageId id = s.send("entity/a.1", "mover/x");
    s.run_ms(50);
    s.host("b").start();
    s.until_handled(id);
    s.finish();
  }
}

void m6(std::FILE* trace) {
  Script s({}, trace);
  settle_x(s);
  s.hold("busroot", "b", Kind::moved);
  s.move("mover/x", "c.1");
  s.until([&] { return s.owner("mover/x") == "c.1"; }, "the first move");
  s.until_held("busroot", "b");
  std::vector<MessageId> ids;
  for (int i = 0; i < 3; ++i) ids.push_back(s.send("entity/b.2", "mover/x"));
  s.move("mover/x", "a.1");
  for (int i = 0; i < 3; ++i) ids.push_back(s.send("entity/b.2", "mover/x"));
  s.run_ms(700);
  s.release_all();
  for (const MessageId id : ids) s.until_handled(id);
  s.finish();
}

void m7(std::FILE* trace) {
  Script s({}, trace);
  settle_x(s);
  s.until_handled(s.send("entity/b.2", "mover/x"));
  s.until_rest();
  s.hold("b.1", "b", Kind::hello);
  s.host("b").crash();
  s.host("b").start();
  s.until([&] { return s.process("b.2").core().greeted(); }, "the sender to be back first");
  const MessageId first = s.send("entity/b.2", "mover/x");
  s.run_ms(30);
  s.release_all();
  s.until([&] { return s.process("b.1").core().greeted(); }, "the owner to be back");
  const MessageId second = s.send("entity/b.2", "mover/x");
  s.until_handled(second);
  s.expect(s.was_handled(first), "in order");
  s.finish();
}

}  // namespace

std::vector<Scenario> move_scenarios() {
  return {
      {"M1", "no fences: late data finds the new place", m1},
      {"M2", "nothing is granted before every host has announced", m2},
      {"M3", "the source is freed only after the target has confirmed", m3},
      {"M3b", "a grant that is lost behind busd is repeated by a new busroot", m3b},
      {"M4", "a table that crosses a grant does not erase it", m4},
      {"M5", "busd dies between permission and freeze, and after", m5},
      {"M6", "a second move waits for the first source", m6},
      {"M7", "a restarted busd reorders nothing", m7},
  };
}

}  // namespace starbus::sim
