#include "nodes/db/remote/remote_database.hpp"

#include <algorithm>
#include <random>
#include <utility>

#include "base/hex.hpp"
#include "base/unit_guard.hpp"
#include "nodes/db/names.hpp"
#include "nodes/db/remote/bus_link.hpp"
#include "nodes/db/rows.hpp"

namespace starbus::nodes::db {
namespace {

std::uint64_t draw() {
  std::random_device device;
  return std::uint64_t{device()} << 32 | device();
}

RemoteOptions bounded(RemoteOptions options) {
  options.deadline = std::clamp(options.deadline, RemoteLink::Milliseconds(1), kLongestDeadline);
  return options;
}

bool is_change(const Arguments& arguments) {
  return std::holds_alternative<WriteRequest>(arguments) ||
         std::holds_alternative<DeclareIndex>(arguments) ||
         std::holds_alternative<DropIndex>(arguments);
}

Error not_understood(bool changes) {
  return {changes ? Errc::outcome_unknown : Errc::unavailable, "reply of another protocol version"};
}

}  // namespace

RemoteDatabase::RemoteDatabase(bus::Bus& bus, RemoteOptions options)
    : RemoteDatabase(std::make_unique<BusLink>(bus, options.database), options) {}

RemoteDatabase::RemoteDatabase(std::unique_ptr<RemoteLink> link, RemoteOptions options)
    : options_(bounded(std::move(options))), link_(std::move(link)) {
  id_prefix_ = hex_of(draw()) + hex_of(draw()) + "/";
  link_->watch_owner([this](bool first) { owner_changed(first); });
}

// --- requests ------------------------------------------------------------------------------------

template <class T, class Finish>
Result<> RemoteDatabase::ask(const Arguments& arguments, std::vector<std::string> keys,
                             Finish finish) {
  auto bytes = encode_arguments(arguments);
  if (!bytes) return bytes.error();
  const bool changes = is_change(arguments);
  Pending pending;
  pending.arguments = std::move(*bytes);
  pending.keys = std::move(keys);
  pending.changes = changes;
  if (const auto* const write = std::get_if<WriteRequest>(&arguments)) {
    pending.age_ms = write->age_ms;
  }
  // A unit of its own: many may end in one pass over the requests.
  const auto told = [finish = std::move(finish)](Result<T> result, bool maybe_done) {
    guarded(UnitKind::completion, "answer of the database",
            [&] { finish(std::move(result), maybe_done); });
  };
  pending.end = [changes, told](const Result<bus::ByteView>& answer, bool maybe_done) {
    if (!answer) return told(Result<T>(answer.error()), maybe_done);
    auto value = decode_answer<T>(*answer);
    if (!value) return told(Result<T>(not_understood(changes)), maybe_done);
    told(Result<T>(in_place_value, std::move(*value)), maybe_done);
  };
  return take(std::move(pending));
}

template <class T>
Result<> RemoteDatabase::ask(const Arguments& arguments, std::vector<std::string> keys,
                             Done<T> done) {
  return ask<T>(arguments, std::move(keys),
                [done = std::move(done)](Result<T> result, bool) { done(std::move(result)); });
}

Result<> RemoteDatabase::take(Pending pending) {
  const std::size_t bytes = pending.arguments.size();
  if (pending_.size() >= kOutstandingRequests ||
      (pending_bytes_ != 0 && pending_bytes_ + bytes > kOutstandingBytes)) {
    return Error(Errc::busy, "too many requests without an answer");
  }
  const std::uint64_t number = next_number_++;
  pending_bytes_ += bytes;
  pending.born = link_->now();
  for (const std::string& key : pending.keys) {
    auto& queue = by_key_[key];
    if (!queue.empty()) ++pending.behind;
    queue.push_back(number);
  }
  if (pending.behind == 0) ready_.insert(number);
  pending_.emplace(number, std::move(pending));
  pump();
  return {};
}

Result<> RemoteDatabase::write(WriteRequest request, Done<Written> done) {
  if (request.request_id.empty()) request.request_id = id_prefix_ + std::to_string(next_id_++);
  if (const auto checked = check_request(request); !checked) return checked.error();
  std::set<std::string> keys;
  for (const Write& write : request.writes) {
    std::visit([&](const auto& one) { keys.insert(document_key(one.collection, one.id)); }, write);
  }
  return ask<Written>(std::move(request), {keys.begin(), keys.end()}, std::move(done));
}

Result<> RemoteDatabase::find(Find request, Done<std::optional<Json>> done) {
  std::string key = document_key(request.collection, request.id);
  return ask<std::optional<Json>>(std::move(request), {std::move(key)}, std::move(done));
}

Result<> RemoteDatabase::query(Query request, Done<Page> done) {
  return ask<Page>(std::move(request), {}, std::move(done));
}

Result<> RemoteDatabase::count(Count request, Done<Counted> done) {
  return ask<Counted>(std::move(request), {}, std::move(done));
}

Result<> RemoteDatabase::declare_index(DeclareIndex request, Done<> done) {
  std::string key = index_key(request.collection, request.name);
  return ask<Nothing>(std::move(request), {std::move(key)},
                      [done = std::move(done)](const Result<Nothing>& result, bool) {
                        done(result ? Result<>() : Result<>(result.error()));
                      });
}

/// An index that a timed-out attempt has dropped is not found by the next attempt.
Result<> RemoteDatabase::drop_index(DropIndex request, Done<> done) {
  const auto finish = [done = std::move(done)](const Result<Nothing>& result, bool maybe_done) {
    const bool dropped = result || (maybe_done && result.error() == Errc::not_found);
    done(dropped ? Result<>() : Result<>(result.error()));
  };
  std::string key = index_key(request.collection, request.name);
  return ask<Nothing>(std::move(request), {std::move(key)}, finish);
}

Result<> RemoteDatabase::indexes(std::string collection, Done<std::vector<IndexInfo>> done) {
  return ask<std::vector<IndexInfo>>(ListIndexes{std::move(collection)}, {}, std::move(done));
}

Result<> RemoteDatabase::collections(Done<std::vector<CollectionInfo>> done) {
  return ask<std::vector<CollectionInfo>>(ListCollections{}, {}, std::move(done));
}

}  // namespace starbus::nodes::db
