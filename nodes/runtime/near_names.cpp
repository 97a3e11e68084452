#include "nodes/runtime/near_names.hpp"

#include <algorithm>
#include <array>
#include <boost/asio/post.hpp>
#include <utility>

#include "nodes/runtime/node_limits.hpp"

namespace starbus::nodes {
namespace {

// What nodes wait for. Kinds of games, and entities, may have any number of names.
constexpr std::array<std::string_view, 5> kKinds = {"db", "group", "manager", "ready", "service"};

std::string_view kind_of(std::string_view name) {
  return name.substr(0, name.find('/'));
}

}  // namespace

bool one_edit_apart(std::string_view a, std::string_view b) {
  if (a.size() > b.size()) std::swap(a, b);
  if (b.size() - a.size() > 1) return false;
  const auto differ = std::ranges::mismatch(a, b);
  a.remove_prefix(static_cast<std::size_t>(differ.in1 - a.begin()));
  b.remove_prefix(static_cast<std::size_t>(differ.in2 - b.begin()));
  while (!a.empty() && a.back() == b.back()) {
    a.remove_suffix(1);
    b.remove_suffix(1);
  }
  const bool swapped = a.size() == 2 && b.size() == 2 && a[0] == b[1] && a[1] == b[0];
  return b.size() == 1 || swapped;
}

std::string kind_of_requirement(std::string_view wanted) {
  const std::string_view kind = kind_of(wanted);
  for (const std::string_view known : kKinds) {
    if (kind == known || one_edit_apart(kind, known)) return std::string(known) + "/";
  }
  return {};
}

std::string as_requirement(std::string_view channel) {
  if (channel.starts_with("ready/")) {
    const std::size_t end = channel.find('/', 6);
    return std::string(channel.substr(0, end == channel.npos ? end : end + 1));
  }
  return std::string(channel.substr(0, channel.find('#')));
}

std::optional<std::string> near_name(const std::string& wanted,
                                     const std::set<std::string>& names) {
  if (names.contains(wanted)) return std::nullopt;
  for (const std::string& name : names) {
    if (one_edit_apart(wanted, name)) return name;
  }
  // What it names is not there yet, and its kind is none.
  const std::string kind = kind_of_requirement(wanted);
  if (kind.empty() || wanted.starts_with(kind)) return std::nullopt;
  return kind + wanted.substr(std::min(wanted.size(), kind_of(wanted).size() + 1));
}

NearNames::NearNames(bus::Bus& bus, Found found) : bus_(bus), found_(std::move(found)) {}

void NearNames::look(const std::string& wanted) {
  if (std::ranges::find(looks_, wanted, &Look::wanted) != looks_.end()) return;
  Look& look = looks_.emplace_back(Look{wanted, {}});
  const std::string kind = kind_of_requirement(wanted);
  if (kind.empty()) return;
  auto watch = bus_.watch(
      kind,
      [this, &look, weak = std::weak_ptr(alive_)](const bus::WatchUpdate& shown) {
        if (!weak.expired()) update(look, shown);
      },
      [](const bus::Error&) {});  // without rights there is no guess
  if (watch) look.watch = std::move(*watch);
}

void NearNames::update(Look& look, const bus::WatchUpdate& update) {
  if (look.over) return;
  for (const bus::WatchRow& row : update.changes) {
    if (!row.present || look.names.size() == kMaxNearNames) continue;
    look.names.insert(as_requirement(row.name));
  }
  if (!update.complete) return;
  end_later(look);
  if (const auto meant = near_name(look.wanted, look.names)) found_(look.wanted, *meant);
}

/// A watch does not end within its own handler.
void NearNames::end_later(Look& look) {
  look.over = true;
  boost::asio::post(bus_.loop(), [&look, weak = std::weak_ptr(alive_)] {
    if (weak.expired()) return;
    look.watch = {};
    look.names.clear();
  });
}

}  // namespace starbus::nodes
