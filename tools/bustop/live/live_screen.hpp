/// The live view on the real terminal: connects LiveView, LiveFetcher, Terminal and signals.
#pragma once

#include "tools/bustop/commands.hpp"

namespace starbus::bustop {

/// Runs until the user quits (0), a signal ends it (128 + signal), or there is no terminal (usage).
int run_live(const Context& context, std::chrono::milliseconds interval);

}  // namespace starbus::bustop
