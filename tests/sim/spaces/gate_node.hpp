/// A simulated gate: the GateCore and the BusSide of the product. Its connections with clients are
/// those of this file: two streams of frames, each with a delay, until one end closes or the
/// network breaks. The login behind it believes everybody. One thread.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "nodes/gate/core/gate_core.hpp"
#include "nodes/gate/node/bus_side.hpp"
#include "nodes/players/account_calls.hpp"
#include "tests/sim/spaces/desk_node.hpp"
#include "tests/sim/spaces/game_node.hpp"
#include "tests/sim/spaces/scene.hpp"

namespace starbus::sim {

namespace gates = nodes::gate;
class GateNode;

/// The end of a connection at the client.
class Device {
 public:
  virtual void received(bus::ByteView frame) = 0;
  /// The connection is lost, or was closed.
  virtual void cut_off() = 0;

 protected:
  ~Device() = default;
};

/// A connection; in order, each way.
struct Wire {
  Device* device = nullptr;
  GateNode* gate = nullptr;
  gates::ConnectionId number = 0;
  bool open = true;   // frames of the gate arrive at the device
  Time up{}, down{};  // when the latest frames arrive
};

class GateNode final : public GameNode, private gates::CoreDriver, private gates::KeySource {
 public:
  GateNode(Scene& scene, HostNode& host, std::string node, DeskNode& desk)
      : GameNode(scene.world, host, std::move(node)), scene_(scene), desk_(desk) {}
  ~GateNode() override;

  /// As clients use it.
  std::string address() const { return process() + ":1"; }
  /// A client connects; null: nobody listens.
  std::shared_ptr<Wire> connect(Device& device);
  void send(const std::shared_ptr<Wire>& wire, bus::Bytes frame);
  /// The client closes it, or the network does: what is under way is lost.
  void cut(const std::shared_ptr<Wire>& wire);
  /// Sends all sessions to another gate, then the program ends, and another one starts.
  void drain(const GateNode& to, Time pause);
  bool draining() const { return draining_; }
  /// A login has not answered yet, or a client has gone and the gate has not heard so: such a
  /// client can still take over its own session, which goes on elsewhere by now.
  bool lets_in();

  // While it is up:
  gates::GateCore& core() override { return *mine().core; }

 private:
  struct Program final : GameProgram {
    Program(GateNode& node, boost::asio::io_context& loop);
    players::AccountCalls accounts;
    gates::BusSide cluster;
    std::optional<gates::GateCore> core;
    bool watching = false;
    std::map<std::uint64_t, int> logins;  // questions that are open
  };
  std::unique_ptr<GameProgram> make(boost::asio::io_context& loop) override;
  void open(Opened opened) override;
  void lose() override;
  void ends() override;
  Program& mine() { return static_cast<Program&>(*program()); }
  gates::AccountPort accounts();

  // CoreDriver, KeySource
  void settle() override;
  bool is_full() const override { return false; }
  gates::Key key() override { return {draw(), draw()}; }

  gates::GateId self();
  void begin_core();
  void tick();
  void take(gates::ConnectionId connection, bus::ByteView frame);
  void carry_out(gates::Effect& effect);
  void ask_login(std::uint64_t question, const gates::LoginAsk& ask);
  void put(gates::ConnectionId connection, const gates::ToClient& frame);
  void hang_up(gates::ConnectionId connection);
  /// `delay` 0: after what was sent before.
  void deliver(const std::shared_ptr<Wire>& wire, std::function<void(Device&)> what);

  Scene& scene_;
  DeskNode& desk_;
  bool settling_ = false;
  bool draining_ = false;
  std::map<gates::ConnectionId, std::shared_ptr<Wire>> wires_;
  gates::ConnectionId connections_ = 0;
};

}  // namespace starbus::sim
