#include "nodes/hosting/entering/entry_control.hpp"

#include <utility>

#include "bus/client/initiate_early.hpp"

namespace starbus::nodes::entities {

std::string entries_channel(std::string_view process) {
  return std::string("entities/").append(process);
}

EntryControl::EntryControl(Entries& entries, const entity::EntityFactory& types)
    : entries_(entries), types_(types) {}

EntryControl::~EntryControl() {
  close_rpc();
}

entity::rpc::Task<bus::Result<EntryReply>> EntryControl::enter(entity::rpc::Caller&,
                                                               EntryRequest request) {
  const entity::TypeInfo* const type = types_.find(request.type);
  if (type == nullptr) {
    const entity::EntityError error(entity::EntityErrc::unknown_type, request.type);
    co_return bus::Error(error);
  }
  Entries::Wanted wanted{type, std::move(request.name), std::move(request.persistent_id),
                         request.make};
  const auto begin = [this, &wanted](Entries::Ended ended) {
    entries_.enter(std::move(wanted), std::move(ended));
  };
  auto entering = bus::initiate_early<Entries::Outcome>(bus::Awaited(), begin);
  const bus::Result<Entries::Outcome> end = co_await std::move(entering);
  if (!end) co_return end.error();
  EntryReply reply;
  reply.how = end->how;
  reply.elsewhere = end->elsewhere;
  co_return reply;
}

}  // namespace starbus::nodes::entities
