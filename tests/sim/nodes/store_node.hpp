/// The simulated mail store of one host: a real MailService over a simulated disk, which survives
/// it. It is a part of busd and ends with it; each life has its own retention of logs. Tells the
/// oracle what becomes durable of them. One thread.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "mail/service.hpp"
#include "tests/sim/nodes/core_node.hpp"
#include "tests/sim/nodes/sim_store.hpp"
#include "tests/sim/oracles/log_oracle.hpp"
#include "tests/sim/oracles/mail_oracle.hpp"

namespace starbus::sim {

class StoreNode final : public CoreNode {
 public:
  /// `listed`: it keeps the shards of all mailboxes and logs, unless they have moved; otherwise
  /// none.
  StoreNode(World& world, HostNode& host, bool listed);

  /// Its operator changes the configuration: this counts from its next start on.
  void list(const std::vector<std::uint8_t>& shards) { shards_ = shards; }

  SimDisk& disk() { return disk_; }
  /// What its disk says.
  bool keeps(std::uint8_t shard) const;
  bool serves(std::uint8_t shard) const { return service_->serves(shard); }
  /// No batch, and no move, is under way.
  bool idle() const;
  /// Asks for shards that others have, which their operators offer to it; busy while it does.
  void take(const std::vector<std::uint8_t>& shards);
  std::uint64_t wall_ms() const;
  mail::MailService& service() { return *service_; }
  /// What the disk has of a mailbox or log.
  MailOracle::Content stored(const std::string& name) const;
  /// Whether what the shards' rows say is in them is what lies there.
  void check_totals() const;
  /// Of this life.
  LogOracle::Quota quota(const std::string& log) const { return quota_.of_log(log); }

 private:
  void on_start() override;
  void on_crash() override;
  void before_pump() override { service_->turn(); }
  void refused_for_good(const bus::Error& reason) override;
  void stopped(const storage::Error& reason);
  void draw_quota();
  void note_logs(const storage::Batch& batch);
  LogOracle::Bounds bounds(const std::string& log) const;

  std::vector<std::uint8_t> shards_;         // listed
  std::map<std::string, std::string> logs_;  // by shard and id, as in keys
  mail::MailQuota quota_;
  SimDisk disk_;
  std::unique_ptr<SimStore> store_;
  std::unique_ptr<mail::MailService> service_;
};

}  // namespace starbus::sim
