/// The simulated mail store of one host: a real MailService over a simulated disk, which survives
/// it. It is a part of busd and ends with it. One thread.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "busd/mail/service.hpp"
#include "tests/sim/core_node.hpp"
#include "tests/sim/mail_oracle.hpp"
#include "tests/sim/sim_store.hpp"

namespace starbus::sim {

class StoreNode final : public CoreNode {
 public:
  StoreNode(World& world, HostNode& host, std::vector<std::string> mailboxes);

  SimDisk& disk() { return disk_; }
  bool serves_all() const;
  bool idle() const { return service_->mail().idle(); }
  /// What the disk has, by mailbox.
  std::map<std::string, MailOracle::Content> stored() const;

 private:
  void on_start() override;
  void on_crash() override;
  void before_pump() override { service_->turn(); }
  void refused_for_good(const bus::Error& reason) override;

  std::vector<std::string> mailboxes_;
  std::vector<std::uint8_t> shards_;
  SimDisk disk_;
  std::unique_ptr<SimStore> store_;
  std::unique_ptr<bus::busd::mail::MailService> service_;
};

}  // namespace starbus::sim
