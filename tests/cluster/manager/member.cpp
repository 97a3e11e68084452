#include "tests/cluster/manager/member.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <sstream>
#include <thread>

namespace starbus::cluster_test {

using namespace std::chrono_literals;

void Member::configure(daemon::ConfigReader& reader) {
  offer_ = reader.string("offer", "");
  loads_ = reader.strings("loads");
  saves_to_ = reader.string("saves_to", "");
  save_takes_ = reader.duration("save_takes", 0ms);
  notes_ = reader.string("notes", "");
  drain_never_ = reader.boolean("drain_never", false);
}

bus::Result<> Member::start(nodes::Node& node) {
  node_ = &node;
  if (!offer_.empty()) node.offer(offer_, *this);
  // Runs last, of the drain.
  node.on_drain("note it", [this](const nodes::Done& done) {
    note("saved");
    if (!drain_never_) done({});
  });
  node.on_drain("save", [this](const nodes::Done& done) { save(done); });
  node.on_state([this](nodes::NodeState state) {
    if (state != nodes::NodeState::draining) return;
    draining_ = true;
    note("drains");
  });
  if (loads_.empty()) return {};
  const auto set =
      node.timers().every(timers_, 5ms, 5ms, entity::CatchUp::once, [this] { load(); });
  return set ? bus::Result<>() : bus::Result<>(bus::Errc::io_error);
}

void Member::put(rpc::Caller&, std::string key, std::uint64_t number) {
  // The larger one: two instances of a service may have had numbers of one gate, one after the
  // other.
  std::uint64_t& kept = numbers_[key];
  kept = std::max(kept, number);
}

/// One number at a time to each, larger by one than the one that was taken.
void Member::load() {
  if (draining_ || node_->state() != nodes::NodeState::ready) return;
  for (const std::string& target : loads_) {
    const std::string key = node_->name() + "/" + target;
    if (written_[key] > numbers_[key]) continue;
    const std::uint64_t number = ++written_[key];
    rpc::call<&Member::put>(node_->rpc(), target, {.deadline = 500ms, .owner = this}, key,
                            number)([this, key, number](const rpc::Reply<>& taken) {
      if (taken) {
        numbers_[key] = number;
      } else {
        --written_[key];
      }
    });
  }
}

void Member::save(const nodes::Done& done) {
  const auto saved = [this, done](const bus::Result<>& result) {
    if (!result) return done(result);
    const auto set = node_->timers().after(timers_, save_takes_, [done] { done({}); });
    if (!set) done(bus::Errc::io_error);
  };
  saves_to_.empty() ? write_file(saved) : save_elsewhere(saved);
}

void Member::save_elsewhere(const nodes::Done& done) {
  saving_ = numbers_.size();
  if (saving_ == 0) return done({});
  for (const auto& [key, number] : numbers_) {
    rpc::call<&Member::put>(node_->rpc(), saves_to_, {.owner = this}, key,
                            number)([this, done](const rpc::Reply<>& taken) {
      if (!taken) note("could not save");
      if (--saving_ == 0) done({});
    });
  }
}

void Member::write_file(const nodes::Done& done) {
  std::ostringstream text;
  for (const auto& [key, number] : numbers_) text << key << ' ' << number << '\n';
  const auto submitted = node_->tasks().submit(
      "disk",
      [node = node_, text = text.str()] {
        node->process_context().state.write("numbers", text).value();
      },
      [done](const bus::Result<>& written) { done(written); });
  if (!submitted) done(submitted);
}

/// One write to a file that all append to, so the lines of processes are in the order of time.
void Member::note(const std::string& what) const {
  if (notes_.empty()) return;
  const std::string line = what + " " + node_->role() + " " + node_->name() + "\n";
  const int file = open(notes_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0) return;
  [[maybe_unused]] const auto written = write(file, line.data(), line.size());
  close(file);
}

}  // namespace starbus::cluster_test
