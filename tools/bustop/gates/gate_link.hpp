/// Gates and logins of the whole cluster, asked over the bus, and announcements to their clients.
#pragma once

#include <string>
#include <vector>

#include "tools/bustop/node_link.hpp"

namespace starbus::bustop {

/// The gates that an announcement has reached.
struct Announced {
  std::size_t taken = 0;
  std::vector<std::string> failed;  // "NAME: why"
  std::string number;               // for heard_by()
};

class GateLink : public NodeLink {
 public:
  using NodeLink::NodeLink;

  /// Says an encoded call to all gates, once. denied: this role may not.
  bus::Result<Announced> announce(const std::string& group, const std::string& by,
                                  const std::string& call);
};

}  // namespace starbus::bustop
