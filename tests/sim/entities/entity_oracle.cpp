#include "tests/sim/entities/entity_oracle.hpp"

namespace starbus::sim {

int EntityOracle::begin_job(bool calls) {
  const int job = static_cast<int>(jobs_.size()) + 1;
  jobs_[job].waits = calls;
  return job;
}

void EntityOracle::called(int job, bool whole) {
  Job& asked = jobs_.at(job);
  demand(asked.waits, "the call of job " + std::to_string(job) + " has ended twice");
  asked.waits = false;
  asked.in_doubt = !whole;
  demand(!whole || asked.ran == 1, "job " + std::to_string(job) + " was answered, and has not run");
}

void EntityOracle::took(int job) {
  --treasury_;
  demand(++jobs_.at(job).ran == 1, "job " + std::to_string(job) + " has run twice");
}

void EntityOracle::round(std::uint64_t entity) {
  --treasury_;
  ++rounds_[entity];
}

void EntityOracle::heard(std::uint64_t entity, const std::string& sender, int number) {
  int& last = heard_[{entity, sender}];
  demand(number == last + 1, "entity " + std::to_string(entity) + " heard message " +
                                 std::to_string(number) + " of " + sender + " after " +
                                 std::to_string(last));
  last = number;
}

std::string EntityOracle::open() const {
  for (const auto& [number, job] : jobs_) {
    const std::string name = "job " + std::to_string(number);
    if (job.waits) return name + " waits for the end of its call";
    const bool may_be_missing = job.in_doubt || may_be_left_.contains(number);
    if (job.ran == 0 && !may_be_missing) return name + " has not run";
  }
  for (const auto& [key, number] : sent_) {
    const auto found = heard_.find(key);
    const int last = found == heard_.end() ? 0 : found->second;
    if (last != number) {
      return "entity " + std::to_string(key.first) + " has heard " + std::to_string(last) + " of " +
             std::to_string(number) + " messages of " + key.second;
    }
  }
  for (const auto& [entity, count] : places_) {
    if (count != 1) {
      return "entity " + std::to_string(entity) + " is in " + std::to_string(count) + " spaces";
    }
  }
  return {};
}

}  // namespace starbus::sim
