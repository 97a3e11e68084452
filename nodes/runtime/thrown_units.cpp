#include "nodes/runtime/thrown_units.hpp"

#include <spdlog/spdlog.h>
#include <unistd.h>

#include <numeric>

#include "daemon/main_loop.hpp"
#include "nodes/runtime/node_limits.hpp"

namespace starbus::nodes {
namespace {

constexpr std::string_view kNameless = "a handler without a name";

}  // namespace

ThrownUnits::ThrownUnits(daemon::RateLimited& limited, OnException policy, Running running, End end)
    : limited_(limited), policy_(policy), running_(std::move(running)), end_(std::move(end)) {}

/// noexcept: without memory for a log line the process ends, as without memory for anything else.
void ThrownUnits::thrown(UnitKind kind, std::string_view place, std::string_view what) noexcept {
  ++counts_[static_cast<std::size_t>(kind)];
  std::string name(place.substr(0, kMaxSourceName));
  if (name.empty() && running_) name = running_();
  if (name.empty()) name = kNameless;
  what = what.substr(0, kMaxThrownText);
  if (policy_ == OnException::stop) {
    spdlog::critical("{} '{}' threw: {}; ends at once, as on_exception = \"stop\" says",
                     name_of(kind), name, what);
    spdlog::default_logger()->flush();
    return end_();
  }
  const std::string key = std::string(name_of(kind)).append(" '").append(name).append("' threw");
  if (limited_.allow(key)) spdlog::error("{}: {}", key, what);
}

std::uint64_t ThrownUnits::total() const {
  return std::accumulate(counts_.begin(), counts_.end(), std::uint64_t{0});
}

void ThrownUnits::end_process() {
  ::_exit(daemon::kExitFailure);
}

}  // namespace starbus::nodes
