/// One link of a daemon: a row of /links, and a part of /topology.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "daemon/report/fields.hpp"

namespace starbus::report {

/// In the order of bus::Lane.
inline constexpr std::array<const char*, 4> kLaneNames = {"control", "call", "sync", "bulk"};

struct LinkInfo {
  std::string id;
  std::string peer;
  std::string kind;  // process, busd or busroot
  std::string address;
  bool greeted = false;
  bool suspect = false;
  double rtt_us = 0;  // 0: not measured yet
  double silence_ms = 0;
  std::uint64_t in_flight_bytes = 0;
  std::array<std::uint64_t, 4> queued_bytes{};
  std::uint64_t bundles_in = 0;
  std::uint64_t bundles_out = 0;
  std::uint64_t bytes_in = 0;
  std::uint64_t bytes_out = 0;
  std::uint64_t records_in = 0;

  std::uint64_t queued() const {
    return queued_bytes[0] + queued_bytes[1] + queued_bytes[2] + queued_bytes[3];
  }

  template <class Self, class Visit>
  static void fields(Self& self, Visit& visit) {
    visit("id", identifier(self.id));
    visit("peer", self.peer);
    visit("kind", self.kind);
    visit("address", self.address);
    visit("greeted", self.greeted);
    visit("suspect", self.suspect);
    visit("rtt_us", whole(self.rtt_us));
    visit("silence_ms", whole(self.silence_ms));
    visit("in_flight_bytes", self.in_flight_bytes);
    visit("queued_bytes", by_lane(self.queued_bytes));
    visit("bundles_in", self.bundles_in);
    visit("bundles_out", self.bundles_out);
    visit("bytes_in", self.bytes_in);
    visit("bytes_out", self.bytes_out);
    visit("records_in", self.records_in);
  }
  friend bool operator==(const LinkInfo&, const LinkInfo&) = default;
};

/// /links
struct LinksPage {
  std::vector<LinkInfo> links;

  template <class Self, class Visit>
  static void fields(Self& self, Visit& visit) {
    visit("links", self.links);
  }
  friend bool operator==(const LinksPage&, const LinksPage&) = default;
};

}  // namespace starbus::report
