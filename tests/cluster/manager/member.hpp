/// What the tests of the manager run as processes of their own: a part of a small game with state
/// that must not be lost. Gates write numbers to services and spaces, which keep them in memory and
/// save them when they drain; what saves last writes files.
///
///   offer = "service/chat"                 # takes numbers under this name; nothing: does not
///   loads = ["service/chat"]               # writes to these all the time
///   saves_to = "service/db"                # when it drains; nothing: into the file `numbers`
///   save_takes = "50ms"                    # and how long that takes at least
///   notes = "/tmp/.../notes"               # a line when it drains, and when all is saved
///   drain_never = true
///
/// A gate's file has the numbers that were taken, of others those that they took.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "nodes/runtime/node.hpp"

namespace starbus::cluster_test {

namespace rpc = entity::rpc;

class Member final : public nodes::App, public rpc::Callable<Member> {
 public:
  void configure(daemon::ConfigReader& reader) override;
  bus::Result<> start(nodes::Node& node) override;
  std::string status() const override { return std::to_string(numbers_.size()) + " numbers"; }

  void put(rpc::Caller& from, std::string key, std::uint64_t number);
  static constexpr auto kRpc = rpc::methods("member", rpc::method<&Member::put>("put"));

 private:
  void load();
  void save(const nodes::Done& done);
  void save_elsewhere(const nodes::Done& done);
  void write_file(const nodes::Done& done);
  void note(const std::string& what) const;

  nodes::Node* node_ = nullptr;
  std::string offer_;
  std::vector<std::string> loads_;
  std::string saves_to_;
  std::chrono::milliseconds save_takes_{};
  std::string notes_;
  bool drain_never_ = false;

  std::map<std::string, std::uint64_t> numbers_;
  std::map<std::string, std::uint64_t> written_;  // of a gate: the latest number that it wrote
  bool draining_ = false;
  std::size_t saving_ = 0;
  entity::TimerOwner timers_;
};

}  // namespace starbus::cluster_test
