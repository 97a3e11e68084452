#include "clients/cpp/values.hpp"

namespace starbus::game {

std::size_t ValueReader::elements() {
  const std::size_t count = this->count(elements_);
  elements_ -= count;
  return count;
}

}  // namespace starbus::game
