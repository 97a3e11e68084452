// The runs over real processes: each is one crowd at one peer, once. Failures are values, or
// exceptions where a cluster does not start. A figure of a run in which something was lost, or a
// player was corrected, is a failure.
#pragma once

#include <string>

#include "bench/harness/figures.hpp"
#include "bench/harness/result.hpp"
#include "bench/space/options.hpp"

namespace starbus::bench::space {

constexpr const char* kStarbus = "starbus";
constexpr const char* kColyseus = "colyseus";         // each client has a StateView
constexpr const char* kColyseusAll = "colyseus+all";  // each client is told the whole state

// Of those who walk. An update is one place of one visible entity that one client is told, also of
// one that comes in sight.
// "cpu": us of processor time an update, of space node and gate together, or of the room; "alone":
// of the space node without the gate; "node", "gate": cores; "p50", "p99", "late": ms of a tick,
// how long one takes and how late it begins; "missed": ticks; "seen": of a client; "rate": updates
// a second of one visible entity; "down", "up": bytes per second of a client's link; "update":
// bytes down an update; "mover": bytes of one that is known, in the body; "enters": those that come
// in sight of a client in a second; "wrong": corrections and violations.
Result<Metrics> run_walk(const std::string& peer, const Crowd& crowd, const Options& options);

// Of those who stand while a byte of each changes. "first": bytes that a client is told for each,
// in the body; "encoded": times that a change was encoded; "heard": changes told per second.
Result<Metrics> run_news(const Crowd& crowd, const Options& options);

}  // namespace starbus::bench::space
