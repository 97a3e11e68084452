#include "tools/bustop/live/live_data.hpp"

#include <chrono>

namespace starbus::bustop {
namespace {

template <class Clock>
double now_in(double per_second) {
  return std::chrono::duration<double>(Clock::now().time_since_epoch()).count() * per_second;
}

void fetch_names(const ClusterView& view, LiveData& data) {
  NamesQuery query;
  query.host = data.want.host;
  query.limit = kNamesScanned;
  auto answer = view.names(query);
  if (!answer) {
    data.host_trouble = answer.error();
    return;
  }
  data.names_scanned = answer->names.size();
  data.names_total = answer->total.value_or(data.names_scanned);
  for (NameRow& row : answer->names) {
    if (row.owner == data.want.process) data.names.push_back(std::move(row));
  }
}

}  // namespace

LiveData fetch_live(const ClusterView& view, const LiveWant& want) {
  LiveData data;
  data.want = want;
  auto cluster = view.load(ClusterView::Depth::root);
  data.at_s = now_in<std::chrono::steady_clock>(1);
  data.unix_ms = now_in<std::chrono::system_clock>(1000);
  if (!cluster) {
    data.error = cluster.error();
    return data;
  }
  data.cluster = std::move(*cluster);
  if (want.level == LiveLevel::cluster) return data;
  for (const HostView& host : data.cluster.hosts) {
    if (host.name == want.host && host.topology) data.host = host.topology;
  }
  if (!data.host) {
    auto topology = view.host(want.host);
    data.at_s = now_in<std::chrono::steady_clock>(1);
    if (topology) {
      data.host = std::move(*topology);
    } else if (!data.cluster.local.is_root()) {
      data.host_trouble = topology.error();  // busroot's account of the processes is shown
    }
  }
  if (want.level == LiveLevel::process) fetch_names(view, data);
  return data;
}

}  // namespace starbus::bustop
