/// Who takes part in the inputs of the stateful targets. Their seeds (seeds.cpp) and they
/// themselves must agree on it.
#pragma once

#include <string>
#include <vector>

#include "bus/core/wire/bundle.hpp"
#include "bus/core/wire/record.hpp"

namespace starbus::bus::fuzz {

inline const std::string kHost = "a";
inline const std::string kOtherHost = "b";

/// The process of an actor on the first host: 1 and 2 may do all, 3 is restricted.
inline std::string node_of(std::uint8_t actor) {
  return "n" + std::to_string(actor);
}
inline Process process_of(std::uint8_t actor, const std::string& host = kHost) {
  return {host_id(host), slot_id(node_of(actor)), 1};
}
inline Hello hello_of_process(std::uint8_t actor) {
  Hello hello;
  hello.minor = kVersionMinor;
  hello.name = node_of(actor);
  hello.role = actor == 3 ? "narrow" : "node";
  hello.incarnation = 1;
  return hello;
}

inline Hello hello_of_host(std::uint8_t actor) {
  Hello hello;
  hello.minor = kVersionMinor;
  hello.party = PartyKind::busd;
  hello.name = actor == 0 ? kHost : kOtherHost;
  hello.incarnation = 1;
  return hello;
}
inline std::vector<ProcessUp> processes_of_host(std::uint8_t actor) {
  const std::string& host = actor == 0 ? kHost : kOtherHost;
  std::vector<ProcessUp> processes;
  for (std::uint8_t node = 1; node <= 2; ++node) {
    processes.push_back({process_of(node, host), node_of(node), "node", 100U + node, false});
  }
  return processes;
}

}  // namespace starbus::bus::fuzz
