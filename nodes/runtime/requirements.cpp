#include "nodes/runtime/requirements.hpp"

#include <algorithm>

#include "base/numbers.hpp"
#include "bus/core/wire/name.hpp"
#include "nodes/runtime/node_limits.hpp"

namespace starbus::nodes {
namespace {

bool is_set(std::string_view name) {
  return bus::is_shared_name(name) || bus::is_group_name(name);
}

bus::Result<> check(const Requirement& wanted) {
  if (wanted.count == 0) {
    return bus::Error(bus::Errc::bad_config, wanted.name + ": needs at least one");
  }
  if (wanted.count > 1 && !wanted.name.ends_with('/') && !is_set(wanted.name)) {
    return bus::Error(bus::Errc::bad_config,
                      wanted.name + ": a plain name has one owner; ask for one");
  }
  if (!wanted.name.ends_with('/')) return bus::check_channel_name(wanted.name);
  return bus::check_prefix(wanted.name);
}

constexpr std::string_view kAtLeast = " >= ";

}  // namespace

bus::Result<Requirement> read_requirement(const std::string& text) {
  if (text.find_first_of("<>=") == text.npos) return Requirement{text};
  const std::size_t at = text.rfind(kAtLeast);
  if (at != text.npos && at > 0) {
    const auto count = parse_number<std::size_t>(text.substr(at + kAtLeast.size()));
    if (count) return Requirement{text.substr(0, at), *count};
  }
  return bus::Error(bus::Errc::bad_config, "not of the form 'NAME >= NUMBER'");
}

bus::Result<> Requirements::add(Requirement wanted) {
  if (const auto checked = check(wanted); !checked) return checked.error();
  const auto same =
      std::ranges::find(rows_, wanted.name, [](const Row& row) { return row.wanted.name; });
  if (same != rows_.end()) {
    same->wanted.count = std::max(same->wanted.count, wanted.count);
    return {};
  }
  if (rows_.size() == kMaxRequirements) {
    return bus::Error(bus::Errc::bad_config,
                      "more than " + std::to_string(kMaxRequirements) + " requirements");
  }
  std::string prefix = is_set(wanted.name) ? wanted.name + "#" : wanted.name;
  rows_.push_back({std::move(wanted), std::move(prefix), {}, false, {}});
  return {};
}

void Requirements::update(std::size_t index, const bus::WatchUpdate& update) {
  Row& row = rows_.at(index);
  const bool exact = row.prefix == row.wanted.name && !row.prefix.ends_with('/');
  for (const bus::WatchRow& change : update.changes) {
    if (exact && change.name != row.wanted.name) continue;
    if (change.present) {
      row.there.insert(change.name);
    } else {
      row.there.erase(change.name);
    }
  }
  row.complete = update.complete;
}

void Requirements::hint(const std::string& wanted, const std::string& meant) {
  for (Row& row : rows_) {
    if (row.wanted.name == wanted) row.meant = meant;
  }
}

bool Requirements::met() const {
  return std::ranges::all_of(rows_, &Row::met);
}

std::string Requirements::missing() const {
  std::string text;
  for (const Row& row : rows_) {
    if (row.met()) continue;
    if (!text.empty()) text += ", ";
    text += row.wanted.name + " (" + std::to_string(row.there.size()) + " of " +
            std::to_string(row.wanted.count);
    text += row.meant.empty() || !row.there.empty() ? ")" : "; did you mean " + row.meant + "?)";
  }
  return text;
}

}  // namespace starbus::nodes
