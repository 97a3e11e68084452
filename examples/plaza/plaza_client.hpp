// What the plaza tells its clients. Declared and never implemented: the code is the client's.
#pragma once

#include <cstdint>
#include <string>

#include "entity/objects/client_interface.hpp"

namespace plaza {

/// Both are numbered, so that a client can see that it hears each one once and in order.
struct PlazaClient {
  /// Of the stream that the client has asked for. `life` is drawn when its player is loaded, and
  /// `number` counts from 1 in it; `time` is when it was due, in microseconds since 1970.
  void tick(std::string account, std::uint64_t life, std::uint64_t number, std::uint64_t time,
            std::string load);
  /// Said to everybody. `origin` is the process that says it, with a life and numbers of its own.
  void said(std::string origin, std::uint64_t life, std::uint64_t number, std::uint64_t time,
            std::string who, std::string text);

  static constexpr auto kClient = starbus::entity::client_methods(
      "plaza_client", starbus::entity::client_method<&PlazaClient::tick>("tick"),
      starbus::entity::client_method<&PlazaClient::said>("said"));
};

}  // namespace plaza
