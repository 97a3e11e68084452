#include "nodes/runtime/load/load.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

#include "nodes/runtime/node_limits.hpp"

namespace starbus::nodes {

Load::Source& Load::source(const WorkName& name) {
  if (const auto known = by_key_.find(name.key()); known != by_key_.end()) return *known->second;
  Source& row = source(std::string_view(name.text()));
  // Keys are places in the code, so there are not many; the bound holds for what reports show.
  by_key_.emplace(name.key(), &row);
  return row;
}

Load::Source& Load::source(std::string_view name) {
  name = name.substr(0, kMaxSourceName);
  if (const auto known = by_name_.find(name); known != by_name_.end()) return *known->second;
  if (sources_.size() + 1 < kMaxSources) return add(std::string(name));
  constexpr std::string_view kOthers = "(others)";
  const auto others = by_name_.find(kOthers);
  return others != by_name_.end() ? *others->second : add(std::string(kOthers));
}

Load::Source& Load::add(std::string name) {
  Source& row = sources_.emplace_back();
  row.name = std::move(name);
  by_name_.emplace(row.name, &row);
  return row;
}

Load::Scope::Scope(Load& load, Source& source)
    : load_(load), source_(source), outer_(load.innermost_) {
  load_.innermost_ = this;
  load_.show(&source_, time_.begun());
}

Load::Scope::~Scope() {
  assert(load_.innermost_ == this);
  const std::uint64_t passed = time_.charge();
  charge(source_, passed);
  load_.measured_ += passed;
  load_.innermost_ = outer_;
  if (outer_ == nullptr) {
    load_.show(nullptr, 0);
  } else {
    load_.show(&outer_->source_, outer_->time_.begun());
  }
}

void Load::sample(double seconds, double nanoseconds_per_tick) {
  if (seconds <= 0) return;
  for (Source& source : sources_) {
    const auto passed = static_cast<double>(source.ticks - source.ticks_before);
    source.busy_ms_per_s = passed * nanoseconds_per_tick / 1e6 / seconds;
    source.ticks_before = source.ticks;
  }
}

std::vector<const Load::Source*> Load::busiest(std::size_t most) const {
  std::vector<const Source*> rows;
  rows.reserve(sources_.size());
  for (const Source& source : sources_) rows.push_back(&source);
  const std::size_t shown = std::min(most, rows.size());
  std::ranges::partial_sort(rows, rows.begin() + static_cast<std::ptrdiff_t>(shown),
                            [](const Source* a, const Source* b) {
                              return std::pair(a->busy_ms_per_s, a->ticks) >
                                     std::pair(b->busy_ms_per_s, b->ticks);
                            });
  rows.resize(shown);
  return rows;
}

}  // namespace starbus::nodes
