/// The bus as its promises say: once and in order per (sender, channel, lane) between the living,
/// held during a move, `no_owner` and `owner_lost`; deaths are told to each reader in its own time,
/// and nothing of a dead process comes after that. Every interleaving that this allows is as likely
/// as any other, and a seed costs a fraction of one on the real bus.
#pragma once

#include <cstdio>
#include <deque>
#include <map>
#include <set>
#include <vector>

#include "tests/entity/client/sim/chance.hpp"
#include "tests/entity/client/sim/session_bus.hpp"

namespace starbus::entity::sessions::sim {

class ModelBus final : public SessionBus {
 public:
  /// `trace`: prints what is delivered.
  explicit ModelBus(std::uint64_t seed, std::FILE* trace = nullptr)
      : chance_(seed), trace_(trace) {}
  void begin(BusEvents& events) override { events_ = &events; }

  Pid start(std::uint32_t host, std::uint32_t slot) override;
  void kill(const Pid& pid) override;
  void later(const Pid& pid, std::function<void()> action) override;
  bool told(const Pid& reader, const Pid& dead) const override;
  bool send(Letter letter) override;
  bool owned(const std::string& name) const override { return owners_.contains(name); }
  void bind(const Pid& at, const std::string& name, std::function<void()> done) override;
  bool move(const std::string& name, const Pid& from, const Pid& target) override;
  bool moving(const std::string& name) const override;
  bool has_source(const std::string& name) const override;
  void attach(const std::string& name) override;
  void abort(const std::string& name) override;
  void free_source(const std::string& name) override;
  LinkTime clock() const override { return LinkTime(now_ * 1000); }
  void second() override { ++now_; }
  std::size_t weight() const override;
  void pass() override;

 private:
  struct Owner {
    Pid pid{};
    bool moving = false;
    Pid target{};
    bus::Bytes frozen{};
    Pid source{};  // of the last move, until it is freed
  };
  struct Key {
    Pid from;
    std::string to;
    Lane lane;
    auto operator<=>(const Key&) const = default;
  };
  using Queue = std::deque<Letter>;
  struct Note {
    Done done;
    Outcome outcome;
    std::any value;
    Pid by;
  };
  struct Ready {
    std::vector<Key> letters;
    std::vector<Pid> noted, dying;
    std::vector<std::size_t> turns;
    std::size_t weight() const;
  };
  Ready what_is_ready() const;
  bool may_deliver(const Key& key, const Queue& queue) const;
  void deliver(const Key& key);
  void note(const Letter& letter, Outcome outcome, std::any value, const Pid& by);
  bool alive(const Pid& pid) const { return pids_.contains(pid); }
  Pid owner_of(const std::string& to) const;
  void forget(const Pid& pid);
  void lose(const std::set<std::string>& lost, const Pid& owner);
  bool death_ready(const Pid& reader) const;
  void tell_death(const Pid& reader);

  Chance chance_;
  std::FILE* trace_;
  BusEvents* events_ = nullptr;
  std::int64_t now_ = 0;
  std::uint64_t epochs_ = 0;
  std::set<Pid> pids_;
  std::map<Pid, std::uint64_t> lives_;
  std::vector<Pid> dead_;
  std::map<std::string, Owner> owners_;
  std::map<Key, Queue> queues_;
  std::map<Pid, std::deque<Note>> notes_;
  std::map<Pid, std::deque<Pid>> deaths_of_;
  std::map<Pid, std::set<Pid>> told_;
  std::vector<std::pair<Pid, std::function<void()>>> turns_;
};

}  // namespace starbus::entity::sessions::sim
