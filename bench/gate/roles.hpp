// The benchmark's own processes, as sub-commands of it: bench_gate role NAME [OPTION...].
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>

namespace starbus::bench::gate {

class Roles {
 public:
  explicit Roles(CLI::App& app);
  // The exit code of the one that was chosen; nullopt: none was.
  std::optional<int> run() const;

 private:
  struct Chosen;
  std::shared_ptr<Chosen> chosen_;
};

}  // namespace starbus::bench::gate
