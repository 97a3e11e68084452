/// All that the classes of a game include: entities, components, their properties, and calls.
///
///   #include "entity/entities.hpp"
///
/// Read entity/objects/entity.hpp first, then entity/properties/properties.hpp. What makes entities
/// and moves them in a node is nodes/hosting/entity_host.hpp; their classes need not include it.
#pragma once

#include "entity/objects/component_state.hpp"
#include "entity/objects/entity.hpp"
#include "entity/properties/properties.hpp"
#include "entity/rpc/rpc.hpp"
