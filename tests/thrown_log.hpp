/// A ThrownSink that notes what units of a test throw: "timer: no gold".
#pragma once

#include <string>
#include <vector>

#include "base/unit_guard.hpp"

namespace starbus::test {

class ThrownLog final : public ThrownSink {
 public:
  void thrown(UnitKind kind, std::string_view place, std::string_view what) noexcept override {
    lines.push_back(std::string(name_of(kind)).append(": ").append(what));
    places.emplace_back(place);
  }
  std::vector<std::string> lines;
  std::vector<std::string> places;  // of each line
};

}  // namespace starbus::test
