// Colyseus: the same crowd in a room of it (colyseus/field.cjs), walked by colyseus/walk.js.
#pragma once

#include "bench/harness/figures.hpp"
#include "bench/harness/result.hpp"
#include "bench/space/options.hpp"

namespace starbus::bench::space {

// As run_walk (runs.hpp). `views`: each client has a StateView with whom it sees; else each is told
// the whole state.
Result<Metrics> walk_in_room(bool views, const Crowd& crowd, const Options& options);

}  // namespace starbus::bench::space
