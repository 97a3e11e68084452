/// What a space and its crowd say to each other, within a process and over the bus alike. Plain
/// values.
///
/// A space has at most one batch under way: all that it asks since the one before, and how much
/// time has passed. Its answer says what has come of it. So requests of a crowd keep their order, a
/// crowd that is slow gets fewer and longer batches, and one message goes each way in a tick.
///
/// Walkers are named by the space. Each command has a version, which the space counts; everything
/// that is said of a walker carries the version of the latest command that its crowd has taken, so
/// that the space knows what is out of date. docs/guide/crowds.md has the contract.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "nav/crowd/types.hpp"
#include "nodes/nav/error.hpp"

namespace starbus::nav {

template <class Archive>
void serialize(Archive& archive, Point& point) {
  archive(point.x, point.y, point.z);
}

template <class Archive>
void serialize(Archive& archive, Box& box) {
  archive(box.low, box.high);
}

}  // namespace starbus::nav

namespace starbus::nodes::crowds {

using nav::Point;

/// A crowd of one process: a slot, which is used again, and a generation.
struct CrowdId {
  std::uint32_t slot = 0;  ///< from 1; 0 names none
  std::uint32_t generation = 0;
  constexpr explicit operator bool() const { return slot != 0; }
  auto operator<=>(const CrowdId&) const = default;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(slot, generation);
  }
};

/// A walker, as its space names it.
struct WalkerName {
  std::uint32_t slot = 0;  ///< 1 to the most walkers of the crowd; 0 names none
  std::uint32_t generation = 0;
  constexpr explicit operator bool() const { return slot != 0; }
  auto operator<=>(const WalkerName&) const = default;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(slot, generation);
  }
};

/// A kind of walkers, for which the map has tables.
struct WalkerKind {
  std::string name;
  float radius = 0.4F;               ///< m; it keeps that far from what it cannot pass
  float climb = 1;                   ///< m; the highest step
  std::vector<std::uint8_t> closed;  ///< areas that it cannot pass
  bool operator==(const WalkerKind&) const = default;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(name, radius, climb, closed);
  }
};

/// What a crowd is made with.
struct CrowdSpec {
  std::string map;                       ///< file, below the folder of maps
  std::vector<WalkerKind> kinds;         ///< at least one
  std::uint32_t walkers = 0;             ///< at most, passive ones included
  std::uint32_t nodes_per_step = 4'096;  ///< of the map, that searches look at in a step
  float reach = 4;                       ///< m; a point is on the ground nearest to it within this
  std::uint32_t obstacles = 0;           ///< at most at a time; 0: it shares its map with others
  bool operator==(const CrowdSpec&) const = default;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(map, kinds, walkers, nodes_per_step, reach, obstacles);
  }
};

/// A walker comes; one of that slot which is there already goes.
struct Add {
  WalkerName walker;
  std::uint32_t version = 0;
  std::uint32_t kind = 0;  ///< index of CrowdSpec::kinds
  Point at;
  float radius = 0.4F;     ///< m
  float height = 2;        ///< m
  float speed = 3;         ///< m/s
  float acceleration = 8;  ///< m/s2
  std::uint32_t priority = 0;
  bool passive = false;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(walker, version, kind, at, radius, height, speed, acceleration, priority, passive);
  }
};
/// It goes; who is after it loses its target.
struct Remove {
  WalkerName walker;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(walker);
  }
};
/// It goes to a place.
struct GoTo {
  WalkerName walker;
  std::uint32_t version = 0;
  Point goal;
  float distance = 0;  ///< m; as of nav::crowd::Request
  bool partial = false;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(walker, version, goal, distance, partial);
  }
};
/// Approaches another walker, or follows it.
struct Chase {
  WalkerName walker;
  std::uint32_t version = 0;
  WalkerName target;
  float distance = 0;
  bool partial = false;
  bool follow = false;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(walker, version, target, distance, partial, follow);
  }
};
/// It is asked nothing any more.
struct Cancel {
  WalkerName walker;
  std::uint32_t version = 0;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(walker, version);
  }
};
/// It is elsewhere, and asked nothing.
struct Teleport {
  WalkerName walker;
  std::uint32_t version = 0;
  Point at;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(walker, version, at);
  }
};
/// Where a passive one is.
struct Push {
  WalkerName walker;
  Point at;
  Point velocity;  ///< m/s

  template <class Archive>
  void serialize(Archive& archive) {
    archive(walker, at, velocity);
  }
};
/// Something stands on the ground: a door that is closed, a wagon. One of that number which is
/// there already is there no more.
struct Block {
  std::uint32_t obstacle = 0;  ///< 1 to the most obstacles of the crowd
  nav::Box box;                ///< of the ground that it touches
  nav::Area area = nav::kWall;
  bool operator==(const Block&) const = default;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(obstacle, box, area);
  }
};
/// It does not any more.
struct Unblock {
  std::uint32_t obstacle = 0;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(obstacle);
  }
};
using Request = std::variant<Add, Remove, GoTo, Chase, Cancel, Teleport, Push, Block, Unblock>;

/// All that a space asks in a tick.
struct Batch {
  CrowdId crowd;
  std::uint64_t number = 0;     ///< the space's own; its answer has it, too
  std::uint32_t passed_us = 0;  ///< since the batch before
  bool ways = false;            ///< its answer says where walkers are going: for pictures
  std::vector<Request> requests;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(crowd, number, passed_us, ways, requests);
  }
};

/// Where a walker is, that has moved or has just stopped.
struct Moved {
  WalkerName walker;
  std::uint32_t version = 0;
  Point at;
  Point velocity;  ///< m/s
  nav::crowd::Doing doing = nav::crowd::Doing::idle;
  bool operator==(const Moved&) const = default;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(walker, version, at, velocity, doing);
  }
};
/// A command has ended by itself. What the space ends (another command, cancel, teleport, remove)
/// is not reported.
struct Ended {
  WalkerName walker;
  std::uint32_t version = 0;
  nav::crowd::End end = nav::crowd::End::arrived;
  bool stuck = false;
  bool operator==(const Ended&) const = default;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(walker, version, end, stuck);
  }
};
/// A request that could not be done. A walker whose command is refused stands still; one whose
/// teleport is refused is not in the crowd any more. An obstacle that is refused does not stand.
struct Refused {
  WalkerName walker;
  std::uint32_t version = 0;  ///< of the request; 0: it has none
  bool gone = false;          ///< the walker is not in the crowd
  Error why;
  std::uint32_t obstacle = 0;  ///< of the request, if it was about one

  template <class Archive>
  void serialize(Archive& archive) {
    archive(walker, version, gone, why, obstacle);
  }
};

/// Where a walker is going.
struct Way {
  WalkerName walker;
  std::vector<Point> corners;  ///< nearest first, as far as its crowd keeps them
  bool operator==(const Way&) const = default;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(walker, corners);
  }
};

/// What has come of a batch.
struct Answer {
  std::uint64_t number = 0;     ///< of the batch
  std::uint32_t passed_us = 0;  ///< how far time went on; less than asked if steps were left out
  std::vector<Moved> moved;     ///< by slot
  std::vector<Ended> ended;     ///< in order
  std::vector<Refused> refused;
  std::vector<Way> ways;  ///< by slot, of those who have one; only if the batch asked for them

  template <class Archive>
  void serialize(Archive& archive) {
    archive(number, passed_us, moved, ended, refused, ways);
  }
};

}  // namespace starbus::nodes::crowds
