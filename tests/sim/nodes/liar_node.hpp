/// A program that has its place in the cluster and lies in every field that it may fill: the rows,
/// epochs and frozen copies of its table, acknowledgements, refusals, requests about names.
///
/// Either a process of a host, or a host of its own with one process. It knows the truth, as an
/// attacker may, says something else about it at each tick, and comes back when its session is
/// ended. It claims no name that is free: that is any process' right. One thread.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "bus/core/lanes.hpp"
#include "bus/core/session.hpp"
#include "bus/core/wire/record_names.hpp"
#include "tests/sim/nodes/node.hpp"
#include "tests/sim/random.hpp"

namespace starbus::sim {

class HostNode;

class LiarNode final : public Node, private bus::RecordHandler {
 public:
  /// A process of this host; null: a host that has this name.
  LiarNode(World& world, HostNode* host, std::string node);

  const bus::Process& self() const { return self_; }
  std::int64_t pid() const { return pid_; }
  /// A row about a name of the world as it is: its epoch and lineage are true, its owner is not.
  bus::Row row_of(std::string_view name, bus::RowState state = bus::RowState::active);
  /// From its next session on, its table has these rows and not random ones, and it only says what
  /// it is told.
  void set_rows(std::vector<bus::Row> rows) { rows_ = std::move(rows); }
  /// Ends its session and begins another.
  void come_again();
  template <class Record>
  void say(const Record& record) {
    bus::Bytes bytes;
    bus::encode(record, bytes);
    say_bytes(bytes);
  }

  void on_bundle(LinkId id, ByteView bundle) override;
  void on_ended(LinkId id) override;

 private:
  struct Truth {
    std::string name;
    bus::ChannelId id;
    bus::Epoch epoch;
    bus::Lineage lineage;
  };

  void on_start() override;
  void on_crash() override;
  void on_tick() override;
  Time tick_period() const override { return bus::from_ms(20); }
  bus::Result<> on_record(bus::Kind kind, ByteView payload) override;

  void link_up(LinkId id);
  void say_table();
  void say_bytes(ByteView record);
  void send();
  void look();
  void lie();
  void lie_about_messages(const Truth& about);
  void lie_about_names(const Truth& about);
  std::vector<bus::Row> random_rows();
  bus::Epoch random_epoch(const Truth& about);
  bus::Ticket random_ticket();
  bus::Process random_process();

  HostNode* const host_;
  const std::string host_name_;
  const std::string node_;
  Random random_;
  std::uint64_t starts_ = 0;
  std::uint64_t attempts_ = 0;
  std::int64_t pid_ = 0;
  bus::Process self_;
  std::optional<std::vector<bus::Row>> rows_;
  std::vector<Truth> truth_;
  std::optional<bus::Session> session_;
  std::unique_ptr<bus::SourceQueues> queues_;
  LinkId link_ = 0;
  Dial dial_;
};

}  // namespace starbus::sim
