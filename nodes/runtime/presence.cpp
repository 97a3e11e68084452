#include "nodes/runtime/presence.hpp"

namespace starbus::nodes {

std::string presence_name(std::string_view process) {
  return std::string(kPresencePrefix).append(process);
}

std::string ready_name(std::string_view role, std::string_view process) {
  return std::string(kReadyPrefix).append(role).append("/").append(process);
}

std::optional<std::string> present_process(const bus::WatchRow& row) {
  std::string_view process = row.name;
  if (!process.starts_with(kPresencePrefix)) return std::nullopt;
  process.remove_prefix(kPresencePrefix.size());
  // The row of a name that is gone does not have its owner.
  if (process.empty() || (row.present && row.owner_name != process)) return std::nullopt;
  return std::string(process);
}

std::optional<ReadyNode> ready_node(const bus::WatchRow& row) {
  std::string_view rest = row.name;
  if (!rest.starts_with(kReadyPrefix)) return std::nullopt;
  rest.remove_prefix(kReadyPrefix.size());
  const std::size_t slash = rest.find('/');
  if (slash == 0 || slash == std::string_view::npos) return std::nullopt;
  const std::string_view process = rest.substr(slash + 1);
  if (process.empty()) return std::nullopt;
  // The row of a name that is gone does not have its owner.
  if (row.present && row.owner_name != process) return std::nullopt;
  return ReadyNode{std::string(rest.substr(0, slash)), std::string(process), row.owner, row.epoch};
}

bus::Result<bus::WatchHandle> watch_ready(bus::Bus& bus, std::string_view role,
                                          std::function<void(const ReadyUpdate&)> on_update,
                                          std::function<void(const bus::Error&)> on_error) {
  std::string prefix(kReadyPrefix);
  if (!role.empty()) prefix.append(role).append("/");
  return bus.watch(
      std::move(prefix),
      [on_update = std::move(on_update)](const bus::WatchUpdate& update) {
        ReadyUpdate news;
        news.complete = update.complete;
        for (const bus::WatchRow& row : update.changes) {
          auto node = ready_node(row);
          if (node) (row.present ? news.came : news.left).push_back(std::move(*node));
        }
        on_update(news);
      },
      std::move(on_error));
}

}  // namespace starbus::nodes
