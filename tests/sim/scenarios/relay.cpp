// R1..R14: ordered delivery to an entity that migrates, as a relay in front of it would have to do
// it. Here the ends do it; each case of the relay is a case of theirs.
#include "tests/sim/script.hpp"

namespace starbus::sim {
namespace {

using bus::Errc;
using bus::Lane;

void at_b1(Script& s) {
  s.move_and_wait("mover/x", "b.1");
  s.until_handled(s.send("entity/a.1", "mover/x"));
  s.until_rest();
}

void r1(std::FILE* trace) {
  Script s({}, trace);
  at_b1(s);
  const MessageId before = s.send("entity/a.1", "mover/x");
  s.until_handled(before);
  s.move("mover/x", "c.1");
  s.expect(s.handler_of(before) == "b.1", "what came before the move is handled at the old place");
  s.finish();
}

void r2(std::FILE* trace) {
  Script s({}, trace);
  at_b1(s);
  s.hold("b", "busroot", Kind::data);  // the state
  s.move("mover/x", "c.1");
  s.until_held("b", "busroot");
  std::vector<MessageId> during;
  for (int i = 0; i < 10; ++i) during.push_back(s.send("entity/a.1", "mover/x"));
  s.run_ms(50);
  s.release_all();
  for (const MessageId id : during) {
    s.until_handled(id);
    s.expect(s.handler_of(id) == "c.1", "what came in between is handled at the new place");
  }
  s.finish();
}

void r3(std::FILE* trace) {
  Script s({}, trace);
  at_b1(s);
  s.hold("b", "busroot", Kind::data);
  s.move("mover/x", "c.1");
  s.until_held("b", "busroot");
  const MessageId cached = s.send("entity/a.1", "mover/x");
  s.run_ms(20);
  s.hold("busroot", "c", Kind::attached);  // and what is released behind it
  s.release("b", "busroot");
  s.until_held("busroot", "c");
  const MessageId after = s.send("entity/a.1", "mover/x");
  s.run_ms(20);
  s.release_all();
  s.until_handled(after);
  s.expect(s.was_handled(cached), "the cached one first");
  s.finish();
}

void r4(std::FILE* trace) {
  Script s({}, trace);
  at_b1(s);
  s.move("mover/x", "c.1");
  const auto second = s.process("b.1").core().move(s.world.name(s.world.index_of("mover/x")).id,
                                                   s.process("a.1").core().self());
  s.expect(!second && second.error() == Errc::busy, "a second move is refused with a reason");
  s.finish();
  s.move_and_wait("mover/x", "a.1");
}

void r5(std::FILE* trace) {
  Script s({}, trace);
  at_b1(s);
  bus::Process stranger = s.process("c.1").core().self();
  --stranger.incarnation;  // a ticket for a process that is not there any more
  s.expect(s.process("b.1").application().move(s.world.index_of("mover/x"), stranger),
           "the move begins");
  const MessageId id = s.send("entity/a.1", "mover/x");
  s.until_handled(id);
  s.expect(s.handler_of(id) == "b.1", "the wrong process does not get it");
  s.finish();
}

void r6(std::FILE* trace) {
  Script s({}, trace);
  at_b1(s);
  s.hold("b", "busroot", Kind::data);
  s.move("mover/x", "a.1");
  s.until_held("b", "busroot");
  std::vector<MessageId> ids;
  for (int i = 0; i < 5; ++i) ids.push_back(s.send("entity/a.1", "mover/x"));
  s.run_ms(20);
  s.release_all();
  for (const MessageId id : ids) s.until_handled(id);
  s.expect(s.handler_of(ids[0]) == "a.1", "into the sender's own process");
  s.finish();
}

/// A handler that sends to the entity, and starts a second move, in the middle of the release.
void r7(std::FILE* trace) {
  Script s({}, trace);
  at_b1(s);
  s.hold("b", "busroot", Kind::data);
  s.move("mover/x", "c.1");
  s.until_held("b", "busroot");
  std::vector<MessageId> ids;
  for (int i = 0; i < 5; ++i) ids.push_back(s.send("entity/a.1", "mover/x"));
  s.run_ms(20);
  int seen = 0;
  Application& target = s.process("c.1").application();
  target.when_handled = [&](NameIndex name, MessageId) {
    if (s.world.name(name).text != "mover/x" || ++seen != 2) return;
    target.send(s.process("c.1").entity(), {name}, Lane::call, {});
    target.move(name, s.process("a.2").core().self());
  };
  s.release_all();
  for (const MessageId id : ids) s.until_handled(id);
  s.until([&] { return s.owner("mover/x") == "a.2"; }, "the second move");
  s.finish();
}

void r8(std::FILE* trace) {
  Script s({}, trace);
  at_b1(s);
  std::vector<MessageId> ids;
  for (int i = 0; i < 6; ++i) {
    ids.push_back(s.send("entity/b.2", "mover/x"));  // same host
    ids.push_back(s.send("entity/a.1", "mover/x"));  // across
    if (i == 2) s.move("mover/x", "b.2");
    s.run_ms(1);
  }
  for (const MessageId id : ids) s.until_handled(id);
  s.finish();
}

void r9(std::FILE* trace) {
  Script s({}, trace);
  at_b1(s);
  s.process("c.1").application().refuse_arrivals = 1;
  s.move("mover/x", "c.1");
  MessageId id = s.send("entity/a.1", "mover/x");
  s.until_handled(id);
  s.expect(s.handler_of(id) == "b.1", "refused: it goes on where it was");
  s.until_rest();
  s.hold("c", "c.1", Kind::data);  // the state does not reach the target
  s.move("mover/x", "c.1");
  s.until_held("c", "c.1");
  id = s.send("entity/a.1", "mover/x");
  s.kill("c.1");
  s.release_all();
  s.until_handled(id);
  s.expect(s.handler_of(id) == "b.1", "the target died: it goes on where it was");
  s.expect(s.world.counts[Event::rolled_back] == 0, "as the same life");
  s.finish();
}

void r10(std::FILE* trace) {
  Script s({}, trace);
  at_b1(s);
  s.hold("b", "busroot", Kind::data);
  s.move("mover/x", "c.1");
  s.until_held("b", "busroot");
  const MessageId cached = s.send("entity/a.1", "mover/x");
  s.run_ms(20);
  s.kill("b.1");
  s.cut("b");
  s.release_all();
  s.until([&] { return s.failed.contains(cached); }, "the cached message to be reported");
  s.finish();
}

/// The sender itself migrates.
void r11(std::FILE* trace) {
  Script s({}, trace);
  at_b1(s);
  const MessageId m = s.send("mover/x", "entity/a.1");
  s.move("mover/x", "c.1");
  s.until([&] { return s.owner("mover/x") == "c.1"; }, "the move");
  const MessageId n = s.send("mover/x", "entity/a.1");
  s.until_handled(n);
  s.expect(s.was_handled(m), "m before n");
  s.finish();
}

/// What the entity says while it migrates travels with it.
void r12(std::FILE* trace) {
  Script s({}, trace);
  at_b1(s);
  s.hold("b", "busroot", Kind::move);
  s.move("mover/x", "c.1");
  s.until_held("b", "busroot");
  std::vector<MessageId> said;
  for (int i = 0; i < 3; ++i) said.push_back(s.send("mover/x", "entity/a.1"));
  s.run_ms(100);
  s.expect(!s.was_handled(said[0]), "it waits in the outbox");
  s.release_all();
  for (const MessageId id : said) s.until_handled(id);
  s.expect(s.owner("mover/x") == "c.1", "it was said at the new place");
  s.finish();
}

/// The relay's host dies: here that is any daemon, and nobody depends on one.
void r13(std::FILE* trace) {
  Script s({}, trace);
  at_b1(s);
  s.hold("busroot", "c", Kind::data);
  s.move("mover/x", "c.1");
  s.until_held("busroot", "c");
  const MessageId id = s.send("entity/a.1", "mover/x");
  s.world.root().crash();
  s.host("b").crash();
  s.release_all();
  s.run_ms(100);
  s.world.root().start();
  s.host("b").start();
  s.until_handled(id);
  s.finish();
}

/// A user's message that looks like one of the library is a user's message.
void r14(std::FILE* trace) {
  Script s({}, trace);
  at_b1(s);
  bus::State state;
  state.name = "mover/x";
  state.ticket = {s.process("a.1").core().self(), s.process("b.1").core().self(), 7};
  state.epoch = state.lineage = bus::Epoch::of(9, 9);
  bus::Bytes forged;
  bus::encode(state, forged);
  int seen = 0;
  s.process("b.1").application().when_foreign = [&](const bus::Delivery&) { ++seen; };
  bus::ProcessCore& sender = s.process("a.1").core();
  s.expect(
      sender.origin()
          .send({s.process("b.1").core().self().channel(), {}, {}}, Lane::bulk, {}, forged, 0, {})
          .has_value(),
      "it is sent");
  s.process("a.1").pump();
  s.until([&] { return seen == 1; }, "the handler to see it");
  s.process("b.1").application().when_foreign = nullptr;
  s.expect(s.process("b.1").core().move_count() == 0, "nothing arrives by it");
  s.finish();
}

/// One sender, an entity that moves without rest, an exact sequence.
void stress(std::FILE* trace) {
  Script s({}, trace);
  at_b1(s);
  const std::vector<std::string> places = {"c.1", "a.2", "b.1"};
  MessageId last = 0;
  for (int i = 0; i < 3'000; ++i) {
    last = s.send("entity/a.1", "mover/x", Lane::bulk);
    if (i % 5 == 0) s.run_ms(5);
    const ProcessNode* const owner = s.world.owner_of(s.world.index_of("mover/x"));
    if (i % 25 == 0 && owner && owner->core().move_count() == 0) {
      const std::string& to = places[static_cast<std::size_t>(i / 25) % places.size()];
      if (to != owner->name()) s.move("mover/x", to);
    }
  }
  s.until_handled(last);
  s.expect(s.world.counts[Event::moved] > 30, "it has moved all the time");
  s.finish();
}

}  // namespace

std::vector<Scenario> relay_scenarios() {
  return {
      {"R1", "before a move: at the old place", r1},
      {"R2", "during a move: at the new place, in order", r2},
      {"R3", "after a move: behind what waited", r3},
      {"R4", "a second move is refused, with a reason", r4},
      {"R5", "the wrong process does not finish a move", r5},
      {"R6", "an entity moves into the sender's own process", r6},
      {"R7", "handlers that send and move in the middle of a release", r7},
      {"R8", "local and remote senders keep their order", r8},
      {"R9", "the target refuses, or dies", r9},
      {"R10", "the entity dies while messages wait", r10},
      {"R11", "the sender itself moves", r11},
      {"R12", "what an entity says while it moves travels with it", r12},
      {"R13", "no single point: daemons die in the middle", r13},
      {"R14", "no user message is taken for one of the library", r14},
      {"Stress", "3,000 messages to an entity that never rests", stress},
  };
}

}  // namespace starbus::sim
