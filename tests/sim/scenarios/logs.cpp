// Logs: what retention may take, numbers that go on, and followers that go on at their cursors.
#include "tests/sim/scenarios/places.hpp"

namespace starbus::sim {
namespace {

const std::string kLog = "log/news";

WorldOptions with_log(LogOracle::Quota quota) {
  WorldOptions options;
  options.logs = {kLog};
  options.log_quota = quota;
  return options;
}

void append(Script& s) {
  s.expect(s.process("b.1").application().post(kLog, "", 0, {}), "the append is taken");
}

/// Each alone in its batch.
void append_slowly(Script& s, int count) {
  for (int i = 0; i < count; ++i) {
    append(s);
    s.until([&] { return pending(s) == 0; }, "the append to end");
  }
}

MailOracle::Content stored(Script& s) {
  return s.world.store_of(kLog)->stored(kLog);
}

/// Three are kept, of appends that come alone: no more, and no fewer.
void l1(std::FILE* trace) {
  Script s(with_log({kLog, 3, 0, 0}), trace);
  append_slowly(s, 10);
  const MailOracle::Content left = stored(s);
  s.expect(left.last == 10 && left.floor == 7, "the latest three are left");
  s.finish();
}

/// All of it is too old and erased; what comes then has the next number, also for a new program.
void l2(std::FILE* trace) {
  Script s(with_log({kLog, 0, 0, 500}), trace);
  append_slowly(s, 3);
  s.until([&] { return stored(s).floor == 3; }, "all to be too old");
  append_slowly(s, 1);
  s.expect(stored(s).last == 4, "the number behind what is erased");
  s.until([&] { return stored(s).floor == 4; }, "that one to be too old");
  s.host("a").crash();
  s.run_ms(100);
  s.host("a").start();
  append_slowly(s, 1);
  s.expect(stored(s).last == 5, "numbers go on in the next life of the store");
  s.finish();
}

/// A process dies while messages wait for it; its next life reads them, from where its cursor was.
void l3(std::FILE* trace) {
  Script s(with_log({kLog, 0, 0, 0}), trace);
  LogUser& logs = s.process("c.1").application().logs();
  logs.restlessness = 0;
  append_slowly(s, 3);
  s.until([&] { return s.world.log_oracle.cursor("c.1", kLog) == 3; }, "three to be read");
  logs.diligence = 0;
  append_slowly(s, 7);
  s.run_ms(200);  // they wait at the follower
  s.world.on_application = [](Application& application) { application.logs().joining = 0; };
  s.kill("c.1");
  s.run_ms(500);
  s.process("c.1").start();
  s.until([&] { return s.world.log_oracle.cursor("c.1", kLog) == 10; }, "the next life to read");
  s.finish();
}

}  // namespace

std::vector<Scenario> log_scenarios() {
  return {
      {"L1", "retention leaves what it should of a log", l1},
      {"L2", "the numbers of a log go on when all of it is erased", l2},
      {"L3", "who follows a log goes on at its cursor in its next life", l3},
  };
}

}  // namespace starbus::sim
