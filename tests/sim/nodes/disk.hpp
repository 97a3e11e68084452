/// The state directory of one daemon: small files by name. What was written and not synced may be
/// gone, or an older state of it be back, after a crash. Survives the daemon; one thread.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "tests/sim/random.hpp"

namespace starbus::sim {

class Disk {
 public:
  /// Empty if there is no such file.
  std::string read(const std::string& file) const {
    const auto found = files_.find(file);
    return found == files_.end() ? std::string() : found->second.written;
  }
  std::uint64_t read_number(const std::string& file) const {
    const std::string text = read(file);
    return text.empty() ? 0 : std::stoull(text);
  }
  void write(const std::string& file, std::string content, bool synced) {
    File& target = files_[file];
    target.written = std::move(content);
    if (synced) target.durable = target.written;
  }
  void write_number(const std::string& file, std::uint64_t value, bool synced) {
    write(file, std::to_string(value), synced);
  }
  /// The machine lost its page cache. Returns how many writes were lost.
  int crash(Random& random) {
    int lost = 0;
    for (auto& [name, file] : files_) {
      if (file.written == file.durable) continue;
      if (random.chance(0.5)) {
        file.written = file.durable;
        ++lost;
      } else {
        file.durable = file.written;
      }
    }
    return lost;
  }

 private:
  struct File {
    std::string written;
    std::string durable;
  };
  std::map<std::string, File> files_;
};

}  // namespace starbus::sim
