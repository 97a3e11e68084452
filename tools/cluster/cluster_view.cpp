#include "tools/cluster/cluster_view.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "bus/core/wire/name.hpp"
#include "daemon/admin/admin_http.hpp"
#include "daemon/report/document.hpp"
#include "tools/cluster/for_all.hpp"

namespace starbus::bustop {

using report::from_json;
namespace {

using daemon::percent_encode;
constexpr const char* kRoot = "busroot";      // as it is shown
constexpr const char* kRootAddress = "root";  // as it is asked for, where hosts are named
constexpr std::size_t kLongestPath = 255;     // of a question that travels over the bus

double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

template <class Parse>
auto parsed(const Result<std::string>& text, const Parse& parse) -> decltype(parse("")) {
  if (!text) return text.error();
  return parse(*text);
}

std::vector<HostView> hosts_of(const RootTopology& root, const std::string& local) {
  std::vector<HostView> hosts;
  for (const HostRow& row : root.hosts) {
    HostView view;
    view.name = row.host;
    view.local = row.host == local;
    view.row = row;
    // Their link is that of their busd: the lease of both runs.
    for (ProcessInfo& process : view.row->processes) process.connected &= row.connected;
    hosts.push_back(std::move(view));
  }
  return hosts;
}

HostView& find_or_add(std::vector<HostView>& hosts, const std::string& name) {
  const auto found = std::ranges::find(hosts, name, &HostView::name);
  if (found != hosts.end()) return *found;
  HostView view;
  view.name = name;
  return hosts.emplace_back(std::move(view));
}

}  // namespace

const std::vector<ProcessInfo>& HostView::processes() const {
  static const std::vector<ProcessInfo> kNone;
  if (topology) return topology->processes;
  return row ? row->processes : kNone;
}

double HostView::rtt_us() const {
  if (row && row->link && row->link->rtt_us > 0) return row->link->rtt_us;
  return topology ? topology->uplink.rtt_us : 0;
}

ClusterView::ClusterView(std::unique_ptr<AdminSource> local, std::unique_ptr<AdminSource> root)
    : local_(std::move(local)), root_(std::move(root)) {}

Result<std::string> ClusterView::get(const std::string& who, const std::string& target) const {
  if (who.empty()) return local_->get(target);
  if (who == kRoot && root_) return root_->get(target);
  return local_->get("/at/" + percent_encode(who == kRoot ? kRootAddress : who) + target);
}

Result<DaemonStatus> ClusterView::get_status(const std::string& who) const {
  return parsed(get(who, "/status"), from_json<DaemonStatus>);
}

Result<DaemonStatus> ClusterView::status_of(const std::string& host) const {
  auto local = status();
  if (!local || local->name == host) return local;
  return get_status(host);
}

std::string ClusterView::address_of(const std::string& who, const DaemonStatus& local) const {
  if (who == kRoot) return local.is_root() ? "" : kRoot;
  return who == local.name ? "" : who;
}

Result<HostTopology> ClusterView::host(const std::string& name) const {
  return parsed(get(name, "/topology"), from_json<HostTopology>);
}

Result<RootTopology> ClusterView::root() const {
  const auto local = status();
  if (!local) return local.error();
  return parsed(get(address_of(kRoot, *local), "/topology"), from_json<RootTopology>);
}

Result<Cluster> ClusterView::load(Depth depth) const {
  const auto local = status();
  if (!local) return local.error();
  Cluster cluster;
  cluster.local = *local;
  auto root = parsed(get(address_of(kRoot, *local), "/topology"), from_json<RootTopology>);
  if (root) {
    cluster.hosts = hosts_of(*root, local->name);
    cluster.root = std::move(*root);
  } else {
    cluster.root_trouble = root.error();
  }
  if (!local->is_root()) find_or_add(cluster.hosts, local->name).local = true;
  std::ranges::sort(cluster.hosts, {}, &HostView::name);
  for_all(cluster.hosts.size(), [&](std::size_t i) {
    HostView& view = cluster.hosts[i];
    const bool asked = depth == Depth::hosts && view.connected();
    if (!view.local && !asked) return;
    auto topology = host(address_of(view.name, *local));
    if (topology) {
      view.topology = std::move(*topology);
    } else if (!local->is_root()) {
      // An older busroot passes nothing on: the host is not at fault.
      view.trouble = topology.error();
    }
  });
  return cluster;
}

Result<NamesPage> ClusterView::names_page(const std::string& who, const std::string& prefix,
                                          const std::string& after, std::size_t limit) const {
  std::string target = "/names?limit=" + std::to_string(limit);
  if (!after.empty()) target += "&after=" + percent_encode(after);
  const std::string with_prefix = target + "&prefix=" + percent_encode(prefix);
  // Over the bus a path is short. Names come in order, so after `after` the prefix is only an end.
  const bool fits = after.empty() || with_prefix.size() <= kLongestPath;
  auto page = parsed(get(who, fits ? with_prefix : target), from_json<NamesPage>);
  if (!page || fits) return page;
  const auto end = std::ranges::find_if(
      page->names, [&](const NameRow& row) { return !row.name.starts_with(prefix); });
  if (end != page->names.end()) page->next.reset();
  page->names.erase(end, page->names.end());
  return page;
}

Result<NamesAnswer> ClusterView::names(const NamesQuery& query) const {
  const auto local = status();
  if (!local) return local.error();
  NamesAnswer answer;
  answer.from = query.host.empty() ? kRoot : query.host;
  std::string who = address_of(answer.from, *local);
  std::string after;
  for (;;) {
    const std::size_t wanted =
        query.limit == 0 ? kPage : std::min(kPage, query.limit - answer.names.size());
    auto page = names_page(who, query.prefix, after, wanted);
    if (!page && after.empty() && who == kRoot) {
      // Without busroot, the names of this host are better than nothing; `from` says so.
      answer.from = local->name;
      who.clear();
      page = names_page(who, query.prefix, after, wanted);
    }
    if (!page) return page.error();
    answer.from_root = answer.from == kRoot;
    if (page->names.size() > wanted) page->names.resize(wanted);
    const bool advanced = !page->names.empty();
    std::ranges::move(page->names, std::back_inserter(answer.names));
    answer.more = page->next.has_value();
    answer.total = page->total;
    if (!answer.more && !answer.total) answer.total = answer.names.size();
    // A page that does not advance would loop for ever.
    if (!page->next || !advanced || *page->next == after) break;
    if (query.limit != 0 && answer.names.size() >= query.limit) break;
    after = *page->next;
  }
  return answer;
}

void ClusterView::find_process(const std::string& name, const DaemonStatus& local,
                               RouteInfo& into) const {
  constexpr std::string_view kPrefix = "process/";
  if (!name.starts_with(kPrefix)) return;
  const std::string process = name.substr(kPrefix.size());
  const auto topology = host(address_of(bus::host_of_process(process), local));
  if (!topology) return;
  if (std::ranges::find(topology->processes, process, &ProcessInfo::name) ==
      topology->processes.end()) {
    return;
  }
  into.found = into.confirmed = true;
  into.owner = process;
  into.host = bus::host_of_process(process);
}

Result<RouteAnswer> ClusterView::route(const std::string& name) const {
  const auto local = status();
  if (!local) return local.error();
  const std::string target = "/route?name=" + percent_encode(name);
  RouteAnswer answer;
  answer.from = kRoot;
  auto route = parsed(get(address_of(kRoot, *local), target), from_json<RouteInfo>);
  if (!route && !local->is_root()) {
    answer.root_trouble = route.error();
    answer.from = local->name;
    route = parsed(get({}, target), from_json<RouteInfo>);
  }
  if (!route) return route.error();
  answer.info = std::move(*route);
  if (!answer.info.found) find_process(name, *local, answer.info);
  if (answer.info.name.empty()) answer.info.name = name;
  if (answer.info.host.empty()) answer.info.host = bus::host_of_process(answer.info.owner);
  return answer;
}

Result<std::vector<FailureRow>> ClusterView::failures(const std::string& name, std::size_t limit,
                                                      const std::vector<std::string>& hosts,
                                                      std::vector<std::string>& silent) const {
  const auto local = status();
  if (!local) return local.error();
  std::vector<std::string> daemons{kRoot};
  if (!local->is_root()) daemons.push_back(local->name);
  for (const std::string& host : hosts) {
    if (std::ranges::find(daemons, host) == daemons.end()) daemons.push_back(host);
  }
  const std::string target =
      "/failures?name=" + percent_encode(name) + "&limit=" + std::to_string(limit);
  std::vector<std::optional<std::vector<FailureRow>>> answers(daemons.size());
  for_all(daemons.size(), [&](std::size_t i) {
    auto page =
        parsed(get(address_of(daemons[i], *local), target), from_json<report::FailuresPage>);
    if (page) answers[i] = std::move(page->failures);
  });
  std::vector<FailureRow> all;
  for (std::size_t i = 0; i < daemons.size(); ++i) {
    if (!answers[i]) {
      silent.push_back(daemons[i]);
      continue;
    }
    for (FailureRow& row : *answers[i]) {
      row.where = daemons[i];
      all.push_back(std::move(row));
    }
  }
  std::ranges::stable_sort(all, {}, &FailureRow::age_ms);
  if (all.size() > limit) all.resize(limit);
  return all;
}

DaemonReading ClusterView::read_daemon(const std::string& name, const std::string& who) const {
  DaemonReading reading;
  reading.name = name;
  const double before = steady_seconds();
  auto links = parsed(get(who, "/links"), from_json<report::LinksPage>);
  reading.at_s = (before + steady_seconds()) / 2;
  auto status = get_status(who);
  if (!links || !status) {
    reading.trouble = links ? status.error() : links.error();
    return reading;
  }
  reading.status = std::move(*status);
  reading.links = std::move(links->links);
  return reading;
}

Result<std::vector<DaemonReading>> ClusterView::readings(bool local_only) const {
  const auto local = status();
  if (!local) return local.error();
  std::vector<std::string> names;
  if (local_only) {
    names.push_back(local->is_root() ? kRoot : local->name);
  } else {
    const auto cluster = load(Depth::root);
    if (!cluster) return cluster.error();
    names.push_back(kRoot);
    for (const HostView& host : cluster->hosts) {
      if (host.connected() || host.local) names.push_back(host.name);
    }
  }
  std::vector<DaemonReading> readings(names.size());
  for_all(names.size(), [&](std::size_t i) {
    readings[i] = read_daemon(names[i], address_of(names[i], *local));
  });
  return readings;
}

Result<std::string> ClusterView::mail(const std::string& host, const std::string& path) const {
  const auto local = status();
  if (!local) return local.error();
  return get(address_of(host, *local), "/mail/" + path);
}

Result<std::string> ClusterView::change_mail(const std::string& path) const {
  return local_->post("/mail/" + path);
}

Result<std::string> ClusterView::trace(const std::string& name, const std::string& lane) const {
  return local_->get("/trace?name=" + percent_encode(name) + "&lane=" + lane);
}

Result<> ClusterView::tail(const std::string& name,
                           const std::function<bool(std::string_view line)>& on_line) const {
  return local_->stream("/tail?name=" + percent_encode(name), on_line);
}

}  // namespace starbus::bustop
