#include "nodes/runtime/load/work_name.hpp"

#include <boost/core/demangle.hpp>

#include "nodes/runtime/node_limits.hpp"

namespace starbus::nodes {

std::string WorkName::text() const {
  std::string text = literal_ != nullptr ? literal_ : boost::core::demangle(type_->name());
  if (text.size() > kMaxSourceName) text.resize(kMaxSourceName);
  return text;
}

}  // namespace starbus::nodes
