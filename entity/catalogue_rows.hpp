/// How the tables of catalogue.hpp are made of a part's lists: each list is given one of these, for
/// the initializer of a std::array. Of the files that define the tables.
#pragma once

#include <array>

#include "entity/catalogue.hpp"

#define STARBUS_LIMIT_ROW(constant, value, unit, reason, reached) \
  ::starbus::entity::LimitInfo{#constant, constant, unit, reason, reached},
