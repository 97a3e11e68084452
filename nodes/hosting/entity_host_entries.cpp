// Entities that enter here for other processes, and in other processes for this one.
#include <spdlog/spdlog.h>

#include <boost/asio/post.hpp>
#include <memory>
#include <utility>

#include "bus/client/process_name.hpp"
#include "nodes/hosting/entity_host.hpp"

namespace starbus::nodes::entities {

/// A role that may not have the name is none where others make entities enter.
void EntityHost::open_entries(Done done) {
  const std::string channel = entries_channel(bus::process_name(context_.endpoint.bus()));
  context_.endpoint.bind(channel, entry_control_,
                         [channel, done = std::move(done)](const bus::Result<bus::Bound>& bound) {
                           if (bound) return done({});
                           if (bound.error() != bus::Errc::denied) return done(bound.error());
                           spdlog::warn(
                               "entities: no other process makes entities enter here: this role "
                               "may not bind {}; give it bind of entities/",
                               channel);
                           done({});
                         });
}

void EntityHost::enter_there(const entity::TypeInfo& type, EntryRequest request,
                             const EnterAt& where, Entries::Ended ended) {
  context_.thread.check();
  const std::string self = bus::process_name(context_.endpoint.bus());
  Entries::Wanted here{&type, request.name, request.persistent_id, request.make};
  if (where.node.empty() == where.least_loaded.empty()) {
    boost::asio::post(context_.endpoint.loop(), [ended = std::move(ended)] {
      ended(bus::Error(bus::Errc::bad_config, "enter_at: name a node, or a role"));
    });
    return;
  }
  if (where.node == self || context_.endpoint.bound_at(request.name) != nullptr) {
    return entries_.enter(std::move(here), std::move(ended));
  }
  const auto asked = std::make_shared<AskedEntry>(
      context_.endpoint, std::move(request), where,
      [this, weak = std::weak_ptr(context_.alive), self, here = std::move(here),
       ended = std::move(ended)](const bus::Result<Entries::Outcome>& end) {
        if (weak.expired()) return;
        if (!end || end->elsewhere != self) return ended(end);
        // It was to enter here after all.
        entries_.enter(here, [ended, how = end->how](bus::Result<Entries::Outcome> present) {
          if (present && how != Entrance::absent) present->how = how;
          ended(present);
        });
      });
  asked->begin();
}

}  // namespace starbus::nodes::entities
