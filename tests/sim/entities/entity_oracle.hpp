/// What the entities of a run were asked to do and have done, wherever they were; and the first
/// thing that may not be: a job that ran twice, a message out of order. The gold of the world is
/// here, in the treasury, or with an entity. One thread; outlives the nodes.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace starbus::sim {

class EntityOracle {
 public:
  static constexpr std::int64_t kWhole = 1'000'000;  // pieces of gold

  // --- what is asked of entities ---
  /// A number of its own. `calls`: somebody waits for the end, which is told by called().
  int begin_job(bool calls = false);
  /// The call has ended; `whole`: as an answer.
  void called(int job, bool whole);
  /// A closure, which may stay behind when its entity moves.
  void may_be_left(int job) { may_be_left_.insert(job); }
  /// The number of the next message of a sender to an entity.
  int next_message(std::uint64_t entity, const std::string& sender) {
    return ++sent_[{entity, sender}];
  }
  /// Whether it is refused where it arrives.
  void refuse(std::uint64_t entity, bool refused) {
    refused ? static_cast<void>(refused_.insert(entity))
            : static_cast<void>(refused_.erase(entity));
  }
  bool refuses(std::uint64_t entity) const { return refused_.contains(entity); }
  void not_sent(std::uint64_t entity, const std::string& sender) { --sent_[{entity, sender}]; }

  // --- what entities do ---
  /// A piece of gold leaves the treasury: for this job, or in a round of a machine.
  void took(int job);
  void round(std::uint64_t entity);
  void heard(std::uint64_t entity, const std::string& sender, int number);
  void entered(std::uint64_t entity) { ++places_[entity]; }
  void left(std::uint64_t entity) { --places_[entity]; }

  std::int64_t treasury() const { return treasury_; }
  int rounds(std::uint64_t entity) const {
    const auto found = rounds_.find(entity);
    return found == rounds_.end() ? 0 : found->second;
  }
  void demand(bool holds, const std::string& what) {
    if (!holds && violation_.empty()) violation_ = what;
  }
  /// Empty: none.
  const std::string& violation() const { return violation_; }
  /// What has no end yet; empty: nothing.
  std::string open() const;

 private:
  struct Job {
    int ran = 0;
    bool waits = false;     // for the end of its call
    bool in_doubt = false;  // its call has failed: it ran once, or not
  };
  std::map<int, Job> jobs_;
  std::set<int> may_be_left_;
  std::set<std::uint64_t> refused_;
  std::map<std::pair<std::uint64_t, std::string>, int> sent_, heard_;
  std::map<std::uint64_t, int> rounds_, places_;
  std::int64_t treasury_ = kWhole;
  std::string violation_;
};

}  // namespace starbus::sim
