#include "bench/gate/room.hpp"

#include <filesystem>

#include "bench/bus/load_process.hpp"
#include "bench/harness/clock.hpp"
#include "tests/cluster/cluster_harness.hpp"

namespace starbus::bench::gate {
namespace {

constexpr std::int64_t kJoin = 120 * kSecond;

Result<void> ready(Process& process) {
  const auto line = process.read_line(now_ns() + kJoin);
  if (!line) return line.error();
  if (*line != "ready") return fail(process.name() + " said: " + *line);
  return {};
}

}  // namespace

Result<std::string> find_colyseus() {
  const std::filesystem::path program = own_executable();
  const auto folder = program.parent_path().parent_path() / "bench-colyseus";
  if (std::filesystem::exists(folder / "node_modules/@colyseus/core")) return folder.string();
  return fail(
      "colyseus: not installed; scripts/bench gate does that with npm, if it reaches a "
      "registry");
}

Result<Room> Room::start(ProcessGroup& processes, const RoomOptions& options) {
  const auto folder = find_colyseus();
  if (!folder) return folder.error();
  const std::string port = std::to_string(cluster_test::free_port());
  std::vector<std::string> command = options.launcher;
  command.insert(command.end(), {"/usr/bin/env", "NODE_ENV=production", "node",
                                 *folder + "/" + options.server, port});
  command.insert(command.end(), options.server_arguments.begin(), options.server_arguments.end());
  const auto server = processes.spawn("colyseus", command);
  if (!server) return server.error();
  if (const auto up = ready(**server); !up) return up.error();
  command = {"/usr/bin/env", "node", *folder + "/" + options.load, port};
  command.insert(command.end(), options.load_arguments.begin(), options.load_arguments.end());
  const auto load = processes.spawn("colyseus-load", command);
  if (!load) return load.error();
  if (const auto joined = ready(**load); !joined) return joined.error();
  return Room(*server, *load);
}

Result<nlohmann::json> Room::run(double seconds) {
  if (const auto told = load_->write_line("go " + std::to_string(seconds)); !told) {
    return told.error();
  }
  return read_result(*load_, seconds);
}

}  // namespace starbus::bench::gate
