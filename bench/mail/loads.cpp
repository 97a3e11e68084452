#include "bench/mail/loads.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "bench/harness/clock.hpp"
#include "bus/core/limits.hpp"

namespace starbus::bench::mail {
namespace {

constexpr double kPatience = 120;              // seconds, beyond what a role is to take
constexpr std::uint64_t kNatsPending = 4'000;  // libnats' own default

}  // namespace

Loads::Loads(const std::string& system, const Options& options, std::unique_ptr<Cluster> cluster)
    : system_(system),
      options_(options),
      cluster_(std::move(cluster)),
      processes_(std::make_unique<ProcessGroup>(cluster_->folder())) {}

Result<std::unique_ptr<Loads>> Loads::start(const std::string& system, const Options& options,
                                            bool read) {
  auto cluster = make_cluster(system, options.folder, options.keep);
  if (!cluster) return cluster.error();
  std::unique_ptr<Loads> loads(new Loads(system, options, std::move(*cluster)));
  loads->read_ = read;
  if (const auto ready = loads->await_service(); !ready) return ready.error();
  return loads;
}

Result<double> Loads::await_service() {
  RoleOptions role;
  role.role = "prepare";
  role.read = read_;
  const std::int64_t begin = now_ns();
  const auto process = processes_->spawn("prepare" + std::to_string(spawned_++), command_of(role));
  if (!process) return process.error();
  const auto said = result_of(*process, 0);
  if (!said) return said.error();
  return static_cast<double>(now_ns() - begin) / kSecond;
}

void Loads::await_rest() const {
  constexpr std::int64_t kLook = kSecond / 4;
  int looks_at_rest = 0;
  for (int looks = 0; looks < 80 && looks_at_rest < 4; ++looks) {
    const std::int64_t before = cluster_->cpu_ns();
    std::this_thread::sleep_for(std::chrono::nanoseconds(kLook));
    looks_at_rest = cluster_->cpu_ns() - before < kLook / 20 ? looks_at_rest + 1 : 0;
  }
  ::sync();
}

// As many as starbus' windows allow: of messages and bytes to one shard, and three quarters of the
// bytes of a process. More than libnats' default gains NATS nothing (--outstanding shows).
std::uint64_t Loads::outstanding_for(const RoleOptions& role) const {
  if (role.client.outstanding != 0) return role.client.outstanding;
  if (options_.outstanding != 0) return options_.outstanding;
  if (!is_starbus(system_)) return kNatsPending;
  const std::uint64_t record = role.client.bytes + 128;
  const std::uint64_t shards = std::min<std::uint64_t>(role.mailboxes, 256);
  const std::uint64_t channel = std::min(bus::kDurableWindow, bus::kChannelWindow / record);
  return std::min(shards * channel, bus::kProcessWindow / record / 4 * 3);
}

std::vector<std::string> Loads::command_of(const RoleOptions& role) {
  std::vector<std::string> command{own_executable(), "role", role.role, system_};
  const auto add = [&](const char* option, const std::string& value) {
    command.emplace_back(option);
    command.push_back(value);
  };
  add("--endpoint", cluster_->endpoint());
  add("--node", "load-" + std::to_string(spawned_));
  add("--bytes", std::to_string(options_.bytes));
  add("--outstanding", std::to_string(outstanding_for(role)));
  add("--window", std::to_string(options_.window));
  add("--first", std::to_string(role.first));
  add("--mailboxes", std::to_string(role.mailboxes));
  add("--count", std::to_string(role.count));
  add("--seconds", std::to_string(options_.seconds));
  add("--rate", std::to_string(role.rate));
  if (role.read) command.emplace_back("--read");
  if (role.client.low_latency) command.emplace_back("--low-latency");
  return command;
}

Result<Process*> Loads::spawn(RoleOptions role) {
  role.client.bytes = options_.bytes;
  const std::vector<std::string> command = command_of(role);
  const auto process = processes_->spawn(role.role + std::to_string(spawned_++), command);
  if (!process) return process.error();
  const auto line =
      (*process)->read_line(now_ns() + static_cast<std::int64_t>(kPatience * kSecond));
  if (!line) return line.error();
  if (*line != "ready") return fail((*process)->name() + " said: " + *line);
  return *process;
}

Result<nlohmann::json> Loads::result_of(Process* process, double seconds) {
  const auto line =
      process->read_line(now_ns() + static_cast<std::int64_t>((seconds + kPatience) * kSecond));
  if (!line) return fail(line.error().what + cluster_->log_tail());
  auto json = nlohmann::json::parse(*line, nullptr, false);
  if (!json.is_object()) return fail(process->name() + " said: " + *line);
  if (json.contains("error")) return fail(process->name() + ": " + json.value("error", ""));
  return json;
}

Result<nlohmann::json> Loads::run(RoleOptions role) {
  const auto process = spawn(std::move(role));
  if (!process) return process.error();
  if (const auto told = go(*process); !told) return told.error();
  return result_of(*process, options_.seconds);
}

Result<nlohmann::json> Loads::fill(std::uint64_t count, std::uint64_t mailboxes) {
  RoleOptions role;
  role.role = "post";
  role.count = count;
  role.mailboxes = mailboxes;
  const auto process = spawn(std::move(role));
  if (!process) return process.error();
  if (const auto told = go(*process); !told) return told.error();
  // However slow the disk is: a thousand a second.
  return result_of(*process, static_cast<double>(count) / 1000);
}

}  // namespace starbus::bench::mail
