/// Asks all programs of a run how they are, round by round, and makes the answers into the document
/// that the operator's page shows. Belongs to one thread; blocks it while it asks.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "examples/arena/operator/history.hpp"
#include "examples/arena/operator/run_folder.hpp"

namespace arena::view {

/// GET of a path at the admin socket of a program. nullopt: no answer in time, or an error.
using Ask =
    std::function<std::optional<nlohmann::json>(const Program& program, const std::string& target)>;

/// Over the unix socket of the program; each waits at most so long.
Ask ask_by_socket(std::chrono::milliseconds patience);

/// What one round has found.
struct Round {
  /// {"hosts", "programs", "spaces", "run"}, as docs/operate/arena.md has them.
  nlohmann::json shown;
  std::map<std::string, bool> up;  // by program
  std::vector<Crowd> crowds;       // of the spaces that were asked, in that order
};

class Survey {
 public:
  /// Spaces of one program whose members are asked for in a round, so that a round stays short;
  /// of the others the numbers are shown alone.
  static constexpr std::size_t kMostSpaces = 32;
  /// Members of a space that are drawn. The page says how many are left out.
  static constexpr std::size_t kMostMembers = 500;
  /// Corners of a way that are drawn: the nearest.
  static constexpr std::size_t kMostCorners = 32;

  /// `goes_on` is asked between two programs: false ends the round early. Both are copied; the
  /// folder outlives this.
  Survey(const RunFolder& folder, Ask ask, std::function<bool()> goes_on);

  /// nullopt: it was to end.
  std::optional<Round> round(Moment now);

 private:
  struct Used {
    Process process;
    Moment at{};
  };

  nlohmann::json program_row(const Program& program, Moment now);
  double processor_share(const std::string& name, const Process& process, Moment now);
  void ask_daemon(const Program& program, nlohmann::json& row);
  void ask_node(const Program& program, nlohmann::json& row);
  void ask_spaces(const Program& program, nlohmann::json& spaces, std::vector<Crowd>& crowds);
  nlohmann::json space_row(const Program& program, const nlohmann::json& space, bool members,
                           std::vector<Crowd>& crowds);

  const RunFolder& folder_;
  Ask ask_;
  std::function<bool()> goes_on_;
  std::map<std::string, Used> used_;              // by program
  std::map<std::string, nlohmann::json> on_bus_;  // of this round: /topology rows, by HOST.NODE
  nlohmann::json hosts_;                          // of this round
};

}  // namespace arena::view
