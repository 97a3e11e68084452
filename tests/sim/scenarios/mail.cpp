// Spec cases P2 and P5: what a mail shard's disk has and what it does not have yet when its host
// dies. P1 (two owners of one shard) and P3 (a stale reader) cannot be reached past busroot and the
// links: tests/cluster and tests/busd/mail show who is refused. P4 (fsync) is
// MailTest.AFailedSyncStopsTheStore.
#include "tests/sim/script.hpp"

namespace starbus::sim {
namespace {

const std::string kBox = "player/1";

WorldOptions with_mail() {
  WorldOptions options;
  options.mailboxes = {kBox};
  options.free_names = {kBox};
  return options;
}

std::size_t pending(Script& s) {
  return s.world.mail.pending(s.process("b.1").application().life());
}

void post(Script& s) {
  s.expect(s.process("b.1").application().post(kBox, "", 0, {}), "the post is taken");
}

void restart_the_store(Script& s) {
  s.host("a").crash();
  s.world.stores().front()->disk().syncs_left.reset();
  s.run_ms(100);
  s.host("a").start();
}

/// One batch becomes durable, and no more: the message must have its stream's place with it.
void p2(std::FILE* trace) {
  Script s(with_mail(), trace);
  s.world.stores().front()->disk().syncs_left = 1;
  s.lose("a", Kind::posted);
  post(s);
  s.until([&] { return s.world.stored().at(kBox).last == 1; }, "the message to be stored");
  s.run_ms(50);
  restart_the_store(s);
  s.lose_nothing();
  s.until([&] { return pending(s) == 0; }, "the post to end");
  s.finish();
  s.expect(s.world.stored().at(kBox).last == 1, "it is stored once");
}

/// Nothing becomes durable: nobody may hear that it is, whoever asks.
void p5(std::FILE* trace) {
  Script s(with_mail(), trace);
  s.world.stores().front()->disk().syncs_left = 0;
  post(s);
  s.run_ms(3'000);  // its sender probes
  s.expect(pending(s) == 1, "what is not synced is not acknowledged");
  restart_the_store(s);
  s.until([&] { return pending(s) == 0; }, "the post to end");
  s.finish();
  s.expect(s.world.stored().at(kBox).last == 1, "it came again, and is stored once");
}

/// A reader goes on where it was when the host of the store dies in the middle.
void read_on(std::FILE* trace) {
  Script s(with_mail(), trace);
  s.bind("c.1", kBox);
  s.process("c.1").application().mail().diligence = 0.9;
  for (int i = 0; i < 20; ++i) post(s);
  s.until([&] { return s.world.mail.cursor(kBox) >= 5; }, "the reader to begin");
  restart_the_store(s);
  for (int i = 0; i < 20; ++i) post(s);
  s.until([&] { return s.world.mail.cursor(kBox) == 40; }, "the reader to have it all");
  s.finish();
}

/// The owner of a mailbox dies with messages on their way to it; the next one reads them.
void next_reader(std::FILE* trace) {
  Script s(with_mail(), trace);
  s.bind("c.1", kBox);
  s.process("c.1").application().mail().diligence = 0;
  for (int i = 0; i < 10; ++i) post(s);
  s.until([&] { return pending(s) == 0; }, "the posts to end");
  s.run_ms(200);  // they wait at the reader
  s.kill("c.1");
  s.until(
      [&] {
        Application& heir = s.process("b.2").application();
        const NameIndex box = s.world.index_of(kBox);
        if (!heir.owns(box) && !heir.binding(box)) heir.bind(box);  // refused while c.1 has it
        return s.world.mail.cursor(kBox) == 10;
      },
      "another to read them");
  s.finish();
}

}  // namespace

std::vector<Scenario> mail_scenarios() {
  return {
      {"P2", "a shard's last numbers are on the disk with its messages", p2},
      {"P5", "what is not synced is not acknowledged", p5},
      {"P6", "a reader goes on where it was after its store has died", read_on},
      {"P7", "what was on its way to a dead reader is read by the next", next_reader},
  };
}

}  // namespace starbus::sim
