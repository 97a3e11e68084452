#include "nodes/gate/net/front_metrics.hpp"

#include "daemon/histogram.hpp"

namespace starbus::nodes::gate::net {
namespace {

using Kind = daemon::Metrics::Kind;
using Samples = std::vector<daemon::Metrics::Sample>;

/// Seconds of a handshake: from the same city to a phone on a train.
const daemon::Buckets& handshake_buckets() {
  static const daemon::Buckets kSeconds = {0.002, 0.005, 0.01, 0.02, 0.05, 0.1,
                                           0.2,   0.5,   1,    2,    5,    10};
  return kSeconds;
}

template <class Numbers>
Samples by_kind(const Numbers& numbers) {
  Samples samples;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    samples.push_back(
        {{{"kind", std::string(kConnectionKinds[i])}}, static_cast<double>(numbers[i])});
  }
  return samples;
}

Samples by_ending(const FrontCounters& counters) {
  Samples samples;
  for (std::size_t i = 0; i < kEndings.size(); ++i) {
    samples.push_back(
        {{{"reason", std::string(kEndings[i].name)}}, static_cast<double>(counters.ended[i])});
  }
  return samples;
}

}  // namespace

void add_front_metrics(daemon::Metrics& metrics, Front& front) {
  const auto counter = [&](const char* name, const char* help,
                           std::uint64_t FrontCounters::*number) {
    metrics.counter(name, help,
                    [&front, number] { return static_cast<double>(front.counters().*number); });
  };
  metrics.family("starbus_gate_connections", "Connections of clients that are open, by kind.",
                 Kind::gauge, [&front] { return by_kind(front.counters().open); });
  metrics.family("starbus_gate_connections_opened_total", "Connections of clients, by kind.",
                 Kind::counter, [&front] { return by_kind(front.counters().opened); });
  metrics.family("starbus_gate_connections_ended_total", "Ends of connections, by reason.",
                 Kind::counter, [&front] { return by_ending(front.counters()); });
  counter("starbus_gate_accepted_total", "Accepted connections.", &FrontCounters::accepted);
  counter("starbus_gate_refused_unheard_total", "Refused connections that were cut without a word.",
          &FrontCounters::unheard);
  counter("starbus_gate_accept_pauses_total", "Pauses of accepting, for want of descriptors.",
          &FrontCounters::accept_pauses);
  counter("starbus_gate_frames_received_total", "Frames of clients.", &FrontCounters::frames_in);
  counter("starbus_gate_frames_sent_total", "Frames to clients.", &FrontCounters::frames_out);
  counter("starbus_gate_frame_bytes_received_total", "Bytes of frames of clients.",
          &FrontCounters::bytes_in);
  counter("starbus_gate_frame_bytes_sent_total", "Bytes of frames to clients.",
          &FrontCounters::bytes_out);
  metrics.gauge("starbus_gate_held_bytes", "Bytes of frames in memory, in and out.",
                [&front] { return static_cast<double>(front.held_bytes()); });
  metrics.gauge("starbus_gate_handshakes", "Connections without a first frame.",
                [&front] { return static_cast<double>(front.admission().handshakes()); });
  metrics.gauge("starbus_gate_tls_waiting", "Connections that wait for a TLS handshake.",
                [&front] { return static_cast<double>(front.admission().waiting_for_tls()); });
  metrics.gauge("starbus_gate_certificate_expires_seconds",
                "Time at which the first certificate ends, in seconds since 1970; 0 without one.",
                [&front] { return static_cast<double>(front.certificates_expire()); });
  auto& seconds = daemon::add_histogram(metrics, "starbus_gate_handshake_seconds",
                                        "Seconds from accept to the end of TLS and upgrade.",
                                        handshake_buckets());
  front.observe_handshakes([&seconds](double value) { seconds.Observe(value); });
}

}  // namespace starbus::nodes::gate::net
