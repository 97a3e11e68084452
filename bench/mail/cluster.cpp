#include "bench/mail/cluster.hpp"

#include <filesystem>

#include "bench/bus/plan.hpp"

namespace starbus::bench::mail {
namespace {

std::string replace_all(std::string text, const std::string& from, const std::string& to) {
  for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

class StarbusCluster final : public Cluster {
 public:
  StarbusCluster(const std::string& disk, bool keep, std::string busd)
      : Cluster(disk, keep), busd_(std::move(busd)) {}

  Result<void> start() override {
    const std::string root = "stream://127.0.0.1:" + std::to_string(free_port());
    endpoint_ = "unix://" + folder() + "/host0.sock";
    const auto root_written =
        write_text(folder() + "/busroot.toml",
                   "state_directory = \"" + disk() + "/root\"\n[busroot]\nlisten = [\"" + root +
                       "\"]\n[security]\ncurve = false\n[admin]\nlisten = \"127.0.0.1:0\"\n");
    if (!root_written) return root_written;
    // Quotas are not measured: one mailbox takes everything.
    const auto busd_written = write_text(
        folder() + "/host0.toml",
        "state_directory = \"" + disk() + "/host0\"\n[busd]\nhost = \"host0\"\nlisten = [\"" +
            endpoint_ + "\"]\n[busroot]\nendpoints = [\"" + root +
            "\"]\ncurve = false\n[admin]\nlisten = \"127.0.0.1:0\"\n" +
            "[mail]\nshards = [\"0-255\"]\nbox_messages = 1000000000\nbox_bytes = \"1024GiB\"\n");
    if (!busd_written) return busd_written;
    const std::string bin = own_executable().substr(0, own_executable().rfind('/'));
    const auto spawned =
        servers_->spawn("busroot", {bin + "/busroot", "--config", folder() + "/busroot.toml"});
    if (!spawned) return spawned.error();
    store_command_ = {bin + "/" + busd_, "--config", folder() + "/host0.toml"};
    return start_store();
  }

 private:
  const std::string busd_;  // the program
};

Result<void> write_nats_configuration(const std::string& path, const std::string& store, int port,
                                      const std::string& sync) {
  const auto text = read_text(STARBUS_BENCH_NATS_TEMPLATES "/jetstream.conf.in");
  if (!text) return text.error();
  std::string filled = replace_all(*text, "@CLIENT_PORT@", std::to_string(port));
  filled = replace_all(filled, "@STORE@", store);
  return write_text(path, replace_all(filled, "@SYNC@", sync));
}

bool knows_sync_interval(const std::string& folder) {
  const std::string path = folder + "/try.conf";
  return write_nats_configuration(path, folder, 1, ", sync_interval: always") &&
         run_command({"nats-server", "-t", "-c", path});
}

class NatsCluster final : public Cluster {
 public:
  NatsCluster(const std::string& disk, bool keep, bool synchronous)
      : Cluster(disk, keep), synchronous_(synchronous) {}

  Result<void> start() override {
    const int port = free_port();
    endpoint_ = "nats://127.0.0.1:" + std::to_string(port);
    const bool by_option = synchronous_ && knows_sync_interval(folder());
    if (synchronous_ && !by_option) {
      if (const auto made = make_synchronous(disk()); !made) return made;
    }
    const std::string path = folder() + "/jetstream.conf";
    const auto written =
        write_nats_configuration(path, disk(), port, by_option ? ", sync_interval: always" : "");
    if (!written) return written;
    // Collecting garbage less often gains it throughput; as in scripts/bench bus.
    store_command_ = {"env", "GOGC=400", "nats-server", "-c", path};
    return start_store();
  }

 private:
  bool synchronous_;
};

}  // namespace

Cluster::Cluster(const std::string& disk, bool keep)
    : folder_("/tmp", keep),
      disk_(disk, keep),
      servers_(std::make_unique<ProcessGroup>(folder_.path())),
      stores_(std::make_unique<ProcessGroup>(folder_.path())) {}

Result<void> Cluster::start_store() {
  const auto spawned = stores_->spawn("store", store_command_);
  if (!spawned) return spawned.error();
  store_ = *spawned;
  return {};
}

Result<void> Cluster::restart_store() {
  stores_->stop();
  return start_store();
}

std::vector<System> available_systems(const std::string& disk, std::vector<std::string>& why_not) {
  std::vector<System> systems;
  const TemporaryFolder folder(disk, false);
  if (run_command({"nats-server", "--version"})) {
    systems.push_back({"nats", "answers when its file system has it: a power cut may lose it"});
    if (knows_sync_interval(folder.path())) {
      systems.push_back({"nats-sync", "sync_interval: always"});
    } else if (const auto made = make_synchronous(folder.path()); made) {
      systems.push_back({"nats-sync",
                         "this nats-server has no sync_interval: all writes in its folder are "
                         "synchronous (chattr +S)"});
    } else {
      why_not.push_back("nats-sync: " + made.error().what);
    }
  } else {
    why_not.emplace_back("nats: there is no nats-server");
  }
  systems.push_back({"starbus", "answers after an fsync"});
  systems.push_back({"starbus-nosync", "the same, on a disk that does not sync"});
  return systems;
}

Result<std::unique_ptr<Cluster>> make_cluster(const std::string& system, const std::string& disk,
                                              bool keep) {
  std::unique_ptr<Cluster> cluster;
  if (is_starbus(system)) {
    const std::string busd = system == "starbus" ? "busd" : "bench-busd-unsynced";
    cluster = std::make_unique<StarbusCluster>(disk, keep, busd);
  } else {
    cluster = std::make_unique<NatsCluster>(disk, keep, system == "nats-sync");
  }
  if (cluster->folder().empty()) return fail("cannot make folders in /tmp and " + disk);
  if (const auto started = cluster->start(); !started) return started.error();
  return cluster;
}

}  // namespace starbus::bench::mail
