// Entities that leave and arrive.
#include "tests/sim/users/application.hpp"
#include "tests/sim/users/message_body.hpp"
#include "tests/sim/world.hpp"

namespace starbus::sim {
namespace {

/// What travels: the state of the entity and, for the oracle's eyes, what waits in its outbox.
bus::Bytes pack(const Application::Copy& copy) {
  bus::Bytes bytes;
  bus::Writer writer(bytes);
  writer.put(copy.state.handled);
  writer.put(copy.state.digest);
  for (const auto& [lane, id] : copy.outbox) {
    writer.put(static_cast<std::uint8_t>(lane));
    writer.put(id);
  }
  return bytes;
}

void unpack(bus::ByteView bytes, Application::Copy& copy) {
  bus::Reader reader(bytes);
  copy.state.handled = reader.get<std::uint64_t>();
  copy.state.digest = reader.get<std::uint64_t>();
  while (!reader.empty()) {
    const auto lane = static_cast<bus::Lane>(reader.get<std::uint8_t>());
    copy.outbox.emplace_back(lane, reader.get<std::uint64_t>());
  }
}

}  // namespace

bool Application::move(NameIndex name, const bus::Process& target) {
  const bool others_move = world_.anything_moves();
  note_outbox_progress();
  if (!node_.core().move(world_.name(name).id, target)) return false;
  copies_.at(world_.name(name).id).moving = true;
  ++world_.counts[Event::moves];
  if (others_move) ++world_.counts[Event::crossed_moves];
  world_.note(where(), [&] {
    return "moves " + world_.name(name).text + " to " + world_.name_process(target);
  });
  node_.pump_soon();
  return true;
}

bus::Bytes Application::on_freeze(bus::BindingId binding) {
  note_outbox_progress();
  Copy& copy = *copy_of_binding(binding);
  copy.frozen = true;
  system_seq_ = known_[static_cast<std::size_t>(bus::Lane::bulk)];
  world_.oracle.check_state(copy.name, copy.life, copy.state, where());
  return pack(copy);
}

void Application::on_moved(bus::BindingId binding) {
  note_outbox_progress();
  const Copy& copy = *copy_of_binding(binding);
  ++world_.counts[Event::moved];
  world_.note(where(), "has moved " + world_.name(copy.name).text);
  owned_.erase(copy.name);
  bindings_.erase(binding);
  copies_.erase(world_.name(copy.name).id);
}

void Application::on_move_failed(bus::BindingId binding, bus::Epoch epoch, const bus::Error& why) {
  note_outbox_progress();
  Copy& copy = *copy_of_binding(binding);
  world_.note(where(), "keeps " + world_.name(copy.name).text + " at " + epoch.to_string() + ": " +
                           why.to_string());
  copy.moving = false;
  if (copy.frozen) {  // it hears of it a moment later
    node_.after(world_.random.micros(0, 3'000),
                [this, id = world_.name(copy.name).id, binding, epoch,
                 again = why == bus::Errc::rolled_back] { goes_on(id, binding, epoch, again); });
  }
  if (why == bus::Errc::busy) ++world_.counts[Event::moves_busy];
  if (why == bus::Errc::move_refused) ++world_.counts[Event::moves_refused];
  if (why != bus::Errc::rolled_back) return;
  ++world_.counts[Event::rolled_back];
  if (world_.oracle.disturbances() == 0) {
    throw Violation(world_.name(copy.name).text + " was rolled back, and nobody died");
  }
  note_stay(copy.name);
  copy.outbox.clear();  // its messages ended owner_lost: the target may have sent them
}

void Application::goes_on(const bus::ChannelId& channel, bus::BindingId binding, bus::Epoch epoch,
                          bool rolled_back) {
  const auto found = copies_.find(channel);
  if (found == copies_.end() || found->second.binding != binding) return;
  Copy& copy = found->second;
  note_outbox_progress();
  copy.frozen = false;
  node_.core().go_on(channel, epoch);
  node_.pump_soon();
  if (!rolled_back) return;
  copy.life = node_.core().owner().lineage(channel).value;
  world_.oracle.begin_life(copy.name, copy.life, copy.state);
}

bus::Result<> Application::on_arriving(const std::string& name, const bus::Process&,
                                       bus::ByteView) {
  note_outbox_progress();
  if (!world_.random.chance(refuse_arrivals)) return {};
  world_.note(where(), "refuses " + name);
  ++world_.counts[Event::moves_unwanted];
  system_seq_ = known_[static_cast<std::size_t>(bus::Lane::bulk)];
  return bus::Error{bus::Errc::move_refused, "not wanted"};
}

void Application::on_arrived(bus::BindingId binding, const std::string& text, bus::Epoch epoch,
                             bus::Bytes state) {
  note_outbox_progress();
  const NameIndex name = *world_.find_name(bus::channel_id(text));
  world_.note(where(), "takes over " + text + " at " + epoch.to_string());
  bindings_[binding] = name;
  owned_.insert(name);
  note_stay(name);
  Copy& copy = copies_[world_.name(name).id];
  copy = {.name = name,
          .binding = binding,
          .life = node_.core().owner().lineage(world_.name(name).id).value};
  unpack(state, copy);
  world_.oracle.check_state(name, copy.life, copy.state, where());
}

}  // namespace starbus::sim
