// Bars: what starbus' mail must reach on the machine that it is measured on, beside JetStream or by
// itself; --check says of each whether it did.
#pragma once

#include <string>
#include <vector>

#include "bench/mail/report.hpp"

namespace starbus::bench::mail {

// A line for each bar of the rows that were measured: figure, bar, met or not. False: some was not
// met, or its figure is missing.
bool check_bars(const Report& report, const std::vector<Row>& rows, std::string& text);

}  // namespace starbus::bench::mail
