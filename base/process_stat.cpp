#include "base/process_stat.hpp"

#include <iterator>
#include <sstream>

#include "base/numbers.hpp"
#include "base/text_of_file.hpp"

namespace starbus {

std::optional<ProcessStat> ProcessStat::of(std::int64_t pid) {
  const std::string stat = text_of_file("/proc/" + std::to_string(pid) + "/stat");
  // The second field is the program's name in parentheses, and may hold anything.
  const std::size_t end = stat.rfind(')');
  if (end == std::string::npos) return std::nullopt;
  std::istringstream rest(stat.substr(end + 1));
  std::vector<std::string> fields{std::istream_iterator<std::string>(rest),
                                  std::istream_iterator<std::string>()};
  if (fields.size() <= resident_pages - state) return std::nullopt;
  return ProcessStat(std::move(fields));
}

std::uint64_t ProcessStat::number(Field field) const {
  return parse_number<std::uint64_t>(text(field)).value_or(0);
}

}  // namespace starbus
