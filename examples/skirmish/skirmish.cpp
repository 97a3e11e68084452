// A small game that talks: what scripts/up runs so that there is something to see.
//
//   skirmish space  owns creatures (entity/HOST-N); they hit each other wherever they live
//   skirmish score  an instance of the shared name service/score: counts hits, one per host is
//   usual skirmish gate   a member of group/arena: hears the announcements of the spaces
#include <CLI/CLI.hpp>
#include <boost/asio.hpp>
#include <csignal>
#include <iostream>
#include <random>

#include "bus/client/bus.hpp"

using boost::asio::awaitable;
using boost::asio::use_awaitable;
using namespace std::chrono_literals;
namespace bus = starbus::bus;

namespace {

struct Settings {
  std::string role, node, endpoint;
  int creatures = 50;
  double hits_per_second = 200;
};

template <class T>
T must(bus::Result<T> result, const char* what) {
  if (!result) throw std::runtime_error(std::string(what) + ": " + result.error().to_string());
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

class Arena {
 public:
  Arena(boost::asio::io_context& loop, Settings settings)
      : loop_(loop),
        settings_(std::move(settings)),
        bus_(loop, {.node = settings_.node, .endpoint = settings_.endpoint}) {}

  awaitable<void> run() {
    must(co_await bus_.connect(use_awaitable), "connect");
    self_ = bus_.host() + "." + settings_.node;
    // Cut off for too long, a process owns nothing any more; the bus comes back by itself, its
    // names do not.
    bus_.on_lease_lost([this] {
      std::cout << self_ << " lost its lease: binds again" << std::endl;
      boost::asio::co_spawn(loop_, rejoin(), boost::asio::detached);
    });
    co_await take_part();
    if (settings_.role == "space") co_await fight();
  }

  awaitable<void> stop() {
    stopping_ = true;
    (void)co_await bus_.close(2s, use_awaitable);
    loop_.stop();
  }

 private:
  awaitable<void> take_part() {
    if (settings_.role == "score") co_await be_score();
    if (settings_.role == "gate") co_await be_gate();
    if (settings_.role == "space") co_await be_space();
  }

  /// What cannot be had now (a lease that ends again, most likely) is tried again when that has
  /// passed.
  awaitable<void> rejoin() {
    try {
      co_await take_part();
    } catch (const std::exception& problem) {
      std::cout << self_ << ": " << problem.what() << std::endl;
    }
  }

  awaitable<void> be_score() {
    bus::Handlers counter;
    counter.on_message = [this](bus::Message&) { ++hits_; };
    counter.on_call = [this](bus::Call& call) { (void)call.reply(std::to_string(hits_)); };
    const auto bound = must(co_await bus_.bind("service/score", counter, use_awaitable), "bind");
    std::cout << self_ << " is " << bound.name << std::endl;
  }

  awaitable<void> be_gate() {
    bus::Handlers hearer;
    hearer.on_message = [this](bus::Message& message) {
      std::cout << self_ << " hears: " << message.text() << std::endl;
    };
    must(co_await bus_.bind("group/arena", hearer, use_awaitable), "bind");
  }

  awaitable<void> be_space() {
    bus::Handlers creature;
    creature.on_call = [](bus::Call& call) { (void)call.reply("ouch"); };
    for (int i = 0; i < settings_.creatures; ++i) {
      const std::string name =
          "entity/" + bus_.host() + "-" + settings_.node + "-" + std::to_string(i);
      must(co_await bus_.bind(name, creature, use_awaitable), "bind");
    }
    watch_ = must(bus_.watch("entity/", [this](const bus::WatchUpdate& update) { learn(update); }),
                  "watch");
  }

  void learn(const bus::WatchUpdate& update) {
    for (const auto& row : update.changes) {
      std::erase(creatures_, row.name);
      if (row.present) creatures_.push_back(row.name);
    }
  }

  awaitable<void> fight() {
    boost::asio::steady_timer pause(loop_);
    std::mt19937 random{std::random_device{}()};
    const auto gap = std::chrono::duration_cast<std::chrono::nanoseconds>(
        std::chrono::duration<double>(1.0 / settings_.hits_per_second));
    auto next = std::chrono::steady_clock::now();
    for (std::uint64_t round = 1; !stopping_; ++round) {
      pause.expires_at(next += gap);
      co_await pause.async_wait(use_awaitable);
      if (creatures_.empty()) continue;
      const std::string target = creatures_[random() % creatures_.size()];
      bus_.call(target, "hit", {.deadline = 2s}, [this](const bus::Result<bus::Bytes>& reply) {
        if (reply) (void)bus_.send("service/score", "hit");
      });
      if (round % 2000 == 0) {
        (void)bus_.announce("group/arena",
                            self_ + " has fought " + std::to_string(round) + " rounds");
      }
    }
  }

  boost::asio::io_context& loop_;
  Settings settings_;
  bus::Bus bus_;
  std::string self_;  // HOST.NODE
  bus::WatchHandle watch_;
  std::vector<std::string> creatures_;
  std::uint64_t hits_ = 0;
  bool stopping_ = false;
};

}  // namespace

int main(int argc, char** argv) {
  Settings settings;
  CLI::App app("A small game that talks over starbus.");
  app.add_option("role", settings.role, "space, score or gate")
      ->required()
      ->check(CLI::IsMember({"space", "score", "gate"}));
  app.add_option("--node", settings.node, "name of this node, unique on its host")->required();
  app.add_option("--busd", settings.endpoint, "endpoint of the local busd (or $STARBUS_BUSD)");
  app.add_option("--creatures", settings.creatures, "of a space")->check(CLI::Range(1, 100000));
  app.add_option("--rate", settings.hits_per_second, "hits per second of a space")
      ->check(CLI::Range(0.1, 1e6));
  CLI11_PARSE(app, argc, argv);

  boost::asio::io_context loop;
  Arena arena(loop, settings);
  boost::asio::signal_set signals(loop, SIGINT, SIGTERM);
  signals.async_wait([&](const boost::system::error_code& error, int) {
    if (!error) boost::asio::co_spawn(loop, arena.stop(), boost::asio::detached);
  });
  int status = 0;
  boost::asio::co_spawn(loop, arena.run(), [&](std::exception_ptr error) {
    if (!error) return;
    try {
      std::rethrow_exception(error);
    } catch (const std::exception& problem) {
      std::cerr << settings.node << ": " << problem.what() << std::endl;
      status = 1;
      loop.stop();
    }
  });
  loop.run();
  return status;
}
