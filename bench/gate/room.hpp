// Room: a room of Colyseus and its clients, programs of Node.js in the folder into which
// scripts/bench has installed it. One thread uses it; failures are values.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/harness/process.hpp"

namespace starbus::bench::gate {

// Where they are installed; a failure says what to do.
Result<std::string> find_colyseus();

struct RoomOptions {
  std::string server;                              // a file of that folder: it prints "ready"
  std::vector<std::string> server_arguments = {};  // after its port
  std::string load;                                // likewise: "ready" when all have joined
  std::vector<std::string> load_arguments;         // likewise
  std::vector<std::string> launcher = {};          // the command that runs the server, as taskset
};

class Room {
 public:
  static Result<Room> start(ProcessGroup& processes, const RoomOptions& options);
  // Clients do for so long what they do: a line of the load.
  Result<nlohmann::json> run(double seconds);
  Process& server() { return *server_; }

 private:
  Room(Process* server, Process* load) : server_(server), load_(load) {}

  Process* server_;
  Process* load_;
};

}  // namespace starbus::bench::gate
