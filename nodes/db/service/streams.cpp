#include "nodes/db/service/streams.hpp"

namespace starbus::nodes::db {

bool Streams::is_next(const bus::Process& caller, const Place& place) const {
  const auto found = by_key_.find({caller, place.stream});
  if (found == by_key_.end() || place.session > found->second->session) return place.sequence == 1;
  const Row& row = *found->second;
  return place.session == row.session && place.sequence == row.sequence + 1;
}

void Streams::took(const bus::Process& caller, const Place& place) {
  const Key key{caller, place.stream};
  const auto found = by_key_.find(key);
  if (found != by_key_.end()) {
    rows_.splice(rows_.begin(), rows_, found->second);
  } else {
    if (rows_.size() >= most_) {
      by_key_.erase(rows_.back().key);
      rows_.pop_back();
    }
    rows_.push_front({key});
    by_key_[key] = rows_.begin();
  }
  rows_.front().session = place.session;
  rows_.front().sequence = place.sequence;
}

}  // namespace starbus::nodes::db
