// Room: a Colyseus room that echoes (colyseus/server.cjs), and its clients (load.js), in the folder
// into which scripts/bench has installed them. One thread uses it; failures are values.
#pragma once

#include <nlohmann/json.hpp>

#include "bench/gate/options.hpp"
#include "bench/harness/process.hpp"

namespace starbus::bench::gate {

// Where they are installed; a failure says what to do.
Result<std::string> find_colyseus();

class Room {
 public:
  static Result<Room> start(ProcessGroup& processes, const Options& options);
  // Clients ask for so long.
  Result<nlohmann::json> run(double seconds);
  Process& server() { return *server_; }

 private:
  Room(Process* server, Process* load) : server_(server), load_(load) {}

  Process* server_;
  Process* load_;
};

}  // namespace starbus::bench::gate
