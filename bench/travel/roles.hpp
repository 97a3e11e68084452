// The benchmark's own processes, as sub-commands of it: bench_travel riders ..., bench_travel words
// .... Both say "ready", and obey lines of their input.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>

#include "bench/travel/rider.hpp"

namespace starbus::bench::travel {

// Sends numbers to players, each of which has numbers of its own.
struct WordsOptions {
  std::string endpoint;
  std::string node;
  std::uint32_t sender = 0;
  std::size_t players = 1;
  int every_ms = 1;
};

class Roles {
 public:
  explicit Roles(CLI::App& app);
  // The exit code of the one that was chosen; nullopt: none was.
  std::optional<int> run() const;

 private:
  struct Chosen;
  std::shared_ptr<Chosen> chosen_;
};

// "go": they set out, and "back" is said when all have ended their travels. "end": the results, as
// one array. The exit code.
int run_riders(const RiderOptions& options);
// "end": {"sent": [of each player]} when all of it is acknowledged. The exit code.
int run_words(const WordsOptions& options);

}  // namespace starbus::bench::travel
