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

Result<Room> Room::start(ProcessGroup& processes, const Options& options) {
  const auto folder = find_colyseus();
  if (!folder) return folder.error();
  const std::string port = std::to_string(cluster_test::free_port());
  const auto server = processes.spawn(
      "colyseus", {"/usr/bin/env", "NODE_ENV=production", "node", *folder + "/server.cjs", port});
  if (!server) return server.error();
  if (const auto up = ready(**server); !up) return up.error();
  const auto load = processes.spawn(
      "colyseus-load", {"node", *folder + "/load.js", port, std::to_string(options.colyseus),
                        std::to_string(options.rate), std::to_string(options.bytes)});
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
