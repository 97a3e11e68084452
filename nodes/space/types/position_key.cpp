#include "nodes/space/types/position_key.hpp"

#include <optional>
#include <string>
#include <variant>

#include "aoi/limits.hpp"

namespace starbus::nodes::space {
namespace {

std::optional<float> coordinate(const daemon::ConfigReader::Scalar& value) {
  constexpr double kMost = aoi::kMaxCoordinate;
  double number = 0;
  if (const auto* const whole = std::get_if<std::int64_t>(&value)) {
    number = static_cast<double>(*whole);
  } else if (const auto* const fraction = std::get_if<double>(&value)) {
    number = *fraction;
  } else {
    return std::nullopt;
  }
  if (!(number >= -kMost && number <= kMost)) return std::nullopt;
  return static_cast<float>(number);
}

}  // namespace

std::array<float, 3> read_position(daemon::ConfigReader& table, std::string_view key) {
  std::array<float, 3> at{};
  const auto wrong = [&] {
    table.problem(key, "'" + std::string(key) + "': write [x, y] or [x, y, z], in m, each within " +
                           std::to_string(aoi::kMaxCoordinate) + " of 0");
    return std::array<float, 3>{};
  };
  if (!table.has(key)) return wrong();
  const auto values = table.scalars(key);
  if (values.size() != 2 && values.size() != 3) return wrong();
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto number = coordinate(values[i]);
    if (!number) return wrong();
    at[i] = *number;
  }
  return at;
}

}  // namespace starbus::nodes::space
