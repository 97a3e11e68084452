/// Nodes (docs/guide/nodes.md) as processes of a test's cluster.
#pragma once

#include <memory>
#include <string>

#include "tests/cluster/cluster_harness.hpp"

namespace starbus::cluster_test {

/// Not started. `keys` are of its configuration file; `role` is for programs that take it from
/// $PROBE_ROLE, since each test has roles of its own. `launcher`: a command that runs it, such as
/// taskset; may be empty.
inline std::unique_ptr<Daemon> node_process(const Cluster& cluster, const std::string& program_name,
                                            const std::string& host, const std::string& name,
                                            const std::string& role, const std::string& keys,
                                            std::vector<std::string> launcher = {}) {
  launcher.insert(launcher.end(), {"/usr/bin/env", "PROBE_ROLE=" + role});
  auto made =
      std::make_unique<Daemon>(program(program_name), name, cluster.folder(), std::move(launcher));
  made->configure("node = '" + name + "'\nstate_directory = '" + made->state_folder().string() +
                  "'\n" + keys + "\n[bus]\nendpoint = '" + cluster.endpoint(host) + "'\n");
  return made;
}

}  // namespace starbus::cluster_test
