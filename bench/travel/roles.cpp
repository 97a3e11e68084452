#include "bench/travel/roles.hpp"

#include <functional>

namespace starbus::bench::travel {

struct Roles::Chosen {
  RiderOptions riders;
  WordsOptions words;
  std::function<int()> run{};
};

Roles::Roles(CLI::App& app) : chosen_(std::make_shared<Chosen>()) {
  Chosen& chosen = *chosen_;
  RiderOptions& riders = chosen.riders;
  CLI::App* one = app.add_subcommand("riders")->group("");  // not in the help
  one->add_option("--gates", riders.gates)->required();
  one->add_option("--riders", riders.riders);
  one->add_option("--trips", riders.trips);
  one->add_option("--stay", riders.stay_ms);
  one->add_option("--count", riders.count_ms);
  one->add_option("--ask", riders.ask_ms);
  one->callback([&chosen] { chosen.run = [&chosen] { return run_riders(chosen.riders); }; });
  WordsOptions& words = chosen.words;
  one = app.add_subcommand("words")->group("");
  one->add_option("--endpoint", words.endpoint)->required();
  one->add_option("--node", words.node)->required();
  one->add_option("--sender", words.sender);
  one->add_option("--players", words.players);
  one->add_option("--every", words.every_ms);
  one->callback([&chosen] { chosen.run = [&chosen] { return run_words(chosen.words); }; });
}

std::optional<int> Roles::run() const {
  if (!chosen_->run) return std::nullopt;
  return chosen_->run();
}

}  // namespace starbus::bench::travel
