// Spec cases P1 to P5: who keeps a shard, who reads a mailbox, and what a mail shard's disk has and
// what it does not have yet when its host dies, or when the disk fails.
#include <utility>

#include "bus/core/wire/name.hpp"
#include "tests/sim/scenarios/places.hpp"

namespace starbus::sim {
namespace {

const std::string kBox = "player/1";

WorldOptions with_mail() {
  WorldOptions options;
  options.mailboxes = {kBox};
  options.free_names = {kBox};
  return options;
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

std::uint8_t shard() {
  return bus::shard_of(bus::channel_id(kBox));
}

/// busd is back, and its store is not open yet: what that had is nobody's.
void restart_without_store(Script& s, std::string_view host) {
  const auto begin = std::exchange(s.host(host).when_started, nullptr);
  s.host(host).crash();
  s.run_ms(100);
  s.host(host).start();
  s.host(host).when_started = begin;
}

/// Nobody may take it: another store than this one would number the mailbox from 1.
void post_in_vain(Script& s) {
  post(s);
  s.run_ms(5'000);
  s.expect(pending(s) == 1, "a post waits for the store that has the shard");
}

/// Two hosts have two versions of the list, and each is told that it keeps the shard. Whoever of
/// them is away, the other one knows from its disk that it has not got it.
void p1(std::FILE* trace) {
  Script s(with_mail(), trace);
  StoreNode& first = *s.world.stores()[0];
  StoreNode& second = *s.world.stores()[1];
  for (int i = 0; i < 3; ++i) post(s);
  s.until([&] { return pending(s) == 0; }, "the posts to end");
  second.list(s.world.shards());
  s.host("b").crash();
  s.host("b").start();
  s.until([&] { return !second.keeps(shard()); }, "the second store to see that the first has it");
  restart_without_store(s, "a");
  s.host("b").crash();
  s.host("b").start();
  post_in_vain(s);
  first.start();
  s.until([&] { return pending(s) == 0; }, "the first store to take it");

  second.take({shard()});
  s.until([&] { return second.serves(shard()); }, "the shard to move");
  restart_without_store(s, "b");
  s.host("a").crash();
  s.host("a").start();
  post_in_vain(s);
  second.start();
  s.until([&] { return pending(s) == 0; }, "the second store to take it");
  s.finish();
  s.expect(s.world.stored().at(kBox).last == 5, "both numbered one mailbox, one after the other");
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

/// A reader has acknowledged what it did nothing with, and has given its name up; neither that nor
/// its question comes to the store before the next owner has begun to read.
void p3(std::FILE* trace) {
  Script s(with_mail(), trace);
  MailUser& early = s.process("c.1").application().mail();
  MailUser& late = s.process("b.2").application().mail();
  early.diligence = 0;
  late.diligence = 0;
  s.bind("c.1", kBox);
  for (int i = 0; i < 10; ++i) post(s);
  s.until([&] { return early.reads(kBox) && pending(s) == 0; }, "the first reader to begin");
  s.run_ms(200);  // the messages come to it
  s.lose("c", Kind::data);
  early.careless = true;
  s.run_ms(200);
  restart_the_store(s);  // so it asks again
  // Not even its own program says that it does not read any more.
  (void)s.process("c.1").core().unbind(bus::channel_id(kBox));
  s.until(
      [&] {
        Application& heir = s.process("b.2").application();
        const NameIndex box = s.world.index_of(kBox);
        if (!heir.owns(box) && !heir.binding(box)) heir.bind(box);  // refused for a moment
        return late.reads(kBox);
      },
      "the next reader to begin");
  late.diligence = 0.5;
  s.until([&] { return s.world.mail.cursor(kBox) >= 3; }, "it to read");
  late.diligence = 0;
  s.lose_nothing();
  s.run_ms(5'000);
  s.expect(s.world.stored().at(kBox).floor <= s.world.mail.cursor(kBox), "nothing unread is gone");
  late.diligence = 0.5;
  s.until([&] { return s.world.mail.cursor(kBox) == 10; }, "the next reader to have it all");
  s.finish();
}

/// A sync fails, and the next one would not: what the disk has of the first nobody knows. So
/// nothing is said of either until a new program has looked. Some rounds: whether it has it is
/// drawn.
void p4(std::FILE* trace) {
  Script s(with_mail(), trace);
  SimDisk& disk = s.world.stores().front()->disk();
  constexpr int kRounds = 6;
  for (int i = 0; i < kRounds; ++i) {
    disk.fails = true;
    post(s);
    s.until([&] { return !disk.fails; }, "the sync to fail");
    post(s);
    s.run_ms(40);  // its operator is not that fast
    s.expect(pending(s) == 2, "nothing is acknowledged that was not synced");
    s.until([&] { return pending(s) == 0; }, "the posts to end");
  }
  s.finish();
  s.expect(s.world.stored().at(kBox).last == 2 * kRounds, "all of them are stored once");
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
      {"P1", "two stores that list one shard number its mailboxes once", p1},
      {"P2", "a shard's last numbers are on the disk with its messages", p2},
      {"P3", "an earlier reader, late, erases nothing and ends nobody", p3},
      {"P4", "a sync that failed counts for nothing", p4},
      {"P5", "what is not synced is not acknowledged", p5},
      {"P6", "a reader goes on where it was after its store has died", read_on},
      {"P7", "what was on its way to a dead reader is read by the next", next_reader},
  };
}

}  // namespace starbus::sim
