/// What a simulated process does with the bus: it owns names, sends numbered messages, announces,
/// calls, answers, moves entities away and takes others in, and tells the oracle all of it.
///
/// One per life of a process; told by its core, driven by a workload or a scenario. An entity that
/// moves is a `Copy`: what travels is its state, and for the oracle's eyes the list of what waits
/// in its outbox. One thread.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "bus/core/ends/process_core.hpp"
#include "tests/sim/oracles/oracle.hpp"
#include "tests/sim/users/log_user.hpp"
#include "tests/sim/users/mail_user.hpp"

namespace starbus::sim {

class ProcessNode;
class World;

class Application final : public bus::ProcessEvents {
 public:
  /// An entity of a movable name, as this process holds it.
  struct Copy {
    NameIndex name = 0;
    bus::BindingId binding = 0;
    std::uint64_t life = 0;  // lineage
    EntityState state{};
    bool moving = false;  // its core empties no outbox
    bool frozen = false;
    /// What its core holds in the outbox, in order. The protocol moves the messages themselves.
    std::deque<std::pair<bus::Lane, MessageId>> outbox{};
  };
  /// One stay of a name at this process: from when it became active here until it left, or began
  /// another life. Numbers are the world's, from 1.
  struct Stay {
    std::uint64_t number = 0;
    bus::Time since{};
  };
  struct SendOptions {
    std::size_t padding = 0;
    bus::Time expires{};
    bool hint = false;  // take the lineage from a watch
  };

  Application(World& world, ProcessNode& node, std::uint64_t life);

  // --- actions; each is refused quietly where the bus refuses it ---
  void bind(NameIndex name);
  void unbind(NameIndex name);
  bool owns(NameIndex name) const { return owned_.contains(name); }
  bool binding(NameIndex name) const { return binding_.contains(name); }
  /// From the fixed entity of this process, or from a movable one that is here.
  bool send(NameIndex from, const std::vector<NameIndex>& to, bus::Lane lane,
            const SendOptions& options);
  bool call(NameIndex to, bus::Lane lane, bus::Time deadline);
  /// To a mailbox, or a log. `key`: of idempotency, or empty.
  bool post(const std::string& box, const std::string& key, std::size_t padding, bus::Time expires);
  bool move(NameIndex name, const bus::Process& target);
  void watch(const std::string& prefix);
  /// Ends calls whose time has come.
  void tick();

  /// Something was sent with a lineage learnt elsewhere. If it is newer, what was sent to the older
  /// life has failed, and the core says so at its next tick: to be made before anything leaves.
  /// After each turn of the core: which messages have left its outboxes.
  void note_outbox_progress();
  bool take_hinted() { return std::exchange(hinted_, false); }

  const Copy* copy_of(NameIndex name) const;
  /// Of a name that is active here.
  const Stay& stay_of(NameIndex name) const { return stays_.at(name); }
  std::uint64_t life() const { return life_; }
  std::size_t calls_pending() const { return calls_.size(); }
  bool calls_overdue(bus::Time now) const;
  std::size_t binds_pending() const { return binding_.size() + unbinding_.size(); }
  bool outboxes_empty() const;

  MailUser& mail() { return mail_; }
  LogUser& logs() { return logs_; }

  // --- what scenarios set ---
  double refuse_arrivals = 0;  // probability
  double react = 0;            // probability that a handled message leads to another
  std::function<void(NameIndex, MessageId)> when_handled;
  std::function<void(MessageId, bus::Errc, bool sent)> when_failed;
  std::function<void(const bus::Delivery&)> when_foreign;  // bytes that this class did not write

