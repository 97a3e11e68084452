// Finds the hosts that keep mail, by the names of shards and by the processes that are there.

#include "base/numbers.hpp"
#include "bus/core/wire/name.hpp"
#include "tools/cluster/cluster_view.hpp"
#include "tools/cluster/for_all.hpp"

namespace starbus::bustop {
namespace {

constexpr std::string_view kStoreNode = ".store";  // after the name of its host

std::optional<unsigned> shard_in(std::string_view name) {
  if (!name.starts_with(bus::kStores)) return std::nullopt;
  name.remove_prefix(bus::kStores.size());
  const auto shard = parse_number<unsigned>(name);
  return shard && *shard < bus::kShards ? shard : std::nullopt;
}

void add_stores(const std::vector<ProcessInfo>& processes, std::set<std::string>& hosts) {
  for (const ProcessInfo& process : processes) {
    if (process.connected && process.name.ends_with(kStoreNode)) {
      hosts.insert(bus::host_of_process(process.name));
    }
  }
}

}  // namespace

std::vector<std::uint8_t> MailPlaces::of(const std::string& name) const {
  std::vector<std::uint8_t> shards;
  for (unsigned shard = 0; shard < bus::kShards; ++shard) {
    if (host[shard] == name) shards.push_back(static_cast<std::uint8_t>(shard));
  }
  return shards;
}

Result<MailPlaces> ClusterView::mail_places() const {
  const auto answer = names({std::string(bus::kStores), "", 0});
  if (!answer) return answer.error();
  MailPlaces places;
  places.from = answer->from;
  places.from_root = answer->from_root;
  for (const NameRow& row : answer->names) {
    const auto shard = shard_in(row.name);
    if (!shard) continue;
    places.host[*shard] = bus::host_of_process(row.owner);
    places.hosts.insert(places.host[*shard]);
  }
  // A store without shards has no name but that of its process.
  if (const auto all = root()) {
    for (const HostRow& row : all->hosts) {
      places.known.insert(row.host);
      if (row.connected) add_stores(row.processes, places.hosts);
    }
  } else if (const auto here = host({})) {
    add_stores(here->processes, places.hosts);
  }
  return places;
}

Result<std::set<std::string>> ClusterView::mail_hosts() const {
  auto places = mail_places();
  if (!places) return places.error();
  const auto all = load(Depth::root);
  if (!all) return all.error();
  std::vector<const HostView*> others;
  for (const HostView& host : all->hosts) {
    const bool asked = host.connected() || host.local;
    if (asked && !places->hosts.contains(host.name)) others.push_back(&host);
  }
  std::vector<char> keeps(others.size());  // not bits: each is written by another thread
  for_all(others.size(), [&](std::size_t i) {
    const auto status = others[i]->local ? this->status() : get_status(others[i]->name);
    keeps[i] = !status || (status->mail && !status->mail->state.empty());
  });
  for (std::size_t i = 0; i < others.size(); ++i) {
    if (keeps[i]) places->hosts.insert(others[i]->name);
  }
  return std::move(places->hosts);
}

}  // namespace starbus::bustop
