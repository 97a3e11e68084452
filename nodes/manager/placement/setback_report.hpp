/// Instances that are suspected of the deaths of their hosts. Plain values that are sent over the
/// bus.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace starbus::nodes::manager {

/// One suspected instance.
struct SetbackRow {
  std::string instance;      // "chat/2", "rank/3of16"
  std::uint64_t deaths = 0;  // of hosts, of which it is a suspect
  std::uint64_t sole = 0;    // of these, with no other one
  std::string host;          // that died latest
  std::uint64_t age_ms = 0;  // of that death
  bool quarantined = false;
  std::uint64_t pause_ms = 0;  // that is left; 0: it may have a place, unless it is quarantined

  template <class Archive>
  void serialize(Archive& archive) {
    archive(instance, deaths, sole, host, age_ms, quarantined, pause_ms);
  }
};

/// Those in quarantine first.
struct SetbackReport {
  std::vector<SetbackRow> rows;
  std::uint64_t left_out = 0;  // beyond kSetbackRows

  template <class Archive>
  void serialize(Archive& archive) {
    archive(rows, left_out);
  }
};

}  // namespace starbus::nodes::manager
