// Names that live again: what is sent when the new owner is there is handled by it, whatever its
// sender remembers, and what was sent to the one before never is.
#include "tests/sim/scenarios/places.hpp"

namespace starbus::sim {
namespace {

using bus::Errc;

/// thing/1 at b.1, known to entity/a.1.
void meet(Script& s) {
  s.bind("b.1", "thing/1");
  s.until_rest();
  s.until_handled(s.send("entity/a.1", "thing/1"));
  s.until_rest();
}

void give_up(Script& s, std::string_view process_name) {
  s.process(process_name).application().unbind(s.world.index_of("thing/1"));
  s.until_rest();
}

void bind_and_settle(Script& s, std::string_view process_name) {
  s.bind(process_name, "thing/1");
  s.until_rest();
  s.run_ms(2'000);
}

void expect_handled_by(Script& s, MessageId id, std::string_view process_name) {
  s.until([&] { return s.was_handled(id) || s.failed.contains(id); }, "an end of the message");
  s.expect(s.handler_of(id) == process_name, "the owner that is there handles it");
}

void n1(std::FILE* trace) {
  Script s(with_things(), trace);
  meet(s);
  give_up(s, "b.1");
  bind_and_settle(s, "c.1");
  const MessageId first = s.send("entity/a.1", "thing/1");
  const MessageId second = s.send("entity/a.1", "thing/1");
  expect_handled_by(s, first, "c.1");
  expect_handled_by(s, second, "c.1");
  s.finish();
  s.expect(s.failed.empty(), "nothing fails");
}

/// The first copy is lost with a daemon; the answer to a probe does not tell since when the owner
/// has been there, the refusal of the next copy does.
void n2(std::FILE* trace) {
  Script s(with_things(), trace);
  meet(s);
  give_up(s, "b.1");
  bind_and_settle(s, "c.1");
  s.hold("busroot", "c", Kind::data);
  const MessageId id = s.send("entity/a.1", "thing/1");
  s.until_held("busroot", "c");
  s.world.root().crash();
  s.release_all();
  s.world.root().start();
  expect_handled_by(s, id, "c.1");
  s.finish();
}

/// Two messages of one stream: one for the owner that ends, one for the next.
void n3(std::FILE* trace) {
  Script s(with_things(), trace);
  meet(s);
  s.hold_all("busroot", "b");
  const MessageId stale = s.send("entity/a.1", "thing/1");
  s.run_ms(20);
  s.kill("b.1");
  s.release_all();
  s.hold_all("busroot", "a");  // nobody tells the sender
  s.run_ms(100);
  s.bind("c.1", "thing/1");
  s.until([&] { return s.owner("thing/1") == "c.1"; }, "the next owner");
  s.run_ms(2'000);
  const MessageId fresh = s.send("entity/a.1", "thing/1");
  s.run_ms(100);
  s.release_all();
  s.process("b.1").start();
  s.finish();
  s.expect(s.failed.contains(stale) && s.failed[stale].reason == Errc::owner_lost,
           "what was sent to the one before is owner_lost");
  s.expect(!s.was_handled(stale), "it does not run in the next life");
  s.expect(s.was_handled(fresh) || s.failed.contains(fresh), "the other one has an end");
}

/// Its second owner handles it, and the answer is lost: it must not reach the third.
void n4(std::FILE* trace) {
  Script s(with_things(), trace);
  meet(s);
  give_up(s, "b.1");
  bind_and_settle(s, "c.1");
  s.lose("c.1", Kind::ack);
  const MessageId id = s.send("entity/a.1", "thing/1");
  s.until_handled(id);
  s.kill("c.1");
  s.lose_nothing();
  s.run_ms(200);
  s.bind("b.2", "thing/1");
  s.process("c.1").start();
  s.until([&] { return s.failed.contains(id); }, "the sender to be told");
  s.expect(s.failed[id].reason == Errc::owner_lost && s.failed[id].sent, "its outcome is unknown");
  s.finish();  // the oracle sees if it is handled twice
}

/// A move keeps the lineage: only what is sent after it is known to be for the owner.
void n5(std::FILE* trace) {
  Script s({}, trace);
  s.until_handled(s.send("entity/a.2", "mover/y"));
  s.until_rest();
  s.kill("b.1");
  s.run_ms(200);
  s.process("b.1").start();
  s.bind("c.1", "mover/y");
  s.until_rest();
  s.move_and_wait("mover/y", "c.2");
  s.run_ms(2'000);
  expect_handled_by(s, s.send("entity/a.2", "mover/y"), "c.2");
  s.finish();
}

/// A watch tells of the next owner while something is under way to the one before.
void n6(std::FILE* trace) {
  Script s(with_things(), trace);
  meet(s);
  s.lose("b.1", Kind::ack);
  const MessageId handled = s.send("entity/a.1", "thing/1");
  s.until_handled(handled);
  s.kill("b.1");
  s.hold("busroot", "a", Kind::nack);
  s.lose_nothing();
  s.run_ms(200);
  s.bind("c.1", "thing/1");
  s.until([&] { return s.owner("thing/1") == "c.1"; }, "the next owner");
  s.run_ms(2'000);
  s.release_all();
  s.process("b.1").start();
  s.bind("c.1", "mover/y");
  s.until_rest();
  expect_handled_by(s, s.send("entity/a.1", "thing/1"), "c.1");
  s.finish();
}

/// A link stands still for longer than the owner has been there. Then come refusals of all copies
/// of a message: only the answer to the question that follows tells that the owner was there.
void n7(std::FILE* trace) {
  Script s(with_things(), trace);
  meet(s);
  give_up(s, "b.1");
  s.bind("c.1", "thing/1");
  s.until_rest();
  s.run_ms(1'200);
  s.hold_all("busroot", "a");
  const MessageId id = s.send("entity/a.1", "thing/1");
  for (int copy = 0; copy < 4; ++copy) {
    s.run_ms(100);
    s.cut("a.1");  // the next session sends it again
  }
  s.run_ms(2'600);
  s.release_all();
  expect_handled_by(s, id, "c.1");
  s.finish();
  s.expect(s.failed.empty(), "nothing fails");
}

/// The refusal of a message is under way for long, and the owner comes meanwhile: it says nothing
/// of a message that was issued then.
void n8(std::FILE* trace) {
  Script s(with_things(), trace);
  s.until_rest();
  s.hold("busroot", "a", Kind::nack);
  const MessageId early = s.send("entity/a.1", "thing/1");
  s.until_held("busroot", "a");
  s.bind("b.1", "thing/1");
  s.until([&] { return s.owner("thing/1") == "b.1"; }, "an owner");
  s.run_ms(50);
  const MessageId later = s.send("entity/a.1", "thing/1");
  s.run_ms(5);
  s.release_all();
  expect_handled_by(s, later, "b.1");
  s.finish();
  s.expect(s.failed.contains(early) && s.failed[early].reason == Errc::no_owner,
           "the one before had no owner");
}

/// Likewise, and the message has left before the refusal comes.
void n9(std::FILE* trace) {
  Script s(with_things(), trace);
  meet(s);
  give_up(s, "b.1");
  s.hold("busroot", "a", Kind::nack);
  const MessageId early = s.send("entity/a.1", "thing/1");
  s.until_held("busroot", "a");
  s.bind("c.1", "thing/1");
  s.until([&] { return s.owner("thing/1") == "c.1"; }, "an owner");
  s.run_ms(50);
  const MessageId later = s.send("entity/a.1", "thing/1");
  s.run_ms(50);  // its own refusal is held, too
  s.release_all();
  expect_handled_by(s, later, "c.1");
  s.finish();
  s.expect(s.failed.contains(early) && s.failed[early].reason == Errc::owner_lost,
           "nobody knows about the one that left before");
}

}  // namespace

std::vector<Scenario> lineage_scenarios() {
  return {
      {"N1", "a name that lives again is heard at once", n1},
      {"N2", "also when the first copy is lost with a daemon", n2},
      {"N3", "what was on its way to the owner before never runs in the next", n3},
      {"N4", "what the second owner has handled does not reach the third", n4},
      {"N5", "a move of the new owner changes nothing", n5},
      {"N6", "what the former owner has handled does not hold up what follows", n6},
      {"N7", "refusals that come late are not the answer to a later question", n7},
      {"N8", "a refusal that comes late says nothing of later messages", n8},
      {"N9", "nor of those that have left meanwhile", n9},
  };
}

}  // namespace starbus::sim
