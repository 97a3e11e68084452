#pragma once

#include <functional>
#include <string>

#include "nodes/db/service/engine.hpp"
#include "nodes/db/service/intake.hpp"
#include "nodes/runtime/node.hpp"

namespace starbus::nodes::db {

/// The figures of a db node: of its engine and of its intake.
struct DbFigures {
  EngineFigures engine;
  IntakeFigures intake;
};

/// starbus_db_* metrics, and `/db` of the admin server. `figures` is asked on the loop, until the
/// node ends. Returns what takes the time of each commit; its histograms belong to the metrics.
storage::MeasuredStore::Measured add_db_admin(Node& node, const std::string& database,
                                              std::function<DbFigures()> figures);

}  // namespace starbus::nodes::db
