#include "bench/restarts/streams.hpp"

#include "bench/bus/load_process.hpp"
#include "bench/bus/role_command.hpp"
#include "bench/harness/clock.hpp"
#include "bench/restarts/case.hpp"

namespace starbus::bench::restarts {
namespace {

// Twice the lease (kLease): by then names are free again, and what could not be delivered has
// failed.
constexpr std::int64_t kLongestSilence = 60 * kSecond;
constexpr Address kSender{kSenderHost, 0};

}  // namespace

std::vector<PlannedProcess> Streams::planned(int channels) {
  std::vector<PlannedProcess> processes{{kSender, 0}};
  for (int channel = 0; channel < channels; ++channel) {
    const int host = channel % 2 == 0 ? kSenderHost : kOwnerHost;
    // Slot 0 is the sender's.
    processes.push_back(
        {{static_cast<std::uint16_t>(host), static_cast<std::uint16_t>(channel / 2 + 1)}, 0});
  }
  return processes;
}

Result<Streams> Streams::start(const Plan& plan, const Peer& peer, const Options& options,
                               ProcessGroup& processes) {
  Streams streams;
  LoadOptions load;
  load.directory = plan.directory;
  load.rate = options.rate;
  load.low_latency = true;
  load.role = "receiver";
  std::vector<Address> owners;
  for (const PlannedProcess& planned : plan.processes) {
    if (planned.address == kSender) continue;
    load.self = planned.address;
    const auto process = processes.spawn("receiver" + text_of(load.self), role_command(peer, load));
    if (!process) return process.error();
    streams.receivers_.push_back({load.self, *process});
    owners.push_back(load.self);
  }
  for (const Receiver& receiver : streams.receivers_) {
    if (const auto ready = await_ready(*receiver.process); !ready) return ready.error();
  }
  load.role = "sender";
  load.self = kSender;
  load.partners = owners;
  const auto sender = processes.spawn("sender", role_command(peer, load));
  if (!sender) return sender.error();
  streams.sender_ = *sender;
  if (const auto ready = await_ready(**sender); !ready) return ready.error();
  if (const auto told = (*sender)->write_line("go"); !told) return told.error();
  if (const auto flowing = streams.silences(); !flowing) return flowing.error();
  return streams;
}

Result<std::vector<Streams::Silence>> Streams::silences() {
  const std::int64_t now = now_ns();
  for (const Receiver& receiver : receivers_) {
    const auto told = receiver.process->write_line(std::to_string(now));
    if (!told) return told.error();
  }
  std::vector<Silence> silences;
  for (const Receiver& receiver : receivers_) {
    const auto line = receiver.process->read_line(now + kLongestSilence);
    if (!line) return fail("a stream has not recovered: " + line.error().what);
    const auto json = nlohmann::json::parse(*line, nullptr, false);
    if (!json.is_object() || !json.contains("silence")) {
      return fail(receiver.process->name() + " said: " + *line);
    }
    silences.push_back({receiver.owner, json["silence"].get<std::int64_t>()});
  }
  return silences;
}

Result<Streams::Ledger> Streams::stop() {
  if (const auto told = sender_->write_line("stop"); !told) return told.error();
  const auto sent = read_result(*sender_, 0);
  if (!sent) return sent.error();
  Ledger ledger;
  for (const Receiver& receiver : receivers_) {
    const auto json = read_result(*receiver.process, 0);
    if (!json) return json.error();
    ledger.sent += json->value("announced", std::uint64_t{0});
    ledger.received += json->value("received", std::uint64_t{0});
    ledger.misplaced += json->value("misplaced", std::uint64_t{0});
  }
  if (ledger.sent != sent->value("sent", std::uint64_t{0}) * receivers_.size()) {
    return fail("the sender and the receivers do not agree on what was sent");
  }
  return ledger;
}

}  // namespace starbus::bench::restarts
