#include "tools/nav/trails.hpp"

#include <cmath>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "tools/nav/limits.hpp"

namespace starbus::nav_tool {
namespace {

using nlohmann::json;

// A number that is one, or the default where there is none.
bool take(const json& row, const char* name, bool optional, double& number) {
  const auto found = row.find(name);
  if (found == row.end()) return optional;
  if (!found->is_number()) return false;
  number = found->get<double>();
  return std::isfinite(number) && std::abs(number) < 1e9;
}

}  // namespace

nav::Result<std::vector<Trail>> read_trails(std::string_view text) {
  std::vector<Trail> trails;
  std::unordered_map<std::string, std::size_t> numbers;
  std::size_t line = 0;
  std::size_t points = 0;
  while (!text.empty()) {
    const std::string_view row_text = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(row_text.size() + 1, text.size()));
    ++line;
    if (row_text.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    const auto wrong = [&](const char* what) {
      return nav::Error(nav::Errc::corrupt, "line " + std::to_string(line) + ": " + what);
    };
    const json row = json::parse(row_text, nullptr, false);
    if (!row.is_object()) return wrong("no JSON object");
    const auto id = row.find("id");
    if (id == row.end() || !id->is_string()) return wrong("\"id\": a text expected");
    double t = 0;
    double x = 0;
    double y = 0;
    double z = 0;
    if (!take(row, "t", false, t)) return wrong("\"t\": a number of seconds expected");
    if (!take(row, "x", false, x) || !take(row, "y", false, y) || !take(row, "z", true, z)) {
      return wrong("\"x\", \"y\": numbers of metres expected");
    }
    if (++points > kMaxTrailPoints) return nav::Error(nav::Errc::too_large, "kMaxTrailPoints");
    const auto [number, added] = numbers.try_emplace(id->get<std::string>(), trails.size());
    if (added) trails.push_back({number->first, {}});
    Trail& trail = trails[number->second];
    if (!trail.points.empty() && trail.points.back().t > t) return wrong("\"t\": goes back");
    trail.points.push_back(
        {t, {static_cast<float>(x), static_cast<float>(y), static_cast<float>(z)}});
  }
  return trails;
}

}  // namespace starbus::nav_tool
