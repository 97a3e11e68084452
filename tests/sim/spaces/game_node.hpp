/// A simulated process of the game: the client library, RPC and a wheel of timers of the product,
/// over the simulator's time and network. What it is for derives from this. One thread.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "bus/client/bus.hpp"
#include "entity/rpc/rpc.hpp"
#include "tests/sim/entities/wheel_node.hpp"

namespace starbus::sim {

namespace rpc = entity::rpc;

/// What each program has. Ends with it.
struct GameProgram {
  GameProgram(WheelNode& node, boost::asio::io_context& loop);
  virtual ~GameProgram() = default;
  GameProgram(const GameProgram&) = delete;
  GameProgram& operator=(const GameProgram&) = delete;

  bus::Bus bus;
  rpc::Endpoint endpoint{bus};
  entity::TimerWheel wheel;
  entity::TimerOwner timers;
  bool ready = false;                                          // it has its names
  std::shared_ptr<bool> lease = std::make_shared<bool>(true);  // another one after its loss
};

class GameNode : public WheelNode {
 public:
  using WheelNode::WheelNode;

  bool ready() const { return up() && program_->ready; }
  /// "HOST.NODE".
  const std::string& process() const { return name(); }
  /// It acts: it is not stopped, nor was it a moment ago.
  bool acts() const { return up() && !paused() && !stands_still(); }
  /// Another one after each start, and after each lost lease.
  std::string life() const {
    return name() + "/" + std::to_string(pid()) + "/" + std::to_string(leases_lost_);
  }
  std::uint64_t leases_lost() const { return leases_lost_; }
  // While it is up:
  rpc::Endpoint& endpoint() { return program_->endpoint; }
  entity::TimerWheel& wheel() { return program_->wheel; }

 protected:
  using Opened = std::function<void(const bus::Result<>&)>;
  virtual std::unique_ptr<GameProgram> make(boost::asio::io_context& loop) = 0;
  /// Takes its names; it is connected. At the start, after the lease was lost, and again if that
  /// fails.
  virtual void open(Opened opened) = 0;
  /// The lease is lost, and all names with it.
  virtual void lose() = 0;
  /// Its program was killed, or ends: before that goes.
  virtual void ends() {}
  /// `then`, unless this program, or its lease, has ended by then.
  template <class Then>
  auto still(Then then) {
    return [weak = std::weak_ptr(program_->lease), then = std::move(then)](auto&&... with) {
      if (!weak.expired()) then(std::forward<decltype(with)>(with)...);
    };
  }
  GameProgram* program() { return program_.get(); }

 private:
  void begin(boost::asio::io_context& loop) final;
  void end(std::unique_ptr<boost::asio::io_context> loop) final;
  void try_open();
  void refused(const bus::Error& reason);

  std::unique_ptr<GameProgram> program_;
  std::uint64_t leases_lost_ = 0;
};

}  // namespace starbus::sim
