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
  std::optional<std::uint64_t>
      total;  // that there are; none if more follow and only those are known
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

/// The cluster, seen through the local busd, which passes requests to other daemons through /at/. A
/// busroot may be the local daemon, too; if it does not pass requests on, only its own data is
/// shown. Owns its sources; caches no answers. A few threads ask the hosts in parallel, and are
/// joined before a call returns; a daemon that does not answer is marked with its error.
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
  /// The topology that one host reports; `host` is a name, or empty for the local daemon.
  Result<HostTopology> host(const std::string& host) const;
  Result<RootTopology> root() const;

  Result<NamesAnswer> names(const NamesQuery& query) const;
  /// From busroot; from the local daemon if busroot does not answer.
  Result<RouteAnswer> route(const std::string& name) const;
  /// The failures at the local daemon, busroot, and `hosts`, newest first; `silent` gets the
  /// daemons that did not answer.
  Result<std::vector<FailureRow>> failures(const std::string& name, std::size_t limit,
                                           const std::vector<std::string>& hosts,
                                           std::vector<std::string>& silent) const;
  /// Status and links of the local daemon, and unless `local_only` of all others.
  Result<std::vector<DaemonReading>> readings(bool local_only) const;

  /// The host of each mail shard: from busroot, or from the local daemon if busroot does not
  /// answer.
  Result<MailPlaces> mail_places() const;
  /// Hosts with a mail store. A store that is not open has no name in the directory, so the hosts
  /// are asked; hosts that do not answer are included, since they may have one.
  Result<std::set<std::string>> mail_hosts() const;
  /// The answer of a host's mail store to a path below /mail/.
  Result<std::string> mail(const std::string& host, const std::string& path) const;
  /// Sent to the local daemon: only it accepts changes.
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
  /// The channel of a process is in no directory: its host reports it.
  void find_process(const std::string& name, const DaemonStatus& local, RouteInfo& into) const;
  DaemonReading read_daemon(const std::string& name, const std::string& who) const;
  /// "" if the local daemon can answer for it.
  std::string address_of(const std::string& who, const DaemonStatus& local) const;

  std::unique_ptr<AdminSource> local_;
  std::unique_ptr<AdminSource> root_;
};

/// Daemons record unknown origins by number. "9f86d081.884c7d65" becomes "HOST.NODE" if the cluster
/// has this process, and stays otherwise.
class OriginNames {
 public:
  explicit OriginNames(const Cluster& cluster);
  std::string resolve(const std::string& origin) const;

 private:
  std::map<std::string, std::string> names_;
};

}  // namespace starbus::bustop
