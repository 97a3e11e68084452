#pragma once

namespace starbus::daemon {

/// Raises the limit of open files, which a shell sets to 1024, to the maximum that the system
/// allows this process: a daemon has a socket per link and, with mail, the tables of its store.
/// Call it once, at the start. The metric process_max_fds shows the result.
void allow_all_files();

}  // namespace starbus::daemon
