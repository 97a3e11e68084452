#include "tests/cluster/cluster_harness.hpp"

#include <gtest/gtest.h>
#include <signal.h>

#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

#include "bus/io/key_file.hpp"

namespace starbus::cluster_test {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

constexpr auto kStart = 20s;           // for a daemon to serve, on a very slow machine
constexpr std::size_t kShown = 6'000;  // bytes of each log, when a test has failed

std::string read_file(const fs::path& file) {
  std::ifstream stream(file);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

std::string line_of(const fs::path& file) {
  std::string line = read_file(file);
  while (!line.empty() && line.back() == '\n') line.pop_back();
  return line;
}

std::string quoted_list(const std::vector<std::string>& texts) {
  std::string list;
  for (const std::string& text : texts) list += (list.empty() ? "'" : ", '") + text + "'";
  return "[" + list + "]";
}

}  // namespace

Daemon::Daemon(std::string program, std::string name, fs::path folder,
               std::vector<std::string> launcher)
    : program_(std::move(program)),
      name_(std::move(name)),
      folder_(std::move(folder)),
      launcher_(std::move(launcher)) {}

void Daemon::configure(const std::string& toml) const {
  // Whole or not at all, in case it is read meanwhile.
  const fs::path fresh = config_file().string() + ".fresh";
  std::ofstream(fresh) << toml;
  fs::rename(fresh, config_file());
}

void Daemon::start() {
  fs::remove(state_folder() / "admin");  // of the one before
  fs::remove(state_folder() / "admin_socket");
  std::vector<std::string> command = launcher_;
  command.insert(command.end(), {program_, "--config", config_file().string()});
  child_ = std::make_unique<Child>(command, folder_ / (name_ + ".log"));
}

std::optional<int> Daemon::take_over(std::chrono::milliseconds limit) {
  const auto earlier = std::exchange(
      child_,
      std::make_unique<Child>(
          std::vector<std::string>{program_, "--config", config_file().string(), "--takeover"},
          folder_ / (name_ + ".log")));
  return earlier->wait(limit);
}

void Daemon::stop() const {
  child_->signal(SIGSTOP);
}

void Daemon::cont() const {
  child_->signal(SIGCONT);
}

void Daemon::reload() const {
  child_->signal(SIGHUP);
}

std::optional<int> Daemon::terminate(std::chrono::milliseconds limit) {
  child_->signal(SIGTERM);
  return child_->wait(limit);
}

void Daemon::restart() {
  kill();
  start();
}

std::string Daemon::admin() const {
  const std::string path = line_of(state_folder() / "admin_socket");
  return path.empty() ? "" : "unix://" + path;
}

std::string Daemon::port() const {
  return line_of(state_folder() / "admin");
}

nlohmann::json Daemon::json(const std::string& target) const {
  const HttpAnswer answer = get(target);
  return nlohmann::json::parse(answer.body, nullptr, false);
}

std::string Daemon::log() const {
  return read_file(folder_ / (name_ + ".log"));
}

std::size_t Daemon::log_lines_with(const std::string& text) const {
  std::istringstream lines(log());
  std::size_t count = 0;
  for (std::string line; std::getline(lines, line);) count += line.find(text) != line.npos ? 1 : 0;
  return count;
}

Cluster::Cluster(ClusterOptions options) : options_(std::move(options)) {
  std::string pattern = (fs::temp_directory_path() / "starbus-cluster-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
  folder_ = pattern;
  root_port_ = options_.root_port != 0 ? options_.root_port : free_port();
  start();
  if (options_.wait_ready) wait_until_ready();
}

Cluster::~Cluster() {
  if (::testing::Test::HasFailure()) {
    for (const auto& entry : fs::directory_iterator(folder_)) {
      if (entry.path().extension() != ".log") continue;
      const std::string text = read_file(entry.path());
      std::cerr << "--- " << entry.path().filename().string() << "\n"
                << text.substr(text.size() > kShown ? text.size() - kShown : 0);
    }
  }
  busds_.clear();
  root_.reset();
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

void Cluster::start() {
  std::map<std::string, std::vector<std::string>> keys;
  if (options_.curve) root_key_ = make_key("root");
  for (const std::string& host : options_.hosts) {
    if (options_.curve) host_keys_[host] = make_key(host);
    keys[host] = {host_keys_[host]};
  }
  root_ = std::make_unique<Daemon>(program("busroot"), "root", folder_, launcher("root"));
  root_->configure(root_config(keys));
  root_->start();
  for (const std::string& host : options_.hosts) {
    const auto other = options_.programs.find(host);
    auto& busd = busds_[host] =
        std::make_unique<Daemon>(other == options_.programs.end() ? program("busd") : other->second,
                                 host, folder_, launcher(host));
    busd->configure(busd_config(host, {root_key_}));
    busd->start();
  }
}

void Cluster::wait_until_ready() {
  for (const auto& [host, busd] : busds_) {
    if (!wait_for(kStart, [&daemon = *busd] { return daemon.serves(); })) {
      throw std::runtime_error("busd " + host + " does not serve:\n" + busd->log() + root_->log());
    }
    // From now on a restart finds processes that were here before: the default is due.
    busd->configure(busd_config(host, {root_key_}));
  }
}

bus::Options Cluster::node(const std::string& host, std::string name, std::string role) const {
  return {.node = std::move(name), .role = std::move(role), .endpoint = endpoint(host)};
}

fs::path Cluster::socket(const std::string& host) const {
  return folder_ / (host + ".sock");
}

std::string Cluster::endpoint(const std::string& host) const {
  return "unix://" + socket(host).string();
}

std::string Cluster::root_endpoint() const {
  return options_.root_address + ":" + std::to_string(root_port_);
}

std::vector<std::string> Cluster::launcher(const std::string& daemon) const {
  const auto found = options_.launchers.find(daemon);
  return found == options_.launchers.end() ? std::vector<std::string>() : found->second;
}

std::string Cluster::root_config(
    const std::map<std::string, std::vector<std::string>>& keys) const {
  std::ostringstream text;
  text << "state_directory = '" << (folder_ / "root").string() << "'\n"
       << "[admin]\nlisten = '127.0.0.1:0'\n"
       << "[busroot]\nlisten = ['" << (options_.curve ? "tcp" : "stream") << "://"
       << root_endpoint() << "']\n"
       << "[security]\ncurve = " << (options_.curve ? "true" : "false") << "\n";
  if (!options_.curve) return text.str();
  text << "secret_key_file = '" << (folder_ / "root.key").string() << "'\n";
  for (const auto& [host, list] : keys) {
    text << "[[security.hosts]]\nname = '" << host << "'\nkeys = " << quoted_list(list) << "\n";
  }
  return text.str();
}

std::string Cluster::busd_config(const std::string& host,
                                 const std::vector<std::string>& root_keys) const {
  const auto detour = options_.detours.find(host);
  std::ostringstream text;
  text << "state_directory = '" << (folder_ / host).string() << "'\n"
       << "[admin]\nlisten = '127.0.0.1:0'\n"
       << "[busd]\nhost = '" << host << "'\nlisten = ['" << endpoint(host) << "']\n";
  text << "[busroot]\nendpoints = ['" << (options_.curve ? "tcp" : "stream") << "://"
       << (detour == options_.detours.end() ? root_endpoint() : detour->second)
       << "']\ncurve = " << (options_.curve ? "true" : "false") << "\n";
  if (options_.curve) {
    text << "secret_key_file = '" << (folder_ / (host + ".key")).string() << "'\n"
         << "server_keys = " << quoted_list(root_keys) << "\n";
  }
  text << options_.roles;
  if (const auto more = options_.more.find(host); more != options_.more.end()) text << more->second;
  return text.str();
}

std::string Cluster::make_key(const std::string& name) const {
  const auto keys = bus::io::generate_curve_keys().value();
  bus::io::write_secret_key_file((folder_ / (name + ".key")).string(), keys.secret_key,
                                 bus::io::Overwrite::yes)
      .value();
  return keys.public_key;
}

std::unique_ptr<Child> Cluster::run(const std::vector<std::string>& command,
                                    const std::string& log) {
  return std::make_unique<Child>(command, folder_ / (log + ".log"));
}

std::string Cluster::log_of(const std::string& log) const {
  return read_file(folder_ / (log + ".log"));
}

}  // namespace starbus::cluster_test
