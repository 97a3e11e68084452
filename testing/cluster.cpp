#include "testing/cluster.hpp"

#include <boost/asio/post.hpp>
#include <filesystem>
#include <stdexcept>

#include "bus/io/reconnect.hpp"
#include "daemon/router_shell.hpp"

namespace starbus::testing {
namespace {

using daemon::boot_now;

std::string temporary_folder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "starbus-XXXXXX").string();
  if (!mkdtemp(pattern.data())) throw std::runtime_error("no temporary folder: " + pattern);
  return pattern;
}

std::unique_ptr<bus::io::Listener> listen(boost::asio::io_context& loop,
                                          const std::string& endpoint,
                                          bus::io::AcceptHandler on_accept) {
  auto listener = bus::io::listen(loop, endpoint, {}, std::move(on_accept));
  if (!listener) throw std::runtime_error(endpoint + ": " + listener.error().to_string());
  return std::move(*listener);
}

std::uint8_t minor_of(const ClusterOptions& options, const std::string& daemon) {
  const auto older = options.minors.find(daemon);
  return older == options.minors.end() ? bus::kVersionMinor : older->second;
}

}  // namespace

class Cluster::Root {
 public:
  Root(Cluster& cluster, std::uint64_t term)
      : links_(cluster.loop_),
        shell_(links_, cluster),
        router_(shell_,
                {.term = term,
                 .name = "busroot",
                 .journaled = cluster.journal_,
                 .bounds = cluster.bounds_,
                 .software = "testing",
                 .lease = cluster.options_.lease,
                 .minor = minor_of(cluster.options_, "root")},
                boot_now()) {
    links_.start(router_);
    shell_.router = &router_;
    listener_ = listen(cluster.loop_, cluster.root_endpoint(),
                       [this](auto link) { links_.add(std::move(link)); });
  }
  ~Root() { links_.stop(); }  // before the router is destroyed
  bus::RootRouter& router() { return router_; }

 private:
  struct Shell final : daemon::LinkedShell<bus::RootShell> {
    Shell(daemon::LinkShell& links, Cluster& owner) : LinkedShell(links), cluster(owner) {}
    bus::Result<> allow_host(const std::string&, const std::string&) override { return {}; }
    bus::Result<> remember_hosts(const std::vector<std::string>& hosts) override {
      cluster.journal_ = hosts;
      return {};
    }
    bus::Result<> remember_bounds(const std::vector<bus::GrantBound>& bounds) override {
      cluster.bounds_ = bounds;
      return {};
    }
    void answer_query(const bus::Query&) override {}
    void on_answer(const bus::Answer&) override {}
    Cluster& cluster;
    bus::RootRouter* router = nullptr;
  };

  daemon::LinkShell links_;
  Shell shell_;
  bus::RootRouter router_;
  std::unique_ptr<bus::io::Listener> listener_;
};

class Cluster::Host {
 public:
  Host(Cluster& cluster, const std::string& name)
      : processes_(cluster.processes_[name]),
        links_(cluster.loop_),
        shell_(links_, *this),
        router_(shell_, config(cluster, name), boot_now()),
        uplink_(
            cluster.loop_, {{cluster.root_endpoint(), {}}},
            [this](auto link) { add_uplink(std::move(link)); }, [](auto&, auto&) {}) {
    links_.start(router_);
    listener_ = listen(cluster.loop_, cluster.host_endpoint(name),
                       [this](auto link) { links_.add(std::move(link)); });
    uplink_.start();
  }
  ~Host() { links_.stop(); }  // before the router is destroyed
  bus::HostRouter& router() { return router_; }

 private:
  struct Shell final : daemon::LinkedShell<bus::HostShell> {
    Shell(daemon::LinkShell& links, Host& owner) : LinkedShell(links), host(owner) {}
    // All nodes live in the test's own process: it outlives them.
    void watch_pid(std::int64_t) override {}
    void unwatch_pid(std::int64_t) override {}
    void remember_term(bus::Epoch) override {}
    void journal(const bus::JournaledProcess& process, bool lives) override {
      auto& known = host.processes_;
      std::erase_if(known, [&](const bus::JournaledProcess& other) {
        return other.node == process.node && other.incarnation == process.incarnation;
      });
      if (lives) known.push_back(process);
    }
    void answer_query(const bus::Query&) override {}
    void uplink_ended(const bus::Error&) override { host.uplink_.again(); }
    Host& host;
  };
  static bus::HostConfig config(Cluster& cluster, const std::string& name) {
    bus::HostConfig config;
    config.host = name;
    config.access = cluster.options_.access;
    config.incarnation = ++cluster.starts_;
    config.lease = cluster.options_.lease;
    config.minor = minor_of(cluster.options_, name);
    config.journaled = cluster.processes_[name];
    return config;
  }
  void add_uplink(std::shared_ptr<bus::io::Link> link) {
    links_.add(std::move(link), [this](bus::LinkId id, bus::PeerFacts peer, bus::Time now) {
      router_.uplink_opened(id, std::move(peer), ++sessions_, now);
    });
    links_.flush();
  }

  std::vector<bus::JournaledProcess>& processes_;  // busd's journal: it survives a crash
  daemon::LinkShell links_;
  Shell shell_;
  bus::HostRouter router_;
  bus::io::Reconnect uplink_;
  std::unique_ptr<bus::io::Listener> listener_;
  std::uint64_t sessions_ = 0;
};

Cluster::Cluster(boost::asio::io_context& loop, ClusterOptions options)
    : loop_(loop), options_(std::move(options)), folder_(temporary_folder()) {
  start_root();
  for (const std::string& host : options_.hosts) start_busd(host);
}

Cluster::~Cluster() {
  hosts_.clear();
  root_.reset();
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

std::string Cluster::root_endpoint() const {
  return options_.scheme + "://" + folder_ + "/busroot.sock";
}
std::string Cluster::host_endpoint(const std::string& host) const {
  return options_.scheme + "://" + folder_ + "/" + host + ".sock";
}

bus::Options Cluster::node(const std::string& host, std::string name, std::string role) const {
  return {.node = std::move(name), .role = std::move(role), .endpoint = host_endpoint(host)};
}

void Cluster::crash_busd(const std::string& host) {
  hosts_[host].reset();
}
void Cluster::start_busd(const std::string& host) {
  if (hosts_.contains(host)) hosts_[host].reset();
  auto started = std::make_unique<Host>(*this, host);
  hosts_[host] = std::move(started);
}
void Cluster::crash_root() {
  root_.reset();
}
void Cluster::start_root() {
  root_.reset();
  root_ = std::make_unique<Root>(*this, ++term_);
}

bus::HostRouter* Cluster::busd(const std::string& host) const {
  const auto found = hosts_.find(host);
  return found == hosts_.end() ? nullptr : &found->second->router();
}
bus::RootRouter* Cluster::root() const {
  return root_ ? &root_->router() : nullptr;
}

}  // namespace starbus::testing
