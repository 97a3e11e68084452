/// /names and /route: the owners of channel names.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "daemon/report/fields.hpp"

namespace starbus::report {

/// One channel name with its owner.
struct NameRow {
  std::string name;
  std::string id;
  std::string owner;  // HOST.NODE
  std::string epoch;  // "3.17"
  std::string lineage;
  std::string state;  // active, unconfirmed or frozen

  template <class Self, class Visit>
  static void fields(Self& self, Visit& visit) {
    visit("name", self.name);
    visit("id", self.id);
    visit("owner", self.owner);
    visit("epoch", epoch_text(self.epoch));
    visit("lineage", epoch_text(self.lineage));
    visit("state", self.state);
  }
  friend bool operator==(const NameRow&, const NameRow&) = default;
};

/// /names
struct NamesPage {
  std::vector<NameRow> names;          // in order of name
  std::optional<std::string> next;     // `after` of the next page
  std::optional<std::uint64_t> total;  // all names; none if a prefix was asked for

  template <class Self, class Visit>
  static void fields(Self& self, Visit& visit) {
    visit("names", self.names);
    visit("next", self.next);
    visit("total", self.total);
  }
  friend bool operator==(const NamesPage&, const NamesPage&) = default;
};

/// /route. If the name is not found, JSON has its first three fields only.
struct RouteInfo {
  std::string name;
  std::string id;
  bool found = false;
  std::string owner;  // HOST.NODE
  std::string host;
  std::string epoch;
  std::string lineage;
  bool confirmed = false;
  std::string state;

  template <class Self, class Visit>
  static void fields(Self& self, Visit& visit) {
    visit("name", self.name);
    visit("id", self.id);
    visit("found", self.found);
    if (!Visit::kReads && !self.found) return;
    visit("owner", self.owner);
    visit("host", self.host);
    visit("epoch", epoch_text(self.epoch));
    visit("lineage", epoch_text(self.lineage));
    visit("confirmed", self.confirmed);
    visit("state", self.state);
  }
  friend bool operator==(const RouteInfo&, const RouteInfo&) = default;
};

}  // namespace starbus::report
