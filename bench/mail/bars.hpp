// Bars: what starbus' mail must reach on the machine that it is measured on, beside JetStream or by
// itself.
#pragma once

#include "bench/harness/suite.hpp"

namespace starbus::bench::mail {

// Puts the bars of this case into its rows.
void add_bars(SuiteCase& one);

}  // namespace starbus::bench::mail
