// The client library: replies without room, forged replies, deadlines, announcements, waits for
// room.
#include "bus/client/parts/bus_parts.hpp"
#include "tests/sim/clients/forgery.hpp"
#include "tests/sim/script.hpp"

namespace starbus::sim {
namespace {

using std::chrono::milliseconds;

constexpr std::uint32_t kLarge = 100'000;  // bytes: a dozen fill a window
constexpr int kMany = 40;                  // of them fill it, and what is in flight before it
constexpr milliseconds kLongWait{600'000};

WorldOptions clients_alone() {
  WorldOptions options;
  options.processes_per_host = 0;
  options.clients_per_host = 1;
  options.movers = {};
  return options;
}

ClientNode& client(Script& s, std::string_view name) {
  for (auto& each : s.world.clients()) {
    if (each->name() == name) return *each;
  }
  throw std::logic_error("no such client: " + std::string(name));
}

/// The callee has more to say than its caller reads: what finds no room comes when there is some.
void k1(std::FILE* trace) {
  Script s(clients_alone(), trace);
  ClientNode& caller = client(s, "a.c1");
  caller.run([&] {
    ClientUser::Asking asking;
    asking.to = "entity/b.c1";
    asking.limit = kLongWait;
    asking.reply_bytes = kLarge;
    for (int i = 0; i < kMany; ++i) caller.user().call(asking);
  });
  ClientNode& callee = client(s, "b.c1");
  s.until([&] { return !callee.user().heard().empty(); }, "the calls to arrive");
  caller.pause();
  s.until([&] { return callee.parts().replies.kept() != 0; }, "replies that are kept", 5'000);
  s.run_ms(2'000);
  caller.resume();
  s.until_rest();
  s.finish();
}

/// A neighbour knows how many calls a process has made, and answers them all.
void k2(std::FILE* trace) {
  Script s(clients_alone(), trace);
  ClientNode& caller = client(s, "a.c1");
  ClientNode& forger = client(s, "c.c1");
  caller.run([&] {
    ClientUser::Asking asking;
    asking.to = "entity/b.c1";
    asking.answer = ClientUser::Answer::later;
    asking.delay_ms = 2'000;
    for (int i = 0; i < 10; ++i) caller.user().call(asking);
  });
  const ClientOracle::Id latest = s.world.client_oracle.issued();
  forger.run([&] {
    for (std::uint64_t number = 1; number <= 100; ++number) {
      forge_reply(forger, caller.bus().self(), bus::Lane::call, number, latest);
    }
  });
  s.until_rest();
  s.expect(caller.bus().counters().replies_unknown == 100, "all forgeries are counted");
  s.finish();
}

/// The callee is stopped: its callers end at their deadlines, and not when it goes on.
void k3(std::FILE* trace) {
  Script s(clients_alone(), trace);
  ClientNode& caller = client(s, "a.c1");
  client(s, "b.c1").pause();
  caller.run([&] {
    ClientUser::Asking asking;
    asking.to = "entity/b.c1";
    asking.limit = milliseconds(300);
    for (int i = 0; i < kMany; ++i) caller.user().call(asking);
  });
  s.run_ms(1'000);
  s.expect(caller.bus().counters().calls_timed_out == kMany, "all calls ended at their deadlines");
  s.finish();
}

/// A member of the group is stopped: the others get every announcement, and it is named.
void k4(std::FILE* trace) {
  Script s(clients_alone(), trace);
  ClientNode& announcer = client(s, "a.c1");
  client(s, "b.c1").pause();
  for (int i = 0; i < kMany; ++i) {
    announcer.run([&] {
      ClientUser::Asking asking;
      asking.to = kClientGroup;
      asking.limit = {};
      asking.body_bytes = kLarge;
      announcer.user().announce(asking, bus::WhenFull::skip);
    });
    s.run_ms(20);
  }
  client(s, "b.c1").resume();
  s.until_rest();
  s.finish();
}

/// Its window to a receiver that is stopped is full: it waits for room, which comes.
void k5(std::FILE* trace) {
  Script s(clients_alone(), trace);
  ClientNode& sender = client(s, "a.c1");
  client(s, "b.c1").pause();
  sender.run([&] {
    ClientUser::Asking asking;
    asking.to = "entity/b.c1";
    asking.limit = {};
    asking.body_bytes = kLarge;
    for (int i = 0; i < kMany; ++i) sender.user().send(asking, true);
    sender.user().await_room(asking.to, {});
  });
  s.run_ms(500);
  s.expect(sender.user().rooms() == 1, "there is no room");
  client(s, "b.c1").resume();
  s.until_rest();
  s.finish();
}

/// An announcement waits for the first rows of its group until the lease is lost: it is over then,
/// and the next life does not say it.
void k6(std::FILE* trace) {
  Script s(clients_alone(), trace);
  s.world.leases_may_end = true;
  s.world.root().crash();
  ClientNode& announcer = client(s, "a.c1");
  const std::uint64_t life = announcer.user().life();
  const std::uint64_t handled = s.world.counts[Event::handled];
  announcer.run([&] {
    ClientUser::Asking asking;
    asking.to = kClientGroup;
    asking.limit = {};
    announcer.user().announce(asking, bus::WhenFull::skip);
  });
  s.until([&] { return announcer.user().life() != life; }, "the lease to end");
  s.world.root().start();
  s.until_rest();
  s.expect(s.world.counts[Event::handled] == handled, "nothing of the life before is said");
  s.finish();
}

}  // namespace

std::vector<Scenario> client_scenarios() {
  return {{"K1", "replies that find no room are kept until there is some", k1},
          {"K2", "guessed replies end no call", k2},
          {"K3", "calls to a process that is stopped end at their deadlines", k3},
          {"K4", "a member that is stopped is named, and the others are served", k4},
          {"K5", "who waits for room is told when there is some", k5},
          {"K6", "what waits for the rows of a watch ends with the lease", k6}};
}

}  // namespace starbus::sim
