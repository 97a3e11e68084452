#include "bench/gate/game.hpp"

#include <time.h>

#include <algorithm>
#include <fstream>
#include <stdexcept>

#include "bench/bus/load_process.hpp"
#include "bench/gate/broker.hpp"
#include "bench/harness/clock.hpp"
#include "bench/harness/files.hpp"
#include "nodes/login/tickets/keys.hpp"
#include "tests/cluster/node_process.hpp"

namespace starbus::bench::gate {
namespace {

using cluster_test::Cluster;
using cluster_test::Daemon;
using namespace std::chrono_literals;

constexpr std::chrono::seconds kStart{30};

// What one machine with thousands of clients needs; the rest is as shipped.
constexpr const char* kGateLimits =
    "connections_per_address = 20000\n"
    "tls_per_second = 100000\n";

cluster_test::ClusterOptions cluster_options(const GameOptions& options) {
  cluster_test::ClusterOptions made;
  made.hosts = options.hosts;
  made.more["a"] = "[mail]\nshards = ['0-255']\n";
  return made;
}

template <class T>
void demand(const Result<T>& result) {
  if (!result) throw std::runtime_error(result.error().what);
}

std::string in_folder(std::string keys, const std::string& folder) {
  constexpr std::string_view kFolder = "{folder}";
  for (auto at = keys.find(kFolder); at != std::string::npos; at = keys.find(kFolder, at)) {
    keys.replace(at, kFolder.size(), folder);
  }
  return keys;
}

}  // namespace

GameNode playing(GameNode node) {
  node.keys = "needs = ['service/db']\nticket_keys = ['{folder}/login.pub']\n" + node.keys;
  return node;
}

Game::Game(const GameOptions& options)
    : cluster_(cluster_options(options)), processes_(cluster_.folder().string()) {
  const auto key = nodes::login::SigningKey::generate();
  if (!key || !key->write(file("login.key"), file("login.pub"))) {
    throw std::runtime_error("no key for the login");
  }
  if (options.tls) demand(make_certificate(cluster_.folder().string()));
  const int shop = cluster_test::free_port();
  const auto process =
      processes_.spawn("shop", {own_executable(), "role", "shop", "--port", std::to_string(shop)});
  demand(process);
  demand(await_ready(**process));
  for (const auto& [name, text] : options.files) demand(write_text(file(name), text));
  start({"starbus-manager", "a", "manager-1", options.manager_keys});
  start({"starbus-db", "a", "db-1"});
  start({"starbus-login", "a", "login-1",
         "[login]\nkey = '{folder}/login.key'\ncreate = true\naddress_per_minute = 100000\n"
         "address_burst = 100000\nper_second = " +
             std::to_string(options.per_second) + "\n" + options.login_keys +
             "[[login.server]]\nmethod = 'shop'\nurl = 'http://127.0.0.1:" + std::to_string(shop) +
             "/?ticket={ticket_url}'\nget = true\naccount = 'account'\nprefix = 'b:'\n"});
  for (const GameNode& node : options.nodes) start(node);
  for (std::size_t i = 0; i < options.gates.size(); ++i) start_gate(i, options);
  for (const auto& [name, node] : nodes_) await(*node);
}

void Game::start_gate(std::size_t number, const GameOptions& options) {
  ports_.push_back(cluster_test::free_port());
  const std::string address = "127.0.0.1:" + std::to_string(ports_.back());
  urls_.push_back((options.tls ? "tls://" : "tcp://") + address);
  std::string listener = "[[gate.listeners]]\naddress = '" + address + "'\n";
  listener += options.tls
                  ? "certificates = '" + certificate() + "'\nkey = '" + file("gate.key") + "'\n"
                  : "tls = false\n";
  start({"starbus-gate", options.gates[number], gate_name(number),
         "[gate]\naddress = '" + address + "'\ndrain_time = '" + options.drain_time +
             "'\n[gate.limits]\n" + kGateLimits + options.gate_limits + listener});
}

Daemon& Game::start(const GameNode& node) {
  auto made =
      cluster_test::node_process(cluster_, node.program, node.host, node.name, "game",
                                 in_folder(node.keys, cluster_.folder().string()), node.launcher);
  made->start();
  return *(nodes_[node.name] = std::move(made));
}

void Game::await(Daemon& node) {
  if (cluster_test::wait_for(kStart, [&] { return node.serves(); })) return;
  const std::string log = node.log();
  throw std::runtime_error("not ready: " + log.substr(log.size() - std::min(log.size(), 400ul)));
}

std::int64_t Game::cpu_ns(const Daemon& node) {
  clockid_t clock{};
  timespec used{};
  if (::clock_getcpuclockid(const_cast<Daemon&>(node).process().pid(), &clock) != 0 ||
      ::clock_gettime(clock, &used) != 0) {
    return 0;
  }
  return used.tv_sec * kSecond + used.tv_nsec;
}

double Game::resident(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/status");
  for (std::string word; file >> word;) {
    double kib = 0;
    if (word == "VmRSS:" && file >> kib) return kib * 1024;
  }
  return 0;
}

}  // namespace starbus::bench::gate
