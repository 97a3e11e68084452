#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace starbus::mail {

/// How far a move of shards to this host has come, for operators. A plain value: no thread owns it.
struct MoveProgress {
  enum class State : std::uint8_t { none, running, stopping, done, failed };
  State state = State::none;
  std::size_t shards = 0;             // that were asked for
  std::size_t taken = 0;              // of them, or here before
  std::optional<std::uint8_t> shard;  // on its way
  std::string from;                   // its host
  std::string doing;                  // "copies", "waits for a"
  std::uint64_t rows = 0;             // of this shard so far
  std::uint64_t bytes = 0;            // likewise; of keys and values
  std::uint64_t messages = 0;         // that the shard has in all
  std::string error;                  // why it failed

  bool goes_on() const { return state == State::running || state == State::stopping; }
};

std::string_view name_of(MoveProgress::State state);

}  // namespace starbus::mail