 private:
  // ProcessEvents
  void on_welcome(bool first) override;
  void on_bound(bus::BindingId binding, bus::Epoch epoch) override;
  void on_bind_refused(bus::BindingId binding, const bus::Error& reason) override;
  void on_unbound(bus::BindingId binding) override;
  void on_delivery(bus::BindingId binding, const bus::Delivery& delivery) override;
  void on_watch(const std::string& prefix, const std::vector<bus::WatchRow>&, bool) override {
    if (prefix == bus::kStores) stores_changed();
  }
  void on_mail(const bus::Process& from, bus::Kind kind, bus::ByteView payload) override;
  void on_mail_lost(const bus::ChannelId& process) override;
  void on_watch_refused(const std::string& prefix, const bus::Error& reason) override;
  void on_lease_lost() override;
  void on_acknowledged(bus::Token token) override;
  void on_posted(bus::Token token, bus::Errc status, std::uint64_t number) override;
  void on_failed(bus::Token token, const bus::ChannelId& channel, bus::Lane lane, std::uint64_t seq,
                 bus::Errc reason, bool sent) override;
  void on_room() override { note_outbox_progress(); }
  bus::Bytes on_freeze(bus::BindingId binding) override;
  void on_moved(bus::BindingId binding) override;
  void on_move_failed(bus::BindingId binding, bus::Epoch epoch, const bus::Error& why) override;
  bus::Result<> on_arriving(const std::string& name, const bus::Process& from,
                            bus::ByteView state) override;
  void on_arrived(bus::BindingId binding, const std::string& name, bus::Epoch epoch,
                  bus::Bytes state) override;

  /// The end of a move that has failed is told.
  void goes_on(const bus::ChannelId& channel, bus::BindingId binding, bus::Epoch epoch,
               bool rolled_back);
  struct Body;
  struct PendingCall {
    MessageId request = 0;
    bus::Time deadline{};
    NameIndex to = 0;
    bus::Lane lane = bus::Lane::call;
    std::uint64_t seq = 0;
  };

  bool send_as_process(const Oracle::Sender& sender, const std::vector<NameIndex>& to,
                       bus::Lane lane, const SendOptions& options);
  bool send_as_entity(Copy& copy, const std::vector<NameIndex>& to, bus::Lane lane,
                      const SendOptions& options);
  bus::Destination destination(NameIndex to, bool hint) const;
  void note_stay(NameIndex name);
  std::vector<std::uint64_t> present_owners(const std::vector<NameIndex>& to, bus::Lane lane);
  void expect_owners(const std::vector<MessageId>& ids, const std::vector<std::uint64_t>& stays);
  std::vector<MessageId> issue(const Oracle::Sender& sender, const std::vector<NameIndex>& to,
                               bus::Lane lane);
  void retract(const std::vector<MessageId>& ids, std::size_t size, bool by_outbox);
  void answer(const bus::Process& caller, bus::Lane lane, bus::Lineage lineage, std::uint64_t call);
  void end_call(std::uint64_t call);
  void handle(NameIndex name, MessageId id);
  void fail(MessageId id, bus::Errc reason, bool sent);
  void send_mail_record(const bus::Process& to, bus::ByteView record);
  void stores_changed();
  Copy* copy_of_binding(bus::BindingId binding);
  NameIndex name_of_binding(bus::BindingId binding) const;
  std::string where() const;

  World& world_;
  ProcessNode& node_;
  MailUser mail_;
  LogUser logs_;
  std::uint64_t life_;  // of this process as a sender
  std::set<NameIndex> owned_;
  std::set<NameIndex> binding_;
  std::set<NameIndex> unbinding_;
  std::map<bus::BindingId, NameIndex> bindings_;
  std::map<NameIndex, Stay> stays_;
  /// Of the streams of this process: the stay that all their unacknowledged messages expect.
  std::map<std::pair<NameIndex, bus::Lane>, std::uint64_t> expected_;
  std::map<bus::ChannelId, Copy> copies_;  // in the order in which a core empties outboxes
  std::map<std::uint64_t, PendingCall> calls_;
  std::uint64_t next_call_;  // no two lives of a process may share a number: see answer()
  bool hinted_ = false;

  /// Sequences of what entities sent, to know what a failure without a token is about.
  std::map<std::pair<bus::Lane, std::uint64_t>, MessageId> drawn_;
  bus::Origin::Mark known_{1, 1, 1, 1};  // sequences below are accounted for
  std::uint64_t system_seq_ = 0;         // in the bulk lane: the library's own next message
};

}  // namespace starbus::sim
