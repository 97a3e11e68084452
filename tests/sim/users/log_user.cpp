#include "tests/sim/users/log_user.hpp"

#include "tests/sim/world.hpp"

namespace starbus::sim {

using bus::Errc;

LogUser::LogUser(World& world, ProcessNode& node, Say say)
    : world_(world), node_(node), say_(std::move(say)), next_token_(world.new_tokens()) {}

void LogUser::begin() {
  for (const std::string& log : world_.logs()) {
    if (!followed_.contains(log)) begin(log);
  }
}

void LogUser::begin(const std::string& log) {
  Following& following = followed_[log];
  if (following.reader) following.reader->close({Errc::closed, log});
  following.joins = world_.random.chance(joining);
  following.since = world_.log_oracle.last(log);
  bus::MailReader::Settings settings;
  settings.target = bus::PostTarget::log;
  settings.name = log;
  settings.after = following.joins ? 0 : world_.log_oracle.cursor(node_.name(), log);
  settings.from_end = following.joins;
  settings.window = draw_window(world_.random);
  following.reader = std::make_unique<bus::MailReader>(std::move(settings), say_,
                                                       [this] { return next_token_++; });
  tell_store(node_, *following.reader, world_.now());
}

void LogUser::stores_changed() {
  for (auto& [log, following] : followed_) tell_store(node_, *following.reader, world_.now());
}

void LogUser::on_mail(const bus::Process& from, const MailSaid& said) {
  for (auto& [log, following] : followed_) {
    bus::MailReader& reader = *following.reader;
    hear(reader, from, said, world_.now());
    if (reader.failure() != Errc::ok) {
      throw Violation(node_.name() + ": " + log + " ended: " + reader.failure().to_string());
    }
    if (!following.joins || !reader.opened()) continue;
    following.joins = false;
    world_.log_oracle.join(node_.name(), log, following.since, reader.position());
  }
}

void LogUser::on_lost(const bus::ChannelId& process) {
  for (auto& [log, following] : followed_) following.reader->lost(process, world_.now());
}

void LogUser::lease_lost() {
  for (auto& [log, following] : followed_) following.reader->store_is({}, {}, world_.now());
}

void LogUser::tick() {
  for (auto& [log, following] : followed_) {
    if (world_.random.chance(restlessness)) begin(log);
    // After a lease was lost no row need have changed.
    if (!following.reader->serving()) tell_store(node_, *following.reader, world_.now());
    following.reader->tick(world_.now());
    read(log, following);
  }
}

void LogUser::read(const std::string& log, Following& following) {
  while (world_.random.chance(diligence)) {
    const auto item = following.reader->take();
    if (!item) break;
    if (item->status != Errc::ok) throw Violation(log + ": a damaged message");
    bus::Reader body(item->body);
    const auto post = body.get<std::uint64_t>();
    const std::uint64_t missed = world_.log_oracle.read(node_.name(), log, item->number, post);
    ++world_.counts[Event::log_read];
    if (missed != 0) ++world_.counts[Event::log_jumps];
  }
}

bool LogUser::at_end(const std::string& log, std::uint64_t last) const {
  const auto found = followed_.find(log);
  if (found == followed_.end()) return false;
  const Following& following = found->second;
  return following.reader->serving() && !following.joins && following.reader->position() == last;
}

}  // namespace starbus::sim
