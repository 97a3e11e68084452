/// Ids that are unique in the cluster, granted in blocks: block n of a counter is the ids from
/// n * kIdBlock on.
///
/// The numbers n come from the mail store: each grant appends one message to the log of the
/// counter, log/counter.NAME, and its number there is n, on the disk before it is known. A store
/// gives no number twice, so two managers never grant the same block, even if one of them is
/// paused, cut off or superseded, and there is nothing to rebuild. A grant whose answer is lost is
/// a gap.
///
/// Errors: bad_name (of the counter), no_owner (no host serves the shard of its log), store_full,
/// mailbox_full, corrupt, would_block; expired, lease_lost, owner_lost, closed: no block is known
/// to be granted; too_large: all ids of the counter are used. docs/guide/manager.md says what a
/// restored store means.
#pragma once

#include <string>
#include <string_view>

#include "bus/client/bus.hpp"
#include "entity/rpc/task.hpp"
#include "nodes/manager/cluster_report.hpp"

namespace starbus::nodes::manager {

/// The log of a counter. bad_name: not 1..kMaxCounterName of a-z A-Z 0-9 _ -
bus::Result<std::string> counter_log(std::string_view counter);
/// Block n. too_large: it does not fit 64 bits.
bus::Result<IdRange> id_block(std::uint64_t number);

/// The next block, on the disk of the store.
entity::rpc::Task<bus::Result<IdRange>> allocate_ids(bus::Bus& bus, std::string counter);
/// Skips blocks until all later ones are above `beyond`. Returns the last skipped block. too_large:
/// that takes more than kMaxSkip blocks; kMaxSkip were skipped.
entity::rpc::Task<bus::Result<IdRange>> skip_ids(bus::Bus& bus, std::string counter,
                                                 std::uint64_t beyond);

}  // namespace starbus::nodes::manager
