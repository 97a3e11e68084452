// Spec cases M8 to M14: senders that move, targets that die, requests that are repeated.
#include "tests/sim/scenarios/places.hpp"

namespace starbus::sim {
namespace {

using bus::Lane;

/// A moving sender: nothing leaves before all of its own messages were handled.
void m8(std::FILE* trace) {
  Script s({}, trace);
  settle_x(s);
  s.hold("busroot", "c", Kind::data);
  const MessageId first = s.send("mover/x", "entity/c.1");
  s.until_held("busroot", "c");
  s.move("mover/x", "a.2");
  s.run_ms(200);
  s.expect(s.owner("mover/x") == "b.1", "it drains before it freezes");
  const MessageId second = s.send("mover/x", "entity/c.1");  // waits in the outbox
  s.run_ms(200);
  s.expect(!s.was_handled(second), "the outbox waits");
  s.release_all();
  s.until_handled(second);
  s.expect(s.was_handled(first), "in order");
  s.finish();
}

/// Both ends of a conversation move at once, with messages under way both ways.
void m8b(std::FILE* trace) {
  Script s({}, trace);
  settle_x(s);
  s.move_and_wait("mover/y", "c.2");
  for (int round = 0; round < 4; ++round) {
    for (int i = 0; i < 5; ++i) {
      s.send("mover/x", "mover/y");
      s.send("mover/y", "mover/x", Lane::bulk);
    }
    const std::string x = s.owner("mover/x");
    const std::string y = s.owner("mover/y");
    s.move("mover/x", y);
    s.move("mover/y", x);
    s.run_ms(3);
    s.send("mover/x", "mover/y");
    s.send("mover/y", "mover/x", Lane::bulk);
    s.until([&] { return s.owner("mover/x") == y && s.owner("mover/y") == x; }, "both to arrive",
            20'000);
    s.until_rest();
  }
  s.finish();
}

void m9(std::FILE* trace) {
  Script s({}, trace);
  settle_x(s);
  s.until_handled(s.send("entity/b.2", "mover/x", Lane::bulk));
  s.until_rest();
  // Bulk fills the link to the source, so that move_ok in the control lane passes it.
  s.world.network.slow_down(s.world.network.link_between(s.process("b.1"), s.host("b")),
                            Toward::connector, from_ms(3));
  std::vector<MessageId> ids;
  for (int i = 0; i < 9; ++i) ids.push_back(s.send("entity/b.2", "mover/x", Lane::bulk, 100'000));
  s.run_ms(2);
  s.move("mover/x", "c.1");
  for (const MessageId id : ids) s.until_handled(id);
  s.until([&] { return s.owner("mover/x") == "c.1"; }, "the move");
  s.finish();
}

void m10(std::FILE* trace) {
  Script s({}, trace);
  settle_x(s);
  s.until_handled(s.send("entity/c.2", "mover/x"));
  s.until_rest();
  s.hold("c", "busroot", Kind::active);
  s.move("mover/x", "c.1");
  s.until([&] { return s.owner("mover/x") == "c.1"; }, "the target to attach");
  s.until_held("c", "busroot");
  s.hold("c.1", "c", Kind::ack);
  const MessageId sixth = s.send("entity/c.2", "mover/x");
  s.until_handled(sixth);
  s.kill("c.1");
  s.cut("c");  // active is lost
  s.release_all();
  s.until([&] { return s.owner("mover/x") == "b.1"; }, "the source to go on");
  s.expect(s.world.counts[Event::rolled_back] == 1, "it goes on as a new life");
  s.until([&] { return s.failed.contains(sixth); }, "the sender to be told");
  s.expect(s.failed[sixth].sent, "unknown outcome");
  s.finish();
}

void m11(std::FILE* trace) {
  Script s({}, trace);
  settle_x(s);
  s.hold("c", "busroot", Kind::attach);
  s.move("mover/x", "c.1");
  s.until_held("c", "busroot");
  s.run_ms(8'000);  // longer than the source waits
  s.expect(s.owner("mover/x") == "b.1", "only the source has a deadline, and it asks");
  s.release_all();
  s.finish();
  s.expect(s.owner("mover/x") == "b.1", "the late attach is refused");
}

void m12(std::FILE* trace) {
  Script s({}, trace);
  settle_x(s);
  s.lose("busroot", Kind::moved);
  s.move("mover/x", "c.1");
  s.until([&] { return s.owner("mover/x") == "c.1"; }, "the target to have it");
  s.until_handled(s.send("entity/a.1", "mover/x"));
  s.world.root().crash();
  s.hold_all("b", "busroot");
  s.world.root().start();
  s.until([&] { return s.host("c").router()->uplink().greeted; }, "the target's host to announce");
  s.run_ms(100);
  s.kill("c.1");
  s.run_ms(500);
  s.lose_nothing();
  s.release_all();
  s.until([&] { return s.owner("mover/x") == "b.1"; }, "the source to go on");
  s.expect(s.world.counts[Event::rolled_back] == 1, "a dead target is no witness");
  s.finish();
}

void m13(std::FILE* trace) {
  Script s({}, trace);
  settle_x(s);
  s.lose("busroot", Kind::moved);
  s.move("mover/x", "c.1");
  s.until([&] { return s.owner("mover/x") == "c.1"; }, "the first move");
  s.move("mover/x", "a.1");
  s.run_ms(3'000);
  s.expect(s.owner("mover/x") == "c.1", "no second move while the first source is frozen");
  s.expect(frozen(s, "b.1", "mover/x"), "the first source has not heard");
  s.lose_nothing();
  s.finish();
  s.expect(!s.copy("b.1", "mover/x"), "the first source has freed its copy");
}

/// MOVED is lost on the last link: who asks busd's table afterwards must still hear of the copy.
void m13b(std::FILE* trace) {
  Script s({}, trace);
  settle_x(s);
  s.hold("b", "b.1", Kind::moved);
  s.move("mover/x", "c.1");
  s.until_held("b", "b.1");
  s.world.root().crash();
  s.run_ms(50);
  s.world.root().start();
  s.until([&] { return !s.world.root().router()->in_grace(); }, "the end of grace");
  s.move("mover/x", "a.1");
  s.run_ms(3'000);
  s.expect(s.owner("mover/x") == "c.1", "no second move while the first source is frozen");
  s.expect(frozen(s, "b.1", "mover/x"), "the first source has not heard");
  s.release_all();
  s.finish();
  s.expect(!s.copy("b.1", "mover/x"), "the first source has freed its copy");
}

void m14(std::FILE* trace) {
  WorldOptions options;
  options.free_names = {"thing/1"};
  Script s(options, trace);
  s.bind("b.1", "thing/1");
  s.until_rest();
  s.hold("busroot", "a", Kind::refused);
  s.bind("a.1", "thing/1");
  s.until_held("busroot", "a");
  s.process("b.1").application().unbind(s.world.index_of("thing/1"));
  s.run_ms(1'200);  // a.1 has asked again, and was granted
  s.expect(s.world.root().router()->directory().find(
               s.world.name(s.world.index_of("thing/1")).id) != nullptr,
           "the repeated bind was granted");
  s.release_all();  // first the refusal: a.1 gives up; then the grant
  s.finish();
  s.expect(s.owner("thing/1").empty(), "a grant that nobody wants is given back");
}

/// A repeated bind is refused first and granted then, and the grant is lost.
void m14c(std::FILE* trace) {
  WorldOptions options;
  options.free_names = {"thing/1"};
  Script s(options, trace);
  s.bind("b.1", "thing/1");
  s.until_rest();
  s.hold("busroot", "a", Kind::refused);
  s.bind("a.1", "thing/1");
  s.until_held("busroot", "a");
  s.hold("a", "busroot", Kind::bind);  // the repeated one
  s.until_held("a", "busroot");
  s.process("b.1").application().unbind(s.world.index_of("thing/1"));
  s.run_ms(200);
  s.release("busroot", "a");
  s.until([&] { return !s.process("a.1").application().binding(s.world.index_of("thing/1")); },
          "a.1 to give up");
  s.hold("busroot", "a", Kind::attached);
  s.release("a", "busroot");
  s.until_held("busroot", "a");
  s.cut("a");
  s.release_all();
  s.finish();
  s.expect(s.owner("thing/1").empty(), "a lost grant that nobody waits for is given back");
}

/// The same for a move: a refusal and then a permission under one ticket.
void m14b(std::FILE* trace) {
  Script s({}, trace);
  settle_x(s);
  s.lose("busroot", Kind::moved);
  s.move("mover/x", "c.1");
  s.until([&] { return s.owner("mover/x") == "c.1"; }, "the first move");
  s.hold_all("c", "c.1");
  s.move("mover/x", "a.1");
  s.run_ms(700);
  s.lose_nothing();
  s.run_ms(2'000);
  s.release_all();
  const MessageId id = s.send("entity/b.2", "mover/x");
  s.until_handled(id);
  s.finish();
}

/// The answer to a reclaim is lost, and an older copy is settled before it is asked for again.
void m14d(std::FILE* trace) {
  Script s({}, trace);
  settle_x(s);
  s.move_and_wait("mover/x", "a.2");
  s.hold("a", "a.2", Kind::moved);
  s.move("mover/x", "b.1");
  s.until_held("a", "a.2");
  s.hold("a.2", "a", Kind::hello);
  s.cut("a.2");
  s.release("a", "a.2");
  s.world.root().crash();
  s.run_ms(50);
  s.world.root().start();
  s.until([&] { return !s.world.root().router()->in_grace(); }, "the end of grace");
  s.process("c.1").application().refuse_arrivals = 1;
  s.lose("busroot", Kind::reclaimed, 1);
  s.move("mover/x", "c.1");
  s.run_ms(200);
  s.release_all();  // the older copy is told of, and freed
  s.finish();
}

/// The target gives the name up, and then nobody but itself knows that it had it.
void m15(std::FILE* trace) {
  Script s({}, trace);
  settle_x(s);
  s.lose("busroot", Kind::moved);
  s.move("mover/x", "c.1");
  s.until([&] { return s.owner("mover/x") == "c.1"; }, "the target to have it");
  s.until_handled(s.send("entity/a.1", "mover/x"));
  s.process("c.1").application().unbind(s.world.index_of("mover/x"));
  s.run_ms(200);
  s.host("c").crash();
  s.world.root().crash();
  s.run_ms(100);
  s.host("c").start();
  s.world.root().start();
  s.until([&] { return !s.world.root().router()->in_grace(); }, "the end of grace");
  s.run_ms(10'000);  // the source asks for it
  s.expect(s.owner("mover/x").empty(), "the copy of an earlier move does not come back");
  s.expect(frozen(s, "b.1", "mover/x"), "the source has not heard");
  s.lose_nothing();
  s.until([&] { return !frozen(s, "b.1", "mover/x"); }, "the source to hear");
  s.run_ms(2'000);  // the target hears that the name is free
  s.bind("b.1", "mover/x");
  s.finish();
}

}  // namespace

std::vector<Scenario> move_end_scenarios() {
  return {
      {"M8", "an entity drains before it moves", m8},
      {"M8b", "both ends of a conversation move at once", m8b},
      {"M9", "nothing is acknowledged in an inbox", m9},
      {"M10", "the target dies after it has run: a new life", m10},
      {"M11", "only the source has a deadline", m11},
      {"M12", "a dead target is no witness", m12},
      {"M13", "no second move before the first copy is freed", m13},
      {"M13b", "busd forgets a copy when it is freed, not when it was told", m13b},
      {"M14", "a grant to nobody is given back", m14},
      {"M14c", "a grant that follows a refusal and is lost is given back", m14c},
      {"M14d", "a lost answer to reclaim is given again", m14d},
      {"M14b", "one ticket does not get two answers", m14b},
      {"M15", "a name that is given up is told of until that is answered", m15},
  };
}

}  // namespace starbus::sim
