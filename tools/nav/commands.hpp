/// The commands of starbus-nav: bake, query, view, scenario. Each returns the exit code: 0 all is
/// well, 1 there is no way, or lengths differ, or a file is malformed, 2 wrong command line.
#pragma once

#include <iosfwd>
#include <string>

#include "nav/path.hpp"
#include "tools/nav/files.hpp"
#include "tools/nav/world.hpp"

namespace starbus::nav_tool {

inline constexpr int kExitFailed = 1;
inline constexpr int kExitUsage = 2;

/// Where commands write to.
struct Streams {
  std::ostream& out;
  std::ostream& err;
};

/// Says what is wrong and returns `code`.
int fail(const Streams& streams, const std::string& text, int code = kExitFailed);

struct BakeRequest {
  std::string file;
  std::string output;
  ReadOptions read;
  bool json = false;
  bool quiet = false;  ///< no progress
};
int bake(const BakeRequest& request, const Streams& streams);

struct QueryRequest {
  std::string file;
  ReadOptions read;
  Spot from;
  Spot to;
  float reach = 0;  ///< m, how far from there a place may be
  nav::PathRequest path;
  bool json = false;
};
int query(const QueryRequest& request, const Streams& streams);

struct ViewRequest {
  std::string file;
  ReadOptions read;
  std::string svg;      ///< file to write; empty: none
  std::string html;     ///< likewise
  std::string trails;   ///< file to read; empty: none
  bool search = false;  ///< draw the search of `query`
  QueryRequest query;
  float z = 0;  ///< m, of volumes: the height of the picture
};
int view(const ViewRequest& request, const Streams& streams);

struct ScenarioRequest {
  std::string file;
  std::string map;  ///< file; empty: the one that the rows name, beside the scenario
  nav::Algorithm algorithm = nav::Algorithm::automatic;
  bool json = false;
};
int scenario(const ScenarioRequest& request, const Streams& streams);

/// Begins the search of a query: places near its points. bad_start, bad_goal, and what
/// Search::begin says.
Result<void> begin(World& world, const QueryRequest& request, nav::Search& search);

}  // namespace starbus::nav_tool
