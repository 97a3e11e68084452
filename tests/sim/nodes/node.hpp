/// What every simulated program is: it starts, ticks, may be stopped for a while (SIGSTOP), and may
/// be killed at any instant, which loses all that it had in memory.
///
/// Nodes live as long as the world; `up` says whether the program runs. One thread.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "bus/core/routers/router.hpp"

namespace starbus::sim {

using bus::ByteView;
using bus::LinkId;
using bus::Time;
class World;

class Node {
 public:
  Node(World& world, std::string name) : world_(world), name_(std::move(name)) {}
  virtual ~Node() = default;
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  const std::string& name() const { return name_; }
  bool up() const { return up_; }
  bool paused() const { return paused_; }
  /// Reachable for those who want to connect.
  virtual bool listens() const { return up_; }

  void start();
  /// kill -9.
  void crash();
  void pause();
  void resume();

  // --- what the network does ---
  virtual void on_accepted(LinkId, Node&) {}
  virtual void on_bundle(LinkId id, ByteView bundle) = 0;
  virtual void on_ended(LinkId id) = 0;

  /// Runs `action` after `delay`, later if the node is stopped then, never if it has ended.
  void after(Time delay, std::function<void()> action);

 protected:
  virtual void on_start() = 0;
  virtual void on_crash() = 0;
  virtual void on_tick() = 0;
  virtual Time tick_period() const = 0;

  World& world_;

 private:
  void tick();

  std::string name_;
  bool up_ = false;
  bool paused_ = false;
  std::uint64_t life_ = 0;
  std::vector<std::function<void()>> deferred_;  // became due while stopped
};

/// Connects again and again, as io::Reconnect does: 20 ms, doubling to 2 s, half of it as jitter.
class Dial {
 public:
  using OnLink = std::function<void(LinkId)>;
  Dial(World& world, Node& from, Node& to, OnLink on_link);

  void start();
  /// The link was lost.
  void again();
  void stop() { ++attempt_; }

 private:
  void wait();
  void try_now();

  World& world_;
  Node& from_;
  Node& to_;
  OnLink on_link_;
  std::uint64_t attempt_ = 0;
  Time pause_;
  Time connected_at_{};
};

}  // namespace starbus::sim
