// Broker: mosquitto, and clients of it (load/mqtt_load.hpp). One thread uses it; its processes
// belong to the group. Failures are values.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "bench/gate/options.hpp"
#include "bench/harness/process.hpp"

namespace starbus::bench::gate {

struct BrokerOptions {
  bool tls = false;       // with the certificate FOLDER/gate.pem
  bool answered = false;  // a responder answers what clients publish
  std::size_t clients = 1;
  std::size_t bytes = 64;
};

class Broker {
 public:
  // A folder of its own, in which configuration and logs are.
  static Result<Broker> start(const std::string& folder, ProcessGroup& processes,
                              const BrokerOptions& options);
  // Connects the clients.
  Result<void> connect();
  // A line of the load, and its answer.
  Result<nlohmann::json> run(const std::string& line, double seconds);

  Process& broker() { return *broker_; }
  Process* responder() { return responder_; }

 private:
  Broker(ProcessGroup& processes, const BrokerOptions& options)
      : processes_(&processes), options_(options) {}

  ProcessGroup* processes_;
  BrokerOptions options_;
  int port_ = 0;
  Process* broker_ = nullptr;
  Process* responder_ = nullptr;
  Process* load_ = nullptr;
};

// Whether a program is installed: "mosquitto", or why not.
Result<std::string> find_program(const std::string& name);
// Makes FOLDER/gate.pem, gate.key, and both.pem: of ECDSA P-256, for 127.0.0.1.
Result<void> make_certificate(const std::string& folder);
// Waits until something listens there.
Result<void> await_port(int port, Process& process);

}  // namespace starbus::bench::gate
