// The command adopt: a store keeps shards because an operator says so.
#include <algorithm>
#include <iterator>
#include <ostream>

#include "bus/core/wire/post_head.hpp"
#include "bus/core/wire/shard_list.hpp"
#include "mail/rows.hpp"
#include "mail/shards/shard_row.hpp"
#include "storage/bulk_writer.hpp"
#include "tools/mail/commands.hpp"
#include "tools/terminal/text.hpp"

namespace starbus::mail_tool {
namespace {

/// A part of a shard may not be adopted.
Result<> may_adopt(const storage::Store& store, std::uint8_t shard) {
  const auto value = store.get(mail::place_key(shard));
  if (!value && value.error() != storage::Errc::corrupt) return error_of(value.error());
  const auto row = value && *value ? mail::decode_place(**value) : std::nullopt;
  if (!row || row->keeping != mail::Keeping::incoming) return {};
  return Error{Errc::denied, bus::shard_name(shard) + " was on its way from " + row->host +
                                 " and is here only in part; start busd, which erases that part"};
}

}  // namespace

int run_adopt(const Context& context, const AdoptOptions& options) {
  const auto shards = shards_in(options.shards);
  if (!shards) return fail(context, shards.error());
  auto store = open_existing(options.directory);
  if (!store) return fail(context, store.error());
  for (const std::uint8_t shard : *shards) {
    if (auto good = may_adopt(**store, shard); !good) return fail(context, good.error());
  }
  std::vector<std::uint8_t> empty;
  std::ranges::copy_if(*shards, std::back_inserter(empty),
                       [&](std::uint8_t shard) { return !mail::has_rows(**store, shard); });
  storage::BulkWriter writer(**store);
  for (const std::uint8_t shard : *shards) {
    const auto put = writer.put(mail::place_key(shard), encode(mail::PlaceRow{}));
    if (!put) return fail(context, error_of(put.error()));
  }
  if (auto flushed = writer.flush(); !flushed) return fail(context, error_of(flushed.error()));
  context.out << bustop::count_of(shards->size(), "shard") << (shards->size() == 1 ? " is" : " are")
              << " kept here from now on\n";
  if (!empty.empty()) {
    std::ranges::sort(empty);
    context.out << "no rows are here of " << bus::shards_text(empty)
                << ": these shards begin empty\n";
  }
  return kExitOk;
}

}  // namespace starbus::mail_tool
