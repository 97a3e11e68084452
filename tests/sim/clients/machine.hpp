/// What the client library asks of its machine: the time, chance, and a link with busd. The headers
/// in substitutes/ take the place of those of bus/io, and lead here, when the library is compiled
/// for the simulator. One thread.
#pragma once

#include <algorithm>
#include <boost/asio/error.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "bus/core/lanes.hpp"
#include "bus/io/link.hpp"

namespace starbus::sim {

using bus::Time;

class Machine {
 public:
  using OnLink = std::function<void(std::shared_ptr<bus::io::Link>)>;

  /// That of the client which runs now; std::logic_error if none does.
  static Machine& present();
  static bool any_present() { return present_ != nullptr; }
  /// Makes a machine the present one for its own life.
  class Scope {
   public:
    explicit Scope(Machine& machine) : before_(std::exchange(present_, &machine)) {}
    ~Scope() { present_ = before_; }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    Machine* const before_;
  };

  virtual Time machine_time() const = 0;
  virtual std::uint64_t draw() = 0;
  virtual std::uint64_t incarnation() const = 0;
  /// Runs an action of the program after `delay`, unless the program has ended by then.
  virtual void later(Time delay, std::function<void()> action) = 0;
  /// Dials busd again and again until there is a link, at once or after a pause.
  virtual void dial(OnLink on_link) = 0;
  virtual void dial_again() = 0;
  virtual void stop_dialling() = 0;

 protected:
  ~Machine() = default;

 private:
  static Machine* present_;
};

/// Stands for boost::asio::steady_timer.
class MachineTimer {
 public:
  explicit MachineTimer(boost::asio::io_context& loop)
      : loop_(loop), machine_(Machine::present()) {}
  ~MachineTimer() { cancel(); }
  MachineTimer(const MachineTimer&) = delete;
  MachineTimer& operator=(const MachineTimer&) = delete;

  void expires_after(Time delay) {
    cancel();
    delay_ = std::max(delay, Time{});
  }
  /// Counted from expires_after, which comes right before.
  template <class Handler>
  void async_wait(Handler handler) {
    const auto wait = std::make_shared<Wait>(std::move(handler));
    std::erase_if(waits_, [](const auto& each) { return each.expired(); });
    waits_.push_back(wait);
    machine_.later(delay_, [&loop = loop_, wait] {
      if (auto due = std::exchange(*wait, nullptr)) {
        boost::asio::post(loop, [due = std::move(due)] { due({}); });
      }
    });
  }
  void cancel() {
    for (const auto& each : std::exchange(waits_, {})) {
      const auto wait = each.lock();
      if (!wait || !*wait) continue;
      boost::asio::post(loop_, [ended = std::exchange(*wait, nullptr)] {
        ended(boost::asio::error::operation_aborted);
      });
    }
  }

 private:
  using Wait = std::function<void(const boost::system::error_code&)>;
  boost::asio::io_context& loop_;
  Machine& machine_;
  Time delay_{};
  std::vector<std::weak_ptr<Wait>> waits_;
};

/// Stands for io::Reconnect: the machine dials.
class MachineReconnect {
 public:
  struct Target {
    std::string endpoint;
    bus::io::ConnectOptions options;
  };
  using OnFailure = std::function<void(const Target&, const bus::Error&)>;

  MachineReconnect(boost::asio::io_context&, const std::vector<Target>&, Machine::OnLink on_link,
                   const OnFailure&)
      : machine_(Machine::present()), on_link_(std::move(on_link)) {}
  ~MachineReconnect() { machine_.stop_dialling(); }
  MachineReconnect(const MachineReconnect&) = delete;
  MachineReconnect& operator=(const MachineReconnect&) = delete;

  void start() { machine_.dial(on_link_); }
  void again() { machine_.dial_again(); }

 private:
  Machine& machine_;
  Machine::OnLink on_link_;
};

/// Stand for io::boot_now and the functions of bus/io/draws.hpp.
inline Time machine_now() {
  return Machine::present().machine_time();
}
/// For entity/rpc/ticks.hpp: nanoseconds; 0 if no client runs.
std::uint64_t machine_ticks();
void fill_by_machine(std::span<std::byte> bytes);
std::uint64_t draw_by_machine();
std::uint64_t incarnation_by_machine();

}  // namespace starbus::sim
