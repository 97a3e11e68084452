#include "bench/harness/figures.hpp"

#include <algorithm>

namespace starbus::bench {

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

const std::map<int, Metrics>* Figures::find(const std::string& case_name,
                                            const std::string& peer) const {
  const auto peers = runs_.find(case_name);
  if (peers == runs_.end()) return nullptr;
  const auto found = peers->second.find(peer);
  return found == peers->second.end() ? nullptr : &found->second;
}

std::optional<double> Figures::value(const std::string& case_name, const std::string& peer,
                                     const std::string& metric) const {
  const std::map<int, Metrics>* const runs = find(case_name, peer);
  if (runs == nullptr) return std::nullopt;
  std::vector<double> values;
  for (const auto& [repetition, metrics] : *runs) {
    if (const auto found = metrics.find(metric); found != metrics.end()) {
      values.push_back(found->second);
    }
  }
  return median(std::move(values));
}

std::optional<double> Figures::ratio(const std::string& case_name, const std::string& peer,
                                     const std::string& base_case, const std::string& base_peer,
                                     const std::string& metric) const {
  const std::map<int, Metrics>* const ours = find(case_name, peer);
  const std::map<int, Metrics>* const base = find(base_case, base_peer);
  if (ours == nullptr || base == nullptr) return std::nullopt;
  std::vector<double> ratios;
  for (const auto& [repetition, metrics] : *ours) {
    const auto other = base->find(repetition);
    if (other == base->end()) continue;
    const auto above = metrics.find(metric);
    const auto below = other->second.find(metric);
    if (above == metrics.end() || below == other->second.end() || below->second <= 0) continue;
    ratios.push_back(above->second / below->second);
  }
  return median(std::move(ratios));
}

}  // namespace starbus::bench
