#pragma once

namespace starbus::bus::daemon {

/// Raises the number of files that this process may have open, which a shell sets to 1024, to what
/// the system allows it: a daemon has a socket per link and, with mail, the tables of its store. To
/// be called once, at the start. The metric process_max_fds shows what came of it.
void allow_all_files();

}  // namespace starbus::bus::daemon
