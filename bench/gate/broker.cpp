#include "bench/gate/broker.hpp"

#include <unistd.h>

#include "bench/bus/load_process.hpp"
#include "bench/gate/load/socket.hpp"
#include "bench/harness/clock.hpp"
#include "bench/harness/files.hpp"
#include "tests/cluster/cluster_harness.hpp"

namespace starbus::bench::gate {
namespace {

constexpr std::int64_t kListens = 10 * kSecond;
constexpr std::int64_t kConnect = 120 * kSecond;

// Nothing is written to disks or logs, and no queue is shorter than the gate's.
std::string configuration(int port, const std::string& folder, bool tls) {
  std::string text = "listener " + std::to_string(port) +
                     " 127.0.0.1\n"
                     "allow_anonymous true\n"
                     "user root\n"
                     "persistence false\n"
                     "log_type error\n"
                     "set_tcp_nodelay true\n"
                     "max_connections -1\n"
                     "max_queued_messages 0\n";
  if (tls) {
    text +=
        "certfile " + folder + "/gate.pem\nkeyfile " + folder + "/gate.key\ntls_version tlsv1.3\n";
  }
  return text;
}

}  // namespace

Result<std::string> find_program(const std::string& name) {
  for (const char* folder : {"/usr/sbin/", "/usr/bin/", "/usr/local/bin/"}) {
    if (::access((folder + name).c_str(), X_OK) == 0) return folder + name;
  }
  return fail(name + ": not installed; scripts/deps --bench does that");
}

Result<void> make_certificate(const std::string& folder) {
  const auto made = run_command({"openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                                 "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj",
                                 "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1",
                                 "-keyout", folder + "/gate.key", "-out", folder + "/gate.pem"});
  if (!made) return made.error();
  const auto certificate = read_text(folder + "/gate.pem");
  const auto key = read_text(folder + "/gate.key");
  if (!certificate) return certificate.error();
  if (!key) return key.error();
  return write_text(folder + "/both.pem", *certificate + *key);
}

Result<void> await_port(int port, Process& process) {
  const std::int64_t end = now_ns() + kListens;
  while (!Socket::connect(port, nullptr)) {
    if (!process.alive()) return fail(process.name() + " has ended");
    if (now_ns() > end) return fail(process.name() + " does not listen");
    sleep_until_ns(now_ns() + 10 * kMillisecond);
  }
  return {};
}

Result<Broker> Broker::start(const std::string& folder, ProcessGroup& processes,
                             const BrokerOptions& options) {
  Broker made(processes, options);
  const auto program = find_program("mosquitto");
  if (!program) return program.error();
  made.port_ = cluster_test::free_port();
  const std::string file = folder + "/mosquitto.conf";
  if (options.tls) {
    if (const auto certificate = make_certificate(folder); !certificate) return certificate.error();
  }
  const auto written = write_text(file, configuration(made.port_, folder, options.tls));
  if (!written) return written.error();
  const auto broker = processes.spawn("mosquitto", {*program, "-c", file});
  if (!broker) return broker.error();
  made.broker_ = *broker;
  if (const auto up = await_port(made.port_, *made.broker_); !up) return up.error();
  if (!options.answered) return made;
  const auto responder = processes.spawn(
      "responder", {own_executable(), "role", "responder", "--port", std::to_string(made.port_)});
  if (!responder) return responder.error();
  made.responder_ = *responder;
  if (const auto ready = await_ready(*made.responder_); !ready) return ready.error();
  return made;
}

Result<void> Broker::connect() {
  std::vector<std::string> command{own_executable(),
                                   "role",
                                   "mqtt",
                                   "--port",
                                   std::to_string(port_),
                                   "--clients",
                                   std::to_string(options_.clients),
                                   "--bytes",
                                   std::to_string(options_.bytes)};
  if (options_.tls) command.emplace_back("--tls");
  if (options_.answered) command.emplace_back("--answered");
  const auto load = processes_->spawn("mqtt-load", command);
  if (!load) return load.error();
  load_ = *load;
  const auto line = load_->read_line(now_ns() + kConnect);
  if (!line) return line.error();
  if (*line != "ready") return fail("mqtt-load: " + *line);
  return {};
}

Result<nlohmann::json> Broker::run(const std::string& line, double seconds) {
  if (const auto told = load_->write_line(line); !told) return told.error();
  return read_result(*load_, seconds);
}

}  // namespace starbus::bench::gate
