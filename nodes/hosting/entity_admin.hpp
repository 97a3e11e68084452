/// The view of an EntityHost for operators: /entities, and the metrics starbus_entities_...
///
/// Belongs to the loop's thread. Only reads; the parts that it shows outlive it and the node.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "daemon/admin/admin_http.hpp"
#include "nodes/hosting/client_links.hpp"
#include "nodes/hosting/departures.hpp"
#include "nodes/hosting/entity_saver.hpp"
#include "nodes/hosting/entity_sync.hpp"
#include "nodes/hosting/host_context.hpp"
#include "nodes/hosting/published_names.hpp"
#include "nodes/runtime/node.hpp"

namespace starbus::nodes::entities {

class EntityAdmin {
 public:
  struct Parts {
    const HostContext& context;
    const entity::EntityFactory& types;
    const PublishedNames& names;
    const Departures& departures;
    const EntitySync& sync;
    const EntitySaver& saver;
    const EntityMail& mail;
    const EntityNotices& notices;
    const ClientLinks& clients;
    std::function<std::string()> waits_for;
  };
  explicit EntityAdmin(Parts parts) : parts_(std::move(parts)) {}

  /// Registers the route and the metrics with a node.
  void add_to(Node& node);
  /// Adds what the parts know about an entity to its description.
  void describe(const entity::Entity& entity, nlohmann::ordered_json& shown) const;

 private:
  entity::Entity* find(const std::string& name) const;
  daemon::Response show_one(const std::string& name) const;
  daemon::Response show_page(const daemon::Request& request) const;
  daemon::Response show_busiest(const daemon::Request& request) const;
  daemon::Response show_all() const;
  void add_type_metrics(daemon::Metrics& metrics) const;
  void add_counters(daemon::Metrics& metrics) const;
  void add_mail_metrics(daemon::Metrics& metrics) const;

  const Parts parts_;
};

}  // namespace starbus::nodes::entities
