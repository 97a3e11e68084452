#include "nodes/hosting/entering/asked_entry.hpp"

#include <algorithm>
#include <utility>

#include "bus/io/clock.hpp"
#include "nodes/manager/manager_service.hpp"

namespace starbus::nodes::entities {
namespace {

using entity::rpc::CallOptions;
using entity::rpc::Failure;
using entity::rpc::Reply;
using std::chrono::milliseconds;

/// What the callee refused with, or why it was not asked.
bus::Error reason_of(const Failure<bus::Error>& failure) {
  if (failure.code == entity::rpc::Errc::refused) return failure.error;
  return {failure.code, failure.detail};
}

/// That node takes nothing in; another one may.
bool is_gone(const bus::Error& error) {
  return error == bus::Errc::no_owner || error == bus::Errc::owner_lost ||
         error == bus::Errc::closed || error == entity::rpc::Errc::no_such_entity;
}

}  // namespace

AskedEntry::AskedEntry(entity::rpc::Endpoint& endpoint, EntryRequest request, const EnterAt& where,
                       Entries::Ended ended)
    : endpoint_(endpoint),
      request_(std::move(request)),
      role_(where.least_loaded),
      process_(where.node),
      deadline_(bus::io::boot_now() + where.deadline),
      ended_(std::move(ended)) {}

void AskedEntry::begin() {
  role_.empty() ? ask() : choose();
}

milliseconds AskedEntry::time_left() const {
  const auto left = std::chrono::duration_cast<milliseconds>(deadline_ - bus::io::boot_now());
  return std::max(left, milliseconds(1));
}

void AskedEntry::choose() {
  CallOptions how;
  how.deadline = time_left();
  entity::rpc::call<&manager::ManagerService::least_loaded>(
      endpoint_, manager::kManagerChannel, how, role_,
      tried_)([self = shared_from_this()](const Reply<std::string, bus::Error>& process) {
    if (!process) return self->ended_(reason_of(process.error()));
    self->process_ = *process;
    self->ask();
  });
}

void AskedEntry::ask() {
  CallOptions how;
  how.deadline = time_left();
  entity::rpc::call<&EntryControl::enter>(endpoint_, entries_channel(process_), how, request_)(
      [self = shared_from_this()](const Reply<EntryReply, bus::Error>& reply) {
        self->ended(reply);
      });
}

void AskedEntry::ended(const Reply<EntryReply, bus::Error>& reply) {
  if (reply) {
    const bool absent = reply->how == Entrance::absent;
    return ended_(Entries::Outcome{nullptr, reply->how, absent ? reply->elsewhere : process_});
  }
  const bus::Error why = reason_of(reply.error());
  tried_.push_back(process_);
  if (!role_.empty() && is_gone(why) && tried_.size() < kEntryTries) return choose();
  ended_(bus::Error(why.code, process_ + ": " + why.detail));
}

}  // namespace starbus::nodes::entities
