/// The role `gate`: the program that clients reach. docs/operate/gate.md.
///
///   int main(int argc, char** argv) {
///     return nodes::run_node({.role = "gate", .version = "1.0"},
///                            std::make_unique<nodes::gate::GateApp>(nodes::programs::cluster_ports),
///                            argc, argv);
///   }
///
/// Its keys are of `[gate]`. Belongs to the loop's thread.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "nodes/gate/node/gate.hpp"
#include "nodes/runtime/node.hpp"

namespace starbus::nodes::gate {

class GateApp : public App {
 public:
  /// How accounts and logins are reached: called in start(), where the node is known.
  using MakePorts = std::function<Ports(Node& node)>;

  /// `schema`: the hash of what this build's clients are written from; 0: not known.
  explicit GateApp(MakePorts make_ports, std::uint64_t schema = 0);
  ~GateApp() override;

  void configure(daemon::ConfigReader& reader) override;
  bus::Result<> start(Node& node) override;
  bus::Result<> reload() override;
  std::string status() const override;

  /// From start() on.
  Gate& gate() { return *gate_; }

 private:
  MakePorts make_ports_;
  const std::uint64_t schema_;
  GateSettings fresh_;  // as configure() read them
  std::unique_ptr<Gate> gate_;
};

}  // namespace starbus::nodes::gate
