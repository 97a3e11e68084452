/// Sees every message of a simulation from outside and knows what may become of it.
///
/// Promises that it checks: nothing is handled twice, nor after a definite refusal, nor past an
/// unhandled predecessor that nobody reported; every outcome is told once and is true; at the end
/// nothing has vanished silently.
#pragma once

#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

namespace starbus::bus {

struct BrokenPromise : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class DeliveryOracle {
 public:
  using MessageId = std::uint64_t;
  /// What is ordered: one life of a sender, a receiving channel, a lane.
  using StreamKey = std::tuple<std::uint64_t, std::uint64_t, int>;
  enum class Outcome { pending, acknowledged, refused, unknown, withdrawn };

  MessageId issue(const StreamKey& key) {
    messages_.push_back({key, streams_[key].size()});
    streams_[key].push_back(messages_.size());
    return messages_.size();
  }

  void handled(MessageId id) {
    Entry& entry = messages_.at(id - 1);
    if (entry.handled) broken(id, "handled twice");
    if (entry.outcome == Outcome::refused) broken(id, "handled after a definite refusal");
    entry.handled = true;
    ++handled_;
    const auto& stream = streams_[entry.key];
    for (std::size_t i = entry.index + 1; i < stream.size(); ++i) {
      if (messages_[stream[i] - 1].handled) broken(id, "handled after its successor");
    }
    for (std::size_t i = entry.index; i > 0; --i) {
      const Entry& before = messages_[stream[i - 1] - 1];
      if (before.handled) break;
      if (before.outcome == Outcome::pending) broken(id, "handled past an unreported predecessor");
    }
  }

  void acknowledged(MessageId id) {
    if (!messages_.at(id - 1).handled) broken(id, "acknowledged but never handled");
    conclude(id, Outcome::acknowledged);
  }
  /// `definite`: the sender was told that it was not and will not be handled.
  void failed(MessageId id, bool definite) {
    if (definite && messages_.at(id - 1).handled) broken(id, "definite refusal after handling");
    ++failed_;
    conclude(id, definite ? Outcome::refused : Outcome::unknown);
  }
  void withdrawn(MessageId id) { messages_.at(id - 1).outcome = Outcome::withdrawn; }
  void sender_died(std::uint64_t sender) {
    for (Entry& entry : messages_) {
      if (std::get<0>(entry.key) == sender && entry.outcome == Outcome::pending) {
        entry.outcome = Outcome::unknown;
      }
    }
  }
  bool pending(MessageId id) const { return messages_.at(id - 1).outcome == Outcome::pending; }
  std::uint64_t channel_of(MessageId id) const { return std::get<1>(messages_.at(id - 1).key); }

  void check_end() const {
    for (std::size_t i = 0; i < messages_.size(); ++i) {
      if (messages_[i].outcome == Outcome::pending) broken(i + 1, "vanished silently");
    }
  }
  std::size_t issued_count() const { return messages_.size(); }
  std::size_t handled_count() const { return handled_; }
  std::size_t failed_count() const { return failed_; }

 private:
  struct Entry {
    StreamKey key;
    std::size_t index = 0;
    bool handled = false;
    Outcome outcome = Outcome::pending;
  };

  void conclude(MessageId id, Outcome outcome) {
    Entry& entry = messages_.at(id - 1);
    if (entry.outcome != Outcome::pending) broken(id, "two outcomes");
    entry.outcome = outcome;
  }
  [[noreturn]] void broken(MessageId id, const std::string& promise) const {
    const auto& [sender, channel, lane] = messages_[id - 1].key;
    throw BrokenPromise("message " + std::to_string(id) + " (sender " + std::to_string(sender) +
                        ", channel " + std::to_string(channel) + ", lane " + std::to_string(lane) +
                        ", number " + std::to_string(messages_[id - 1].index) + "): " + promise);
  }

  std::vector<Entry> messages_;
  std::map<StreamKey, std::vector<MessageId>> streams_;
  std::size_t handled_ = 0;
  std::size_t failed_ = 0;
};

}  // namespace starbus::bus
