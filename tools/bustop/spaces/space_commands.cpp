#include "tools/bustop/spaces/space_commands.hpp"

#include <ostream>

#include "nodes/space/ports.hpp"
#include "tools/bustop/bus_trouble.hpp"
#include "tools/bustop/commands.hpp"
#include "tools/bustop/node_link.hpp"
#include "tools/bustop/spaces/space_view.hpp"

namespace starbus::bustop {

int run_spaces(const ManagerContext& context, const SpacesQuery& query) {
  const Cures cures{
      .no_owner = "start starbus-spaces on some host, and a manager; bustop cluster shows both",
      .denied = kAskingCure};
  NodeLink link(context.busd, context.role, context.timeout);
  if (const auto connected = link.connect(); !connected) {
    return say(context, connected.error(), cures);
  }
  const auto service = link.owner_of(std::string(nodes::space::kSpaceService));
  if (!service) {
    const int code = say(context, service.error(), cures);
    return service.error() == bus::Errc::no_owner ? kExitNotFound : code;
  }
  const auto list = list_spaces(*service, link.looker(), query);
  if (!list) return say(context, list.error(), cures);
  context.out << (context.json ? dump(json_of_spaces(*list))
                               : render_spaces(*list, query, context.look));
  return list->notes.empty() ? kExitOk : kExitBad;
}

}  // namespace starbus::bustop
