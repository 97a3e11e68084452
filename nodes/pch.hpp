/// What nearly every file of a game includes, to be compiled once for all of them:
/// starbus_precompile() of the installed package. A file still includes what it uses.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "entity/objects/component_state.hpp"
#include "entity/objects/entity_manager.hpp"
#include "entity/properties/properties.hpp"
#include "entity/rpc/spawn_result.hpp"
#include "nodes/hosting/entity_host.hpp"
#include "nodes/replica/mirror.hpp"
#include "nodes/runtime/node.hpp"
#include "nodes/service/partitions.hpp"
#include "nodes/service/service_app.hpp"
