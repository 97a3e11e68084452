/// How many attempts are under way before the queue: in all, of one address, at one account, of one
/// known player. So that nobody takes all of them. A plain value: one thread at a time.
#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "nodes/login/core/guesses.hpp"

namespace starbus::nodes::login {

class UnderWay {
 public:
  /// False: as many as there may be; nothing is counted.
  bool begin(const Trier& trier, bool known);
  /// Ends one that was begun so.
  void end(const Trier& trier, bool known);
  std::size_t size() const { return all_; }
  std::size_t rows() const { return addresses_.size() + accounts_.size() + pairs_.size(); }

 private:
  std::size_t all_ = 0;
  std::size_t others_ = 0;  // that are not known
  std::map<Network, std::size_t> addresses_;
  std::map<std::string, std::size_t> accounts_;
  std::map<Trier, std::size_t> pairs_;
};

}  // namespace starbus::nodes::login
