/// Guesses the name that a requirement means, if the one it waits for is a misspelling: looks once
/// which names of its kind there are, and for one that is a single edit away.
///
/// Belongs to the loop's thread. Only kinds with few names are looked at; a role that may not watch
/// them gets no guess.
#pragma once

#include <functional>
#include <list>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "bus/client/bus.hpp"

namespace starbus::nodes {

/// Whether one insertion, removal, change, or swap of neighbours makes one of the other.
bool one_edit_apart(std::string_view a, std::string_view b);

/// The prefix that shows the names of a requirement's kind: "service/" for "service/db", and for
/// "servce/db", too. Empty: a kind with too many names, or one that is not known.
std::string kind_of_requirement(std::string_view wanted);
/// A channel as a requirement names it: "service/db" for "service/db#2", "ready/db/" for
/// "ready/db/a.x".
std::string as_requirement(std::string_view channel);
/// The one of `names` that `wanted` is a misspelling of; nullopt: there is none, or `wanted` itself
/// is among them. With its kind corrected if that is what was misspelled.
std::optional<std::string> near_name(const std::string& wanted, const std::set<std::string>& names);

class NearNames {
 public:
  using Found = std::function<void(const std::string& wanted, const std::string& meant)>;
  /// `found` is called at most once per name, on the loop, and not after the end of this object.
  NearNames(bus::Bus& bus, Found found);
  NearNames(const NearNames&) = delete;
  NearNames& operator=(const NearNames&) = delete;

  /// Looks once for each name; again does nothing.
  void look(const std::string& wanted);

 private:
  struct Look {
    std::string wanted;
    std::set<std::string> names;  // of its kind, as requirements name them
    bool over = false;
    bus::WatchHandle watch{};
  };
  void update(Look& look, const bus::WatchUpdate& update);
  void end_later(Look& look);

  bus::Bus& bus_;
  const Found found_;
  std::list<Look> looks_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace starbus::nodes
