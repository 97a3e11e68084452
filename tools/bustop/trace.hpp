/// bustop trace: the way of one message, hop by hop, with times.
///
/// A busd sends a trace along the way that a message for the channel takes, in turn with the
/// messages of its lane; it comes back as an acknowledgement does. Every hop has a clock of its
/// own, so only differences on one clock count: the round trip over a link is the wait of the near
/// side minus the time of the far side, and one way takes half of it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tools/bustop/json_out.hpp"
#include "tools/cluster/model.hpp"
#include "tools/terminal/table.hpp"

namespace starbus::bustop {

using report::Trace;
using report::TracePassage;

/// bad_bytes unless there is at least one passage and each names its station.
Result<Trace> parse_trace(std::string_view text);

/// A station of the way out.
struct TraceStation {
  std::string where;
  std::uint64_t queued_bytes = 0;  // before it, in its lane, towards the next station
  double link_rtt_us = 0;          // of the link to it; 0 for the first, and if it is not known
  double reached_us = 0;           // after the start, with half of each round trip
};
/// The stations from the first to the one that turned it back. Empty if the way back is not the
/// way out: the cluster changed meanwhile.
std::vector<TraceStation> stations_of(const Trace& trace);

std::string render_trace(const Trace& trace, const Look& look);
OrderedJson json_of_trace(const Trace& trace);

}  // namespace starbus::bustop
