/// What a session product asks of a bus, and what it hears from one. Homes, gates and accounts of
/// the simulated world stand on this interface alone, so that one world runs on two buses: the
/// model (model_bus.hpp), which takes the bus at its word, and the real one (tests/sim/sessions):
/// client library, busds and busroot on a simulated network.
///
/// What travels is a Letter: on the real bus its number, and as many bytes as the words would have.
/// One thread. Violations that are found within a call of the bus are thrown by the next pass().
#pragma once

#include <any>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "bus/core/bytes.hpp"
#include "bus/core/wire/ids.hpp"
#include "entity/client/link.hpp"

namespace starbus::entity::sessions::sim {

/// The oracle saw a broken promise.
struct Violation : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// host: 1 gates, 2 homes, 3 desks (hosts of accounts); slot: which; incarnation: which life.
using Pid = bus::Process;
inline constexpr std::uint32_t kGates = 1, kHomes = 2, kDesks = 3;
inline constexpr std::uint32_t slots_of(std::uint32_t host) {
  return host == kDesks ? 2 : 3;
}
/// gate/1, home/1, desk/1: the lives of a process have one name.
std::string channel_of(const Pid& process);

enum class Lane : std::uint8_t { down, up };
/// refused: not handled; silent: no answer in time, handled or not.
enum class Outcome : std::uint8_t { ok, no_owner, owner_lost, refused, silent };
using Done = std::function<void(Outcome, const std::any&)>;

/// An answer that comes when the receiver is ready, say when its disk has done its part.
class Later {
 public:
  using End = std::function<void(Outcome, std::any)>;
  void end(Outcome outcome, std::any value) {
    if (end_) return std::exchange(end_, nullptr)(outcome, std::move(value));
    early_.emplace(outcome, std::move(value));
  }
  /// Of the bus: once.
  void on_end(End end) {
    if (early_) return end(early_->first, std::move(early_->second));
    end_ = std::move(end);
  }

 private:
  End end_{};
  std::optional<std::pair<Outcome, std::any>> early_{};
};
/// Runs at the receiver; what it returns goes back. A std::shared_ptr<Later> is answered later.
using Handler = std::function<std::any(const Pid& from, const Pid& at)>;

struct Letter {
  Pid from;
  std::string to;
  Lane lane = Lane::up;
  std::string what;
  Handler handler;
  Done done{};
  LinkTime deadline{0};  // 0: its end counts, and no answer is awaited
  std::size_t bytes = 64;
};

/// What the bus tells the world, within the loop of the process that it names.
class BusEvents {
 public:
  /// It owns a free name now.
  virtual void bound(const Pid& at, const std::string& name, std::uint64_t epoch) = 0;
  /// A name moves: its state is packed here, and nothing is handed to it from now on;
  virtual bus::Bytes freeze(const Pid& at, const std::string& name) = 0;
  /// it is owned there now;
  virtual void arrived(const Pid& at, const std::string& name, std::uint64_t epoch,
                       const bus::Bytes& state) = 0;
  /// the copy here is over;
  virtual void moved(const Pid& at, const std::string& name) = 0;
  /// or the move was given up. `rolled_back`: the target may have run it.
  virtual void goes_on(const Pid& at, const std::string& name, std::uint64_t epoch,
                       bool rolled_back) = 0;
  /// A process of names under gate/, home/ or desk/ is no more. After all that it had said.
  virtual void died(const Pid& reader, const Pid& dead) = 0;
  /// A process has lost its lease, and all names: from now on it is another one.
  virtual void fenced(const Pid& before, const Pid& now) = 0;
  /// A process has its link to the bus, or has it no more: it has, until this is told.
  virtual void linked(const Pid& at, bool there) = 0;

 protected:
  ~BusEvents() = default;
};

class SessionBus {
 public:
  virtual ~SessionBus() = default;
  /// Before anything else.
  virtual void begin(BusEvents& events) = 0;

  // --- processes ---
  virtual Pid start(std::uint32_t host, std::uint32_t slot) = 0;
  /// Each of those that were started has its channel.
  virtual void wait_until_ready() {}
  /// kill -9; the world has forgotten what ran there.
  virtual void kill(const Pid& pid) = 0;
  /// It has its channel.
  virtual bool ready(const Pid&) const { return true; }
  /// Its loop stands still for a while.
  virtual bool stopped(const Pid&) const { return false; }
  /// Runs an action in the loop of a process.
  virtual void within(const Pid&, const std::function<void()>& action) { action(); }
  /// In a later turn of that loop.
  virtual void later(const Pid& pid, std::function<void()> action) = 0;
  /// The reader knows that this process is dead.
  virtual bool told(const Pid& reader, const Pid& dead) const = 0;

  // --- messages ---
  /// Once and in order per (sender, channel, lane). False: would_block, and nothing has changed.
  virtual bool send(Letter letter) = 0;

  /// A letter with this outcome may have been handled, although nobody has died meanwhile.
  virtual bool leaves_open(Outcome outcome) const { return outcome == Outcome::silent; }

  // --- names ---
  virtual bool owned(const std::string& name) const = 0;
  /// If it has no owner; `done`: it has one now, this process or another.
  virtual void bind(const Pid& at, const std::string& name, std::function<void()> done) = 0;
  /// False: it moves already, or the source of its last move is not free.
  virtual bool move(const std::string& name, const Pid& from, const Pid& target) = 0;
  /// Packed, and not there yet.
  virtual bool moving(const std::string& name) const = 0;
  /// It is there, and the copy that was left behind has not been freed.
  virtual bool has_source(const std::string& name) const = 0;
  // Where a scripted case decides when a move goes on; else it does so by itself.
  virtual void attach(const std::string& name) = 0;
  virtual void abort(const std::string& name) = 0;
  virtual void free_source(const std::string& name) = 0;

  // --- time ---
  /// Of the products' clocks.
  virtual LinkTime clock() const = 0;
  /// A second goes by.
  virtual void second() = 0;
  /// Between two steps of a random run: some time, and faults of the bus itself.
  virtual void breathe() {}
  /// 0: nothing is under way.
  virtual std::size_t weight() const = 0;
  /// One of the things that are under way, at random.
  virtual void pass() = 0;
  /// No more faults.
  virtual void heal() {}
  /// What has happened, as a number: two runs of a seed have the same.
  virtual std::uint64_t fingerprint() const { return 0; }

  /// Letters that a test holds back: they have not left their sender.
  std::function<bool(const Letter&)> hold;
  /// A case is scripted: moves wait for attach(), abort() and free_source().
  bool scripted = false;
};

}  // namespace starbus::entity::sessions::sim
