#include "nodes/space/registry/news_check.hpp"

#include <algorithm>
#include <cmath>

#include "nodes/space/host/limits.hpp"
#include "nodes/space/limits.hpp"
#include "nodes/space/registry/limits.hpp"

namespace starbus::nodes::space {
namespace {

Result<> more_than(std::size_t limit, const char* what) {
  return Error(Errc::bad_request, "more than " + std::to_string(limit) + " " + what);
}

Result<> check_row(const SpaceRow& row) {
  if (auto named = check_space(row.name); !named) return named;
  const auto wrong = [&](const char* what) {
    return Error(Errc::bad_request, to_string(row.name) + ": " + what);
  };
  if (row.life.term == 0 || row.life.number == 0) return wrong("no life");
  if (row.capacity == 0 || row.capacity > kMaxCapacity) return wrong("no such capacity");
  if (std::uint64_t{row.seats.present} + row.seats.held > row.capacity) {
    return wrong("more seats are taken than it has");
  }
  return {};
}

}  // namespace

Result<> check_news(const Announcement& from) {
  if (!std::isfinite(from.busy_ms_per_s)) return Error(Errc::bad_request, "its load is no number");
  if (from.types.size() > kMaxSpaceTypes) return more_than(kMaxSpaceTypes, "types");
  if (from.labels.size() > kMaxNodeLabels) return more_than(kMaxNodeLabels, "labels");
  if (from.spaces.size() > kMaxHosted) return more_than(kMaxHosted, "spaces");
  for (const std::string& type : from.types) {
    if (auto named = check_type(type); !named) return named;
  }
  for (const std::string& label : from.labels) {
    if (label.size() > kMaxSpaceLabel) return more_than(kMaxSpaceLabel, "bytes of a label");
  }
  for (const SpaceRow& row : from.spaces) {
    if (auto checked = check_row(row); !checked) return checked;
  }
  return {};
}

}  // namespace starbus::nodes::space
