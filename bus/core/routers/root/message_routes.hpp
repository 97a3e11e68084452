/// Messages, probes, multicasts and replies between hosts. A run costs one look-up by channel id
/// and one copy into the queue of the next link.
///
/// A record whose name is moving, or unknown during grace, or whose host is away, is held; a full
/// hold queue and one that is held too long are answered NACK overflow. An unknown name is answered
/// NACK no_owner. A record with an origin of another host ends the session as bad_bytes. Part of
/// RootRouter: same thread; owns the held records.
#pragma once

#include <optional>
#include <vector>

#include "bus/core/routers/root/root_hold.hpp"
#include "bus/core/routers/root/root_state.hpp"

namespace starbus::bus {

class MessageRoutes {
 public:
  enum class Way { forward, hold, no_owner };
  struct Destination {
    Way way;
    HostEntry* host = nullptr;
  };

  explicit MessageRoutes(RootState& root) : root_(root) {}

  /// Takes the kinds that is_message_record() accepts.
  Result<> on_message(HostEntry& host, Kind kind, ByteView payload);
  /// Where a record for this channel goes now.
  Destination destination(const ChannelId& channel);

  /// The way of the name may have changed: routes what is held for it.
  void release_held(const ChannelId& channel);
  void release_all_held();
  /// Gives up records that are held too long.
  void tick();
  const HoldQueues& held() const { return hold_; }

 private:
  Result<> on_data(HostEntry& host, ByteView payload);
  Result<> on_probe(HostEntry& host, ByteView payload);
  Result<> on_withdraw(const HostEntry& host, ByteView payload);
  Result<> on_multicast(HostEntry& host, ByteView payload);
  template <class Reply>  // Ack or Posted
  Result<> on_reply(const HostEntry& host, ByteView payload);
  Result<> on_nack(const HostEntry& host, ByteView payload);
  Destination destination_from(const HostEntry& host, const ChannelId& channel);
  bool speaks_for(const HostEntry& host, const ChannelId& channel);
  std::optional<Epoch> held_epoch(const HostEntry& host, const ChannelId& channel) const;
  void hold_part(const Multicast& multicast, const Target& target);
  SourceQueues::Source source_of(const Process& origin) const;
  bool route_held(Kind kind, ByteView payload);
  void drop_held(Kind kind, ByteView payload);

  RootState& root_;
  HoldQueues hold_;
  Time hold_checked_{};
  std::vector<HostEntry*> multicast_hosts_;
  Bytes record_;  // scratch
};

}  // namespace starbus::bus
