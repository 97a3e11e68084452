#include "entity/archive/error.hpp"

namespace starbus::entity {

std::string_view meaning_of(DataErrc code) {
  const ErrorInfo* const info = info_of(code);
  return info == nullptr ? std::string_view() : info->meaning;
}

}  // namespace starbus::entity
