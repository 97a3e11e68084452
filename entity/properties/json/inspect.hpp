/// Include this to inspect properties: Root::to_json, get and set return and take JSON, which the
/// headers that declare properties only forward-declare.
#pragma once

#include <nlohmann/json.hpp>

#include "entity/properties/root.hpp"
