/// Records of durable channels, whose owner answers only for messages that are synced to its disk:
/// a mail shard (`store/N`), for example. docs/design/protocol.md, "Durable channels".
#pragma once

#include <string>
#include <vector>

#include "bus/core/error.hpp"
#include "bus/core/wire/ids.hpp"
#include "bus/core/wire/record.hpp"

namespace starbus::bus {

/// A bind by the owner of a durable state. The grant has a fresh epoch and keeps `lineage`, under
/// which the state was last owned, since its filter is on the disk too. Answered as a bind. Since
/// 1.1.
struct Resume {
  static constexpr Kind kKind = Kind::resume;
  Process process;
  std::uint64_t number = 0;
  std::string name;
  Lineage lineage;
  template <class A>
  void fields(A& a) {
    a(process, number, name, lineage);
  }
};

/// The outcome of one message to a durable channel: `number` is its place there, if `status` is ok.
struct PostResult {
  std::uint64_t seq = 0;  // of the message, in its stream
  Errc status = Errc::ok;
  std::uint64_t number = 0;
  friend bool operator==(const PostResult&, const PostResult&) = default;
  template <class A>
  void fields(A& a) {
    a(seq, status, number);
  }
};

/// The acknowledgement of a durable channel: everything up to `last` is on its disk, stored or
/// refused. It carries the results, in order of seq, so that no result can be lost apart from its
/// acknowledgement; the origin releases only messages whose result has come. `complete` answers a
/// probe or a repeated message: these are all results that the owner still knows. May be lost.
/// Since 1.1.
struct Posted {
  static constexpr Kind kKind = Kind::posted;
  static constexpr std::size_t kMostResults = 1024;  // in one record: some 18 KiB
  Lane lane = Lane::call;
  Process origin;
  ChannelId channel;
  Lineage lineage;
  std::uint64_t last = 0;
  bool complete = false;
  std::vector<PostResult> results;
  template <class A>
  void fields(A& a) {
    a(lane, origin, channel, lineage, last, complete, results);
  }
};

}  // namespace starbus::bus
