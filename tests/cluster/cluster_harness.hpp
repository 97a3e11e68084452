/// Real daemons on loopback for tests: busroot and busds as processes of their own, in a temporary
/// folder, ended by pid when the harness goes (and by the kernel, should the test program die).
///
///   Cluster cluster({.hosts = {"a", "b"}});
///   cluster.start();
///   Bus bus(loop, cluster.node("a", "x"));
///   cluster.busd("b").kill();
///   cluster.busd("b").start();
///
/// One thread. Everything blocks for moments only, so it may be called within a coroutine; what
/// takes longer is waited for with `until` (see cluster_test.hpp), which lets the loop run.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "bus/client/bus.hpp"
#include "tests/places.hpp"

namespace starbus::cluster_test {

/// A process of ours: stdout and stderr go to a file. Killed when destroyed.
class Child {
 public:
  Child(const std::vector<std::string>& command, const std::filesystem::path& log);
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  pid_t pid() const { return pid_; }
  void signal(int number) const;
  /// Does not wait: the exit code, or minus the signal that ended it; none while it lives.
  std::optional<int> ended();
  /// Blocks.
  std::optional<int> wait(std::chrono::milliseconds limit);
  /// SIGKILL, and gone when this returns.
  void kill();

 private:
  pid_t pid_ = 0;
  std::optional<int> status_;
};

struct HttpAnswer {
  int status = 0;  // 0: nobody answered
  std::string body;
};
/// `address`: "unix:///PATH" or "127.0.0.1:PORT".
HttpAnswer http_get(const std::string& address, const std::string& target);
HttpAnswer http_post(const std::string& address, const std::string& target);

/// busroot or a busd: restarted with the same configuration file and state folder.
class Daemon {
 public:
  /// `launcher`: the command that runs it, such as nsenter in a network of its own; may be empty.
  Daemon(std::string program, std::string name, std::filesystem::path folder,
         std::vector<std::string> launcher = {});

  void configure(const std::string& toml) const;
  std::filesystem::path config_file() const { return folder_ / (name_ + ".toml"); }
  std::filesystem::path state_folder() const { return folder_ / name_; }

  void start();
  void kill() { child_->kill(); }
  void stop() const;  // SIGSTOP
  void cont() const;
  void reload() const;  // SIGHUP
  /// SIGTERM; the exit code, none if it does not end in time. Blocks.
  std::optional<int> terminate(std::chrono::milliseconds limit);
  void restart();  // kill and start
  /// Starts another one with --takeover. The exit code of the earlier, none if it does not end in
  /// time. Blocks.
  std::optional<int> take_over(std::chrono::milliseconds limit);
  Child& process() { return *child_; }

  /// Its admin socket, "unix:///PATH"; empty before it listens.
  std::string admin() const;
  /// Its port for metrics and health, "127.0.0.1:PORT"; likewise.
  std::string port() const;
  HttpAnswer get(const std::string& target) const { return http_get(admin(), target); }
  nlohmann::json json(const std::string& target) const;
  bool serves() const { return get("/healthz").status == 200; }
  /// All that it has logged, over all starts.
  std::string log() const;
  std::size_t log_lines_with(const std::string& text) const;

 private:
  std::string program_;
  std::string name_;
  std::filesystem::path folder_;
  std::vector<std::string> launcher_;
  std::unique_ptr<Child> child_;
};

struct ClusterOptions {
  std::vector<std::string> hosts = {"a", "b"};
  bool curve = false;                         // tcp:// with keys; otherwise stream://
  std::string roles{};                        // appended to the configuration of every busd
  std::map<std::string, std::string> more{};  // to that of one host
  bool wait_ready = true;
  std::string root_address = "127.0.0.1";
  int root_port = 0;                             // 0: any that is free
  std::map<std::string, std::string> detours{};  // by host: "ADDRESS:PORT" that leads to busroot
  std::map<std::string, std::vector<std::string>> launchers{};  // by daemon, see Daemon
  std::map<std::string, std::string> programs{};                // by host: another one than busd
};

class Cluster {
 public:
  /// Starts everything, and waits until it serves. Throws std::runtime_error otherwise.
  explicit Cluster(ClusterOptions options = {});
  /// Shows the logs if the test has failed.
  ~Cluster();

  Daemon& root() { return *root_; }
  Daemon& busd(const std::string& host) { return *busds_.at(host); }
  Daemon& daemon(const std::string& name) { return name == "root" ? root() : busd(name); }
  bus::Options node(const std::string& host, std::string name, std::string role = "node") const;
  /// unix:// of the busd
  std::string endpoint(const std::string& host) const;
  std::filesystem::path socket(const std::string& host) const;
  int root_port() const { return root_port_; }
  const std::filesystem::path& folder() const { return folder_; }

  /// Text of a configuration file; `keys` replaces the keys made at the start.
  std::string root_config(const std::map<std::string, std::vector<std::string>>& keys) const;
  std::string busd_config(const std::string& host, const std::vector<std::string>& root_keys) const;
  /// With curve: makes a pair, writes its secret half to FOLDER/NAME.key, returns the public one.
  std::string make_key(const std::string& name) const;
  std::string root_key() const { return root_key_; }
  std::string host_key(const std::string& host) const { return host_keys_.at(host); }

  /// A program of ours that is no daemon, such as skirmish.
  std::unique_ptr<Child> run(const std::vector<std::string>& command, const std::string& log);
  std::string log_of(const std::string& log) const;

 private:
  void start();
  void wait_until_ready();
  std::string root_endpoint() const;
  std::vector<std::string> launcher(const std::string& daemon) const;

  const ClusterOptions options_;
  std::filesystem::path folder_;
  int root_port_ = 0;
  std::string root_key_;
  std::map<std::string, std::string> host_keys_;
  std::unique_ptr<Daemon> root_;
  std::map<std::string, std::unique_ptr<Daemon>> busds_;
};

/// A port of 127.0.0.1 that nobody listens on, outside the range that the kernel hands out.
int free_port();
/// Blocks until `condition` holds; false if it does not within `limit`.
bool wait_for(std::chrono::milliseconds limit, const std::function<bool()>& condition);

}  // namespace starbus::cluster_test
