#include "tests/sim/simulation.hpp"

#include "tests/sim/adversary.hpp"
#include "tests/sim/clients/client_workload.hpp"
#include "tests/sim/users/workload.hpp"
#include "tests/sim/world.hpp"

namespace starbus::sim {
namespace {

double seconds(Time time) {
  return std::chrono::duration<double>(time).count();
}

void run(World& world, const RunOptions& options, RunResult& result) {
  Random& random = world.random;
  world.leases_may_end = options.profile.deaths;
  if (options.profile.deaths) {
    world.on_gave_up = [&world](ProcessNode& process, const bus::Error&) {
      process.after(Time{}, [&world, &process] {
        world.oracle.disturbed();
        process.crash();
        world.timeline.after(from_ms(200), [&process] { process.start(); });
      });
    };
  }
  world.begin();
  for (auto& liar : world.liars()) liar->start();
  Adversary adversary(world, options.profile);
  Workload workload(world, options.profile);
  std::optional<ClientWorkload> clients;
  if (options.profile.clients) clients.emplace(world);
  // Dense seeds put all faults into seconds, long ones let leases and timeouts run out.
  const std::uint64_t longest_step[] = {10, 20, 40, 100};
  const std::uint64_t longest = longest_step[random.below(std::size(longest_step))];
  for (int step = 0; step < options.steps; ++step) {
    world.timeline.run_until(world.now() + random.micros(500, longest * 1000));
    adversary.step();
    workload.step();
    if (clients) clients->step();
    world.check_step();
    ++world.counts[Event::steps];
  }
  adversary.stop();
  const Time healing = world.now();
  world.heal_and_check(from_ms(options.profile.deaths ? 150'000 : 60'000), [&] {
    if (options.profile.deaths) workload.replace_the_lost(0.3);
  });
  result.healing_seconds = seconds(world.now() - healing);
}

}  // namespace

RunResult run_seed(const RunOptions& options) {
  RunResult result;
  WorldOptions world_options;
  if (options.profile.clients) {
    world_options.processes_per_host = 0;
    world_options.clients_per_host = 2;
    world_options.movers = {};
  } else {
    world_options.free_names = {"thing/1", "thing/2", "thing/3"};
  }
  world_options.older = options.profile.older;
  world_options.watch_queues = options.profile.pressure;
  world_options.liars = options.profile.liars;
  if (options.profile.mail) {
    world_options.mailboxes = {"player/1", "player/2", "guild/1"};
    world_options.logs = {"log/news", "log/guild"};
    for (const std::string& mailbox : world_options.mailboxes) {
      world_options.free_names.push_back(mailbox);  // whose owners come and go
    }
  }
  World world(options.seed, std::move(world_options));
  world.trace.print_to(options.trace);
  const Time begin = world.now();
  try {
    run(world, options, result);
  } catch (const Violation& violation) {
    result.violation = violation.what();
  } catch (const std::exception& exception) {
    result.violation = std::string("the core broke down: ") + exception.what();
  }
  world.collect_counts();
  result.fingerprint = world.trace.hash();
  result.counts = world.counts;
  result.virtual_seconds = seconds(world.now() - begin);
  return result;
}

}  // namespace starbus::sim
