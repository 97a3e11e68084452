/// The records by which messages reach a state that is on a disk: a mail shard (`store/N`) or
/// whatever else answers only for what it has synced. docs/design/protocol.md, "Durable channels".
#pragma once

#include <string>
#include <vector>

#include "bus/core/error.hpp"
#include "bus/core/wire/ids.hpp"
#include "bus/core/wire/record.hpp"

namespace starbus::bus {

/// A bind by the keeper of a durable state: the grant has a fresh epoch, and goes on with
/// `lineage`, the one that the state was last owned under, since its filter is on the disk too.
/// Answered as a bind. Since 1.1.
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

/// What became of one message to a durable channel: `number` is its place there, if `status` is ok.
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
/// acknowledgement; the origin releases only messages whose result it has seen. `complete`: these
/// are all that the owner still knows, said to a probe or to a repeated message. May be lost. Since
/// 1.1.
struct Posted {
  static constexpr Kind kKind = Kind::posted;
  static constexpr std::size_t kMostResults = 1024;  // of one record: some 18 KiB
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
