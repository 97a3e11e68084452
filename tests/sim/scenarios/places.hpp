/// Where several scenarios begin, and what they ask.
#pragma once

#include "tests/sim/script.hpp"

namespace starbus::sim {

/// Two names that nobody has.
inline WorldOptions with_things() {
  WorldOptions options;
  options.free_names = {"thing/1", "thing/2"};
  return options;
}

/// mover/x at b.1, with some history.
inline void settle_x(Script& s) {
  s.move_and_wait("mover/x", "b.1");
  s.until_handled(s.send("entity/a.1", "mover/x"));
  s.until_rest();
}

inline bool frozen(Script& s, std::string_view where, std::string_view name) {
  const Application::Copy* const copy = s.copy(where, name);
  return copy && copy->frozen;
}

/// Posts of b.1 that have no answer yet.
inline std::size_t pending(Script& s) {
  return s.world.mail.pending(s.process("b.1").application().life());
}

}  // namespace starbus::sim
