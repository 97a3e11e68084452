// The runs: each is one case on one peer, once, with processes of its own. A run that says
// "starbus" or another name does the same with each. Failures are values, or exceptions where a
// cluster does not start.
#pragma once

#include <string>

#include "bench/gate/options.hpp"
#include "bench/harness/figures.hpp"
#include "bench/harness/result.hpp"

namespace starbus::bench::gate {

constexpr const char* kStarbus = "starbus";
constexpr const char* kMosquitto = "mosquitto";
constexpr const char* kAnswered = "mosquitto+game";  // with a process that answers behind it
constexpr const char* kColyseus = "colyseus";
constexpr const char* kHaproxy = "haproxy";

// "bytes": growth of the server's resident memory for each client that does nothing.
Result<Metrics> run_idle(const std::string& peer, bool tls, const Options& options);
// "share": of the asked rate that was answered; "core": processor time of the server, in cores;
// "cpu": the same for each message from or to a client, in microseconds; "p50", "p99": us.
Result<Metrics> run_active(const std::string& peer, const Options& options);
// "gate" and "bare": p50 in microseconds, medians of slices that alternate; "added": the median of
// their differences. Fails if that is below 0: then other work of the machine was measured.
Result<Metrics> run_latency(const Options& options);
// "rate": handshakes in a second; "cpu": microseconds of the server for each.
Result<Metrics> run_handshakes(const std::string& peer, const Options& options);
// "last": milliseconds until the last client has it, of the slowest one; starbus: "copies" on the
// bus, of each.
Result<Metrics> run_announce(const std::string& peer, const Options& options);

// "violations" of what clients see, and how often it was done: "cuts", "takeovers", "drains",
// "kills".
Result<Metrics> run_cuts(const Options& options);
Result<Metrics> run_takeovers(const Options& options);
Result<Metrics> run_drains(const Options& options);
Result<Metrics> run_kills(const Options& options);
// "came_in", "twice", "refused", "seconds", "waited".
Result<Metrics> run_storm(const Options& options);
// "guesses" of one address in a minute; "beside": p99 of an honest entry with it / without it.
Result<Metrics> run_guesses(const Options& options);
// "growth": of the gate's memory between the first fifth and the end, in bytes for each session
// that was created and ended; "sessions".
Result<Metrics> run_churn(const Options& options);

}  // namespace starbus::bench::gate
