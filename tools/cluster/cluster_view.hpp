#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tools/cluster/admin_source.hpp"
#include "tools/cluster/model.hpp"

namespace starbus::bustop {

/// How to page through names.
struct NamesQuery {
  std::string prefix;
  std::string host;         // of this host only; empty: the whole cluster
  std::size_t limit = 100;  // 0: all
};

struct NamesAnswer {
  std::vector<NameRow> names;
  std::uint64_t total = 0;
  bool more = false;
  std::string from;  // the daemon that answered
  bool from_root = false;
};

struct RouteAnswer {
  RouteInfo info;
  std::string from;    // the daemon that answered
  Error root_trouble;  // not ok: only the local daemon could be asked
  bool root_answered() const { return root_trouble.code == Errc::ok; }
};

/// The cluster, seen through the local busd: other daemons are asked through its /at/. A busroot
/// may be the local daemon too; if it passes no questions on, its own account of the hosts serves.
/// Owns its
/// sources; keeps no answers. Hosts are asked by a few threads at once, all joined before a call
/// returns; a daemon that does not answer is marked with its error and does not spoil the others.
class ClusterView {
 public:
  static constexpr std::size_t kParallel = 8;
  static constexpr std::size_t kPage = 1000;

  /// `root`: busroot's own admin API; null: through /at/root.
  ClusterView(std::unique_ptr<AdminSource> local, std::unique_ptr<AdminSource> root);

  Result<DaemonStatus> status() const { return get_status({}); }
  Result<DaemonStatus> status_of(const std::string& host) const;

  enum class Depth { root, hosts };  // hosts: each connected host is asked for its processes
  /// An error only if the local daemon does not answer.
  Result<Cluster> load(Depth depth) const;
  /// One host's own account; `host` is a name, or empty for the local daemon.
  Result<HostTopology> host(const std::string& host) const;
  Result<RootTopology> root() const;

  Result<NamesAnswer> names(const NamesQuery& query) const;
  /// busroot's word; the local daemon's where busroot cannot be asked.
  Result<RouteAnswer> route(const std::string& name) const;
  /// Of the local daemon, busroot, and `hosts`, newest first; `silent` gets who did not answer.
  Result<std::vector<FailureRow>> failures(const std::string& name, std::size_t limit,
                                           const std::vector<std::string>& hosts,
                                           std::vector<std::string>& silent) const;
  /// Status and links of the local daemon, and unless `local_only` of all others.
  Result<std::vector<DaemonReading>> readings(bool local_only) const;

  /// Who serves the shards of mail: busroot's word, or the local daemon's where that cannot be had.
  Result<MailPlaces> mail_places() const;
  /// Hosts that have a mail store, also one that is not open: it has no name that a directory
  /// knows, so the hosts are asked. With who does not answer: nobody can say that it has none.
  Result<std::set<std::string>> mail_hosts() const;
  /// What a host's mail store answers to a path below /mail/.
  Result<std::string> mail(const std::string& host, const std::string& path) const;
  /// Of the local daemon, which alone takes changes.
  Result<std::string> change_mail(const std::string& path) const;

  /// The local busd's; see parse_trace.
  Result<std::string> trace(const std::string& name, const std::string& lane) const;
  Result<> tail(const std::string& name,
                const std::function<bool(std::string_view line)>& on_line) const;

 private:
  /// `who`: empty for the local daemon, "root", or a host.
  Result<std::string> get(const std::string& who, const std::string& target) const;
  Result<DaemonStatus> get_status(const std::string& who) const;
  Result<NamesPage> names_page(const std::string& who, const std::string& prefix,
                               const std::string& after, std::size_t limit) const;
  /// Processes own their channel by being there: no directory lists it, their host does.
  void find_process(const std::string& name, const DaemonStatus& local, RouteInfo& into) const;
  DaemonReading read_daemon(const std::string& name, const std::string& who) const;
  /// "" if the local daemon can answer for it.
  std::string address_of(const std::string& who, const DaemonStatus& local) const;

  std::unique_ptr<AdminSource> local_;
  std::unique_ptr<AdminSource> root_;
};

/// Daemons record origins by number where they do not know the process: "9f86d081.884c7d65" becomes
/// "HOST.NODE" if the cluster has such a process, and stays otherwise.
class OriginNames {
 public:
  explicit OriginNames(const Cluster& cluster);
  std::string resolve(const std::string& origin) const;

 private:
  std::map<std::string, std::string> names_;
};

}  // namespace starbus::bustop
