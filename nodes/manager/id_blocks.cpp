#include "nodes/manager/id_blocks.hpp"

#include <spdlog/spdlog.h>

#include <boost/asio/deferred.hpp>
#include <limits>

#include "bus/core/wire/name.hpp"
#include "nodes/manager/limits.hpp"

namespace starbus::nodes::manager {

bus::Result<std::string> counter_log(std::string_view counter) {
  if (!bus::check_node_name(counter) || counter.size() > kMaxCounterName) {
    return bus::Error(bus::Errc::bad_name,
                      "a counter is 1.." + std::to_string(kMaxCounterName) + " of a-z A-Z 0-9 _ -");
  }
  return std::string("log/counter.").append(counter);
}

bus::Result<IdRange> id_block(std::uint64_t number) {
  constexpr std::uint64_t kLast = std::numeric_limits<std::uint64_t>::max() / kIdBlock;
  if (number >= kLast) return bus::Error(bus::Errc::too_large, "counter: all ids are used");
  return IdRange{number * kIdBlock, number * kIdBlock + (kIdBlock - 1)};
}

entity::rpc::Task<bus::Result<IdRange>> allocate_ids(bus::Bus& bus, std::string counter) {
  const bus::Result<std::string> log = counter_log(counter);
  if (!log) co_return log.error();
  bus::PostOptions options;
  options.wait = false;  // while no host has the shard: the caller decides whether to wait
  options.ttl = kStoreWait;
  auto appending = bus.append(*log, std::string_view("block"), options, boost::asio::deferred);
  const bus::Result<std::uint64_t> number = co_await std::move(appending);
  if (!number) co_return number.error();
  const bus::Result<IdRange> range = id_block(*number);
  if (range) spdlog::info("counter {}: granted {} to {}", counter, range->first, range->last);
  co_return range;
}

entity::rpc::Task<bus::Result<IdRange>> skip_ids(bus::Bus& bus, std::string counter,
                                                 std::uint64_t beyond) {
  bus::Result<IdRange> range = IdRange{};
  for (std::size_t blocks = 0; blocks < kMaxSkip; ++blocks) {
    auto granting = allocate_ids(bus, counter);
    range = co_await std::move(granting);
    if (!range || range->last >= beyond) co_return range;
  }
  const std::string reached = "skipped up to " + std::to_string(range->last);
  co_return bus::Error(bus::Errc::too_large, reached);
}

}  // namespace starbus::nodes::manager
