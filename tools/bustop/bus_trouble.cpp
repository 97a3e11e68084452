#include "tools/bustop/bus_trouble.hpp"

#include <ostream>
#include <string>

#include "tools/bustop/commands.hpp"
#include "tools/bustop/manager_link.hpp"
#include "tools/bustop/render.hpp"
#include "tools/terminal/text.hpp"

namespace starbus::bustop {

int say(const ManagerContext& context, const bus::Error& error, const Cures& cures) {
  context.err << "bustop: " << printable(error.to_string()) << "\n";
  const bool unreachable = error == bus::Errc::unreachable;
  std::string cure(unreachable                    ? kUnreachableCure
                   : error == bus::Errc::no_owner ? cures.no_owner
                   : error == bus::Errc::denied   ? cures.denied
                                                  : std::string_view());
  if (cure.empty()) cure = cure_of(std::string(bus::name_of(error.code)));
  if (!cure.empty()) context.err << "  -> " << cure << "\n";
  return unreachable ? kExitUnreachable : kExitFailed;
}

}  // namespace starbus::bustop
