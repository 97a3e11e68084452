#include "bench/space/run_room.hpp"

#include "bench/gate/room.hpp"
#include "bench/harness/clock.hpp"
#include "bench/harness/files.hpp"
#include "bench/space/cores.hpp"

namespace starbus::bench::space {
namespace {

using Json = nlohmann::json;

// What both programs of the room are told.
std::string text_of(bool views, const Crowd& crowd) {
  return Json{{"paths", crowd.paths}, {"side", crowd.side},   {"margin", crowd.range},
              {"range", crowd.range}, {"speed", crowd.speed}, {"radius", crowd.radius},
              {"view", crowd.view},   {"views", views}}
      .dump();
}

Metrics metrics_of(const Json& said, double cpu_ns, const Crowd& crowd) {
  const Json& room = said.at("room");
  const auto clients = static_cast<double>(crowd.players);
  const double seconds = said.at("seconds").get<double>();
  const double updates = room.at("told").get<double>();
  const double seen = room.at("pairs").get<double>() / clients;
  const double down = said.at("down").get<double>();
  const double cpu = cpu_ns / 1000 / updates;
  return Metrics{{"cpu", cpu},
                 {"alone", cpu},
                 {"node", cpu_ns / kSecond / seconds},
                 {"p50", room.at("p50").get<double>()},
                 {"p99", room.at("p99").get<double>()},
                 {"missed", 10 * seconds - room.at("patches").get<double>()},
                 {"seen", seen},
                 {"rate", updates / seconds / clients / seen},
                 {"down", down},
                 {"up", said.at("up").get<double>()},
                 {"update", down * clients * seconds / updates},
                 {"wrong", said.at("wrong").get<double>()}};
}

}  // namespace

Result<Metrics> walk_in_room(bool views, const Crowd& crowd, const Options& options) {
  const Cores cores(options.pin);
  const TemporaryFolder folder(temporary_parent(), false);
  ProcessGroup processes(folder.path());
  const std::string walk = text_of(views, crowd);
  auto room = gate::Room::start(processes, {.server = "field.cjs",
                                            .server_arguments = {walk},
                                            .load = "walk.js",
                                            .load_arguments = {std::to_string(crowd.players), walk},
                                            .launcher = cores.launcher()});
  if (!room) return fail(room.error().what + processes.log_tail());
  if (const auto warm = room->run(options.warm_up); !warm) return warm.error();
  const std::int64_t cpu = room->server().cpu_ns();
  const auto said = room->run(options.seconds);
  const std::int64_t used = room->server().cpu_ns() - cpu;
  if (!said) return said.error();
  if (said->at("room").at("told") == 0) return fail("nobody was told of a move");
  return metrics_of(*said, static_cast<double>(used), crowd);
}

}  // namespace starbus::bench::space
