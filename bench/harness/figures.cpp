#include "bench/harness/figures.hpp"

#include <algorithm>

namespace starbus::bench {
namespace {

std::optional<Spread> spread_of(const std::vector<double>& values) {
  if (values.empty()) return std::nullopt;
  const auto [least, most] = std::ranges::minmax(values);
  return Spread{*median(values), least, most, values.size()};
}

}  // namespace

double quantile(std::vector<double> values, double part) {
  if (values.empty()) return 0;
  const auto at = static_cast<std::size_t>(part * static_cast<double>(values.size() - 1));
  std::ranges::nth_element(values, values.begin() + static_cast<std::ptrdiff_t>(at));
  return values[at];
}

std::optional<double> median(std::vector<double> values) {
  if (values.empty()) return std::nullopt;
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  if (values.size() % 2 == 1) return values[middle];
  return (values[middle - 1] + values[middle]) / 2;
}

std::map<int, double> Figures::values(const Source& source) const {
  std::map<int, double> values;
  const auto runs = runs_.find({source.of, source.peer});
  if (runs == runs_.end()) return values;
  for (const auto& [repetition, metrics] : runs->second) {
    const auto found = metrics.find(source.metric);
    if (found != metrics.end()) values[repetition] = found->second;
  }
  return values;
}

std::optional<Spread> Figures::spread(const Source& source) const {
  std::vector<double> all;
  for (const auto& [repetition, value] : values(source)) all.push_back(value);
  return spread_of(all);
}

std::optional<Spread> Figures::spread(const Source& source, const Source& divisor) const {
  const std::map<int, double> below = values(divisor);
  std::vector<double> quotients;
  for (const auto& [repetition, value] : values(source)) {
    const auto other = below.find(repetition);
    if (other != below.end() && other->second > 0) quotients.push_back(value / other->second);
  }
  return spread_of(quotients);
}

}  // namespace starbus::bench
