// Report: what every benchmark says at its end. A row is one figure: its median for each peer, the
// least and the most of ours, our ratios to others, and the bar that it is to reach. One form for
// people (a table), one for tools (flat JSON). One thread uses it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/harness/figures.hpp"

namespace starbus::bench {

struct Bar {
  enum class Kind { at_least, at_most };
  // The limit is that of a machine with this figure; it is scaled by what the figure is here.
  struct Pace {
    Figures::Source figure;
    double there = 0;
  };

  Kind kind = Kind::at_most;
  double limit = 0;
  std::string peer = {};  // the bar is for our ratio to this peer; empty: for our figure
  std::optional<Pace> pace = {};
  bool of_machine = false;  // says how fast the machine is, and cannot be missed
  bool promise = false;     // a count that must be right: missed, the suite fails without --check
};

struct Row {
  // A metric of a case.
  struct Figure {
    std::string of;
    std::string metric;
  };

  std::string name;  // JSON: SUITE.NAME.PEER
  std::string unit;
  Figure figure;
  std::optional<Figure> divisor = {};  // the row is the quotient of the two
  std::optional<Bar> bar = {};
  std::string note = {};
};

// Whose figures are compared.
struct Subjects {
  std::vector<std::string> peers = {""};  // in the order of columns; "" if there is but one
  std::string ours = "";
  std::vector<std::string> compared = {};  // peers that ours is divided by
};

class Report {
 public:
  Report(std::string suite, Subjects subjects)
      : suite_(std::move(suite)), subjects_(std::move(subjects)) {}

  Figures& figures() { return figures_; }
  void add(const Row& row) { rows_.push_back(row); }
  // What was the same for all rows, as the disk: a line below the table, and SUITE.NAME in JSON;
  // without a unit in JSON alone.
  void note(const std::string& name, double value, const std::string& unit) {
    notes_.push_back({name, value, unit});
  }

  std::string table() const;
  // SUITE.ROW.PEER is a median, with .least and .most of the repetitions; SUITE.ROW.ratio_PEER the
  // median of our quotients. A row with a bar has .bar, .bar_at_pace and .met.
  std::string json() const;
  // Bars that are not met, or whose figure is missing.
  std::size_t missed() const;
  // Those of them that are promises.
  std::size_t broken() const;
  bool has_bars() const;

 private:
  struct Note {
    std::string name;
    double value;
    std::string unit;
  };
  struct Verdict {
    double limit = 0;  // at the pace of this machine
    bool measured = false;
    bool met = false;
  };
  std::optional<Spread> spread(const Row& row, const std::string& peer) const;
  std::optional<Spread> ratio(const Row& row, const std::string& peer) const;
  Verdict judge(const Row& row) const;
  std::string bar_of(const Row& row) const;
  std::string verdict_of(const Row& row) const;

  std::string suite_;
  Subjects subjects_;
  Figures figures_;
  std::vector<Row> rows_;
  std::vector<Note> notes_;
};

}  // namespace starbus::bench
