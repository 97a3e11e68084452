#include "tools/terminal/json_text.hpp"

namespace starbus::bustop {

std::string dump(const OrderedJson& json, bool one_line) {
  return json.dump(one_line ? -1 : 2, ' ', true, OrderedJson::error_handler_t::replace) + "\n";
}

}  // namespace starbus::bustop
