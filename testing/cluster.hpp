/// starbus::testing: busroot, busds and your nodes in one test process, for programs that are built
/// on starbus. Real routers over real unix sockets in a temporary folder, on your io_context, with
/// no daemon to start: messages pass through the same code as in production.
///
///   boost::asio::io_context loop;
///   starbus::testing::Cluster cluster(loop, {.hosts = {"a", "b"}});
///   starbus::bus::Bus bus(loop, cluster.node("a", "space-1"));
///
/// Daemons can be stopped and started again under your nodes: `crash` loses all their memory,
/// as kill -9 does. Belongs to the thread that runs the loop; destroy it after the
/// nodes.
#pragma once

#include <boost/asio/io_context.hpp>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "bus/client/bus.hpp"
#include "bus/core/routers/host/access_list.hpp"
#include "bus/core/routers/host_router.hpp"
#include "bus/core/routers/root_router.hpp"

namespace starbus::testing {

/// The hosts of the cluster and how they link up.
struct ClusterOptions {
  std::vector<std::string> hosts = {"a"};
  bus::AccessList access{};     // of every busd; the default allows everything
  std::string scheme = "unix";  // of the links: "unix" or "ipc"
  bus::Time lease = bus::kLease;
  /// Protocol version 1.N of daemons that speak an older version: by host name, or "root".
  std::map<std::string, std::uint8_t> minors{};
};

class Cluster {
 public:
  /// Throws std::runtime_error if the sockets cannot be made.
  Cluster(boost::asio::io_context& loop, ClusterOptions options);
  ~Cluster();

  /// Options for a node of this host.
  bus::Options node(const std::string& host, std::string name, std::string role = "node") const;

  /// Ends the daemon without notice; its memory is lost.
  void crash_busd(const std::string& host);
  void start_busd(const std::string& host);
  void crash_root();
  void start_root();

  /// Null after a crash, until it is started again.
  bus::HostRouter* busd(const std::string& host) const;
  bus::RootRouter* root() const;

 private:
  class Root;
  class Host;
  std::string root_endpoint() const;
  std::string host_endpoint(const std::string& host) const;

  boost::asio::io_context& loop_;
  ClusterOptions options_;
  std::string folder_;
  std::uint64_t term_ = 0;
  std::uint64_t starts_ = 0;
  std::vector<std::string> journal_;     // busroot's disk: hosts,
  std::vector<bus::GrantBound> bounds_;  // and what it may have granted
  std::map<std::string, std::vector<bus::JournaledProcess>> processes_;  // each busd's
  std::unique_ptr<Root> root_;
  std::map<std::string, std::unique_ptr<Host>> hosts_;
};

}  // namespace starbus::testing
