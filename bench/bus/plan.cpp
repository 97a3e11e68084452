#include "bench/bus/plan.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "bench/harness/files.hpp"

namespace starbus::bench {

std::vector<PlannedProcess> Plan::on_host(int host) const {
  std::vector<PlannedProcess> found;
  for (const PlannedProcess& process : processes) {
    if (process.address.host == host) found.push_back(process);
  }
  return found;
}

const PlannedProcess* Plan::find(Address address) const {
  for (const PlannedProcess& process : processes) {
    if (process.address == address) return &process;
  }
  return nullptr;
}

bool Plan::leaves_out() const {
  return std::ranges::any_of(processes, &PlannedProcess::stops);
}

Result<void> Plan::save() const {
  nlohmann::json json{{"hosts", hosts}, {"tls", tls}, {"ports", ports}};
  json["processes"] = nlohmann::json::array();
  for (const PlannedProcess& process : processes) {
    json["processes"].push_back({{"host", process.address.host},
                                 {"slot", process.address.slot},
                                 {"subscriptions", process.subscriptions},
                                 {"stops", process.stops}});
  }
  return write_text(directory + "/plan.json", json.dump(2) + "\n");
}

Result<Plan> Plan::load(const std::string& directory) {
  const Result<std::string> text = read_text(directory + "/plan.json");
  if (!text) return text.error();
  const auto json = nlohmann::json::parse(*text, nullptr, false);
  if (!json.is_object()) return fail("plan.json is not a JSON object");
  Plan plan;
  plan.directory = directory;
  plan.hosts = json.value("hosts", 0);
  plan.tls = json.value("tls", false);
  plan.ports = json.value("ports", plan.ports);
  for (const auto& process : json.value("processes", nlohmann::json::array())) {
    plan.processes.push_back(
        {{process.value("host", std::uint16_t{0}), process.value("slot", std::uint16_t{0})},
         process.value("subscriptions", 0),
         process.value("stops", false)});
  }
  return plan;
}

int free_port() {
  const int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  int port = 0;
  if (bind(descriptor, reinterpret_cast<sockaddr*>(&address), length) == 0 &&
      getsockname(descriptor, reinterpret_cast<sockaddr*>(&address), &length) == 0) {
    port = ntohs(address.sin_port);
  }
  close(descriptor);
  return port;
}

Result<void> wait_for_port(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  for (int attempt = 0; attempt < 1000; ++attempt) {
    const int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const int connected =
        connect(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof address);
    close(descriptor);
    if (connected == 0) return {};
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return fail("nothing listens on port " + std::to_string(port));
}

}  // namespace starbus::bench
