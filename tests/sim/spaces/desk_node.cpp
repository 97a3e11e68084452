#include "tests/sim/spaces/desk_node.hpp"

#include <sstream>

#include "tests/sim/spaces/space_node.hpp"

namespace starbus::sim {

using std::chrono::milliseconds;
namespace sessions = entity::sessions;
namespace service = nodes::service;

// --- the service of spaces -----------------------------------------------------------------------

OfficeNode::Program::Program(OfficeNode& node, boost::asio::io_context& loop)
    : GameProgram(node, loop), host(endpoint, wheel, {}) {
  desk.types = node.scene_.types;
  const auto added =
      host.add<space::SpaceService>("space", {}, [this](service::Instance& instance) {
        return std::make_unique<space::SpaceService>(instance, endpoint, wheel, desk);
      });
  node.scene_.oracle.demand(added.has_value(), "the service of spaces is refused");
}

OfficeNode::~OfficeNode() {
  if (up()) on_crash();
}

std::unique_ptr<GameProgram> OfficeNode::make(boost::asio::io_context& loop) {
  return std::make_unique<Program>(*this, loop);
}

/// As the order of a manager.
void OfficeNode::open(Opened opened) {
  mine().host.open();
  rpc::Caller nobody;
  const auto placed =
      mine().host.order(nobody, {1, {{service::Action::Kind::place, {"space", 1, 0}}}});
  opened(placed ? bus::Result<>() : bus::Result<>(placed.error()));
}

void OfficeNode::lose() {
  mine().host.lose_all();
}

const space::Registry* OfficeNode::registry() {
  if (!ready() || mine().desk.service == nullptr) return nullptr;
  const auto rows = mine().host.describe().instances;
  const bool serves = !rows.empty() && rows.front().state == service::InstanceState::serving;
  return serves ? mine().desk.service->registry() : nullptr;
}

// --- accounts ------------------------------------------------------------------------------------

bus::Bytes write_ticket(std::uint64_t login, const sessions::SessionId& session,
                        const std::string& gate) {
  std::ostringstream text;
  text << login << ' ' << session.high << ' ' << session.low << ' ' << gate;
  const std::string all = text.str();
  const bus::ByteView bytes = bus::as_bytes(all);
  return {bytes.begin(), bytes.end()};
}

std::optional<players::TicketSeen> read_ticket(bus::ByteView bytes) {
  std::istringstream in{std::string(bus::as_text(bytes))};
  players::TicketSeen seen;
  in >> seen.login >> seen.session.high >> seen.session.low >> seen.gate;
  seen.reentry = !seen.session;
  if (seen.login == 0) return std::nullopt;
  return seen;
}

DeskNode::Program::Program(DeskNode& node, boost::asio::io_context& loop)
    : GameProgram(node, loop),
      shelf(loop, node.scene_.documents),
      saver(shelf, checked_out(bus)),
      entities(endpoint, wheel, node.node(), node.entity_options(*this)),
      loader(players::load_account_here<Person>(entities)),
      calls(endpoint) {
  around.times = node.scene_.times;
  around.ticket = [](const std::string&, bus::ByteView bytes) { return read_ticket(bytes); };
  around.load = [this, &scene = node.scene_](const std::string& channel,
                                             players::AccountWorld::Loaded done) {
    const std::string home = scene.home();
    if (home.empty()) return done(false);
    nodes::entities::EnterAt where;
    where.node = home;
    where.deadline = milliseconds(10'000);
    entities.enter_at<Hero>(
        channel, where,
        [&scene, channel,
         done = std::move(done)](const bus::Result<nodes::entities::Entered<Hero>>& in) {
          scene.world.note(channel, [&] { return in ? "is there" : in.error().to_string(); });
          done(in.has_value());
        });
  };
  entities.world().add(around);
  entities.declare<Person>({.save_when = nodes::entities::SaveWhen::at_end});
}

nodes::entities::HostOptions DeskNode::entity_options(Program& made) {
  nodes::entities::HostOptions how;
  how.draw = scene_.draw_id();
  how.cluster_clock = [this] { return machine_time(); };
  how.take_in = {"account/"};
  how.save = made.saver.store();
  how.load = made.saver.loader();
  how.notices.clear();
  how.tick = milliseconds(50);
  return how;
}

DeskNode::~DeskNode() {
  if (up()) on_crash();
}

std::unique_ptr<GameProgram> DeskNode::make(boost::asio::io_context& loop) {
  return std::make_unique<Program>(*this, loop);
}

void DeskNode::open(Opened opened) {
  const auto listed = still([this, opened](const bus::Result<bus::Bound>& bound) {
    if (!bound) return opened(bound.error());
    endpoint().bind("service/market", mine().market,
                    still([opened](const bus::Result<bus::Bound>& shop) {
                      opened(shop ? bus::Result<>() : bus::Result<>(shop.error()));
                    }));
  });
  endpoint().bind(std::string(players::kAccountService), mine().loader, listed);
}

void DeskNode::lose() {
  mine().entities.lose_all();
}

void DeskNode::prove(const std::string& account, std::function<void(std::uint64_t)> drawn) {
  if (!ready()) return drawn(0);
  run([&] {
    mine().calls.ask(account, sessions::Prove{}, milliseconds(2'000),
                     still([this, account, drawn](const rpc::Result<std::string>& reply) {
                       const auto answer =
                           reply ? sessions::decode_account_answer(bus::as_bytes(*reply)).value()
                                 : sessions::AccountAnswer{};
                       if (answer.login == 0) mine().calls.load(account);
                       drawn(answer.login);
                     }));
  });
}

}  // namespace starbus::sim
