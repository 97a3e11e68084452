/// /proc/PID/stat: what the kernel tells of a process. See proc(5).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace starbus {

/// The fields as they were at one moment. A plain value.
class ProcessStat {
 public:
  /// Numbers of fields, as proc(5) counts them.
  enum Field : std::size_t {
    state = 3,        ///< a letter: 'Z' and 'X' are processes that have ended
    user_ticks = 14,  ///< processor time, in ticks of sysconf(_SC_CLK_TCK)
    system_ticks = 15,
    start_ticks = 22,  ///< from the boot of the machine
    virtual_bytes = 23,
    resident_pages = 24,
  };

  /// nullopt: there is no such process, or it ended meanwhile. Any thread.
  static std::optional<ProcessStat> of(std::int64_t pid);

  const std::string& text(Field field) const { return fields_[field - state]; }
  /// 0 for what is no number.
  std::uint64_t number(Field field) const;

 private:
  explicit ProcessStat(std::vector<std::string> fields) : fields_(std::move(fields)) {}

  std::vector<std::string> fields_;  // from the third on; up to the last of Field at least
};

}  // namespace starbus
