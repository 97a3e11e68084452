// A node: a service that counts for others, and still knows its counts after a restart.
// docs/guide/nodes.md explains what it uses.
//
//   tally --config tally.toml        # while scripts/up runs: see tally.toml
//
// Others call it by name, wherever it runs:
//   rpc::call<&Tally::add>(endpoint, "service/tally", {}, "goblins", 3)
#include <algorithm>
#include <map>
#include <sstream>

#include "nodes/runtime/node.hpp"

namespace bus = starbus::bus;
namespace nodes = starbus::nodes;
namespace rpc = starbus::entity::rpc;
using namespace std::chrono_literals;

namespace {

class Tally final : public nodes::App, public rpc::Callable<Tally> {
 public:
  bus::Result<> start(nodes::Node& node) override {
    node_ = &node;
    node.before_ready("load", [this](nodes::Done done) { load(std::move(done)); });
    node.offer("service/tally", *this);
    node.on_drain("save", [this](nodes::Done done) { save(std::move(done)); });
    const auto saving = node.timers().every(timers_, 10s, 10s, starbus::entity::CatchUp::once,
                                            [this] { save([](const bus::Result<>&) {}); });
    return saving ? bus::Result<>() : bus::Result<>(bus::Errc::io_error);
  }
  std::string status() const override { return std::to_string(counts_.size()) + " counts"; }

  bus::Result<std::int64_t> add(rpc::Caller&, std::string what, std::int64_t number) {
    const auto control = [](unsigned char c) { return c < ' '; };
    if (what.empty() || std::ranges::any_of(what, control)) return bus::Errc::bad_name;
    if (counts_.size() == kMostCounts && !counts_.contains(what)) return bus::Errc::too_many_names;
    return counts_[what] += number;
  }
  std::int64_t total(rpc::Caller&, std::string what) {
    const auto found = counts_.find(what);
    return found == counts_.end() ? 0 : found->second;
  }
  static constexpr auto kRpc = rpc::methods<&Tally::add, &Tally::total>();

 private:
  static constexpr std::size_t kMostCounts = 10'000;

  // Reading and writing wait for a disk, so both happen on a worker; "disk" keeps their order. What
  // work throws is the error of its task.
  void load(nodes::Done done) {
    const auto submitted = node_->tasks().submit(
        "disk",
        [node = node_] {
          return node->process_context().state.read("counts").value().value_or("");
        },
        [this, done](const bus::Result<std::string>& read) {
          if (!read) return done(read.error());
          std::istringstream text(*read);
          counts_.clear();
          std::int64_t number = 0;
          for (std::string what; text >> number && std::getline(text >> std::ws, what);) {
            counts_[what] = number;
          }
          done({});
        });
    if (!submitted) done(submitted);
  }
  void save(nodes::Done done) {
    std::ostringstream text;
    for (const auto& [what, number] : counts_) text << number << ' ' << what << '\n';
    const auto submitted = node_->tasks().submit(
        "disk",
        [node = node_, text = text.str()] {
          node->process_context().state.write("counts", text).value();
        },
        [done](const bus::Result<>& written) { done(written); });
    if (!submitted) done(submitted);
  }

  nodes::Node* node_ = nullptr;
  std::map<std::string, std::int64_t> counts_;
  starbus::entity::TimerOwner timers_;
};

}  // namespace

int main(int argc, char** argv) {
  return nodes::run_node({.role = "tally", .version = "1.0", .description = "Counts for others."},
                         std::make_unique<Tally>(), argc, argv);
}
