#include "busroot/log_source.hpp"

namespace starbus::busroot {

LogSource log_source(std::string_view text) {
  constexpr std::string_view kHost = "host ";
  if (text.starts_with(kHost)) {
    text.remove_prefix(kHost.size());
    return {text.substr(0, text.find(':'))};
  }
  const std::string_view first = text.substr(0, text.find(' '));
  const std::size_t colon = first.rfind(':');
  // An address ends with its port; a name may be followed by a colon.
  if (colon != std::string_view::npos && colon + 1 < first.size()) return {first, true};
  return {first.substr(0, first.find_first_of(".:"))};
}

}  // namespace starbus::busroot
