#include "tools/nav/cli.hpp"

#include <CLI/CLI.hpp>
#include <functional>
#include <map>

#include "tools/nav/files.hpp"
#include "tools/terminal/command_line.hpp"

namespace starbus::nav_tool {
namespace {

using nav::Algorithm;
using nav::Smoothing;

struct Options {
  BakeRequest bake;
  QueryRequest query;
  ViewRequest view;
  ScenarioRequest scenario;
  ReadOptions read;
  std::string from, to, origin;
  std::vector<std::string> materials;
  std::function<int()> command;
};

const std::map<std::string, Algorithm> kAlgorithms{{"automatic", Algorithm::automatic},
                                                   {"a_star", Algorithm::a_star},
                                                   {"dijkstra", Algorithm::dijkstra},
                                                   {"breadth_first", Algorithm::breadth_first},
                                                   {"jps", Algorithm::jps},
                                                   {"jps_plus", Algorithm::jps_plus},
                                                   {"hierarchical", Algorithm::hierarchical}};
const std::map<std::string, Smoothing> kSmoothings{{"none", Smoothing::none},
                                                   {"corners", Smoothing::corners},
                                                   {"line_of_sight", Smoothing::line_of_sight}};

void add_algorithm(CLI::App& app, Algorithm& algorithm) {
  app.add_option("--algorithm", algorithm,
                 "automatic, a_star, dijkstra, breadth_first, jps, jps_plus or hierarchical")
      ->transform(tools::quiet(CLI::CheckedTransformer(kAlgorithms)))
      ->type_name("NAME");
}

void add_mesh(CLI::App& app, Options& options) {
  nav::mesh::BakeOptions& bake = options.read.bake;
  CLI::Option* const as_mesh =
      app.add_flag("--mesh", options.read.mesh, "make terrain a navmesh instead of a volume");
  const auto positive = tools::quiet(CLI::PositiveNumber);
  app.add_option("--height", bake.agent_height, "with --mesh: of the agent, in m; 2")
      ->check(positive)
      ->needs(as_mesh);
  app.add_option("--slope", bake.agent_slope, "with --mesh: that it climbs, in degrees; 45")
      ->check(tools::quiet(CLI::Range(0.0F, nav::mesh::kSteepest)))
      ->needs(as_mesh);
  app.add_option("--cell-height", bake.cell_height, "with --mesh: height of a cell, in m; 0.1")
      ->check(positive)
      ->needs(as_mesh);
  app.add_option("--tile", bake.tile_cells, "with --mesh: cells along the side of a tile; 64")
      ->needs(as_mesh);
  app.add_flag("!--static", bake.dynamic,
               "with --mesh: leave out what obstacles need; a smaller file")
      ->needs(as_mesh);
  app.add_option("--material", options.materials,
                 "with --mesh: the area of triangles of a material; 0 is a wall")
      ->needs(as_mesh)
      ->type_name("NAME=AREA");
}

void add_reading(CLI::App& app, Options& options) {
  ReadOptions& read = options.read;
  const auto positive = tools::quiet(CLI::PositiveNumber);
  const auto not_negative = tools::quiet(CLI::NonNegativeNumber);
  app.add_option("--areas", read.areas, "let the agent pass these alone, as 1,2; all but walls")
      ->delimiter(',')
      ->check(tools::quiet(CLI::Range(1, static_cast<int>(nav::kMaxArea))))
      ->type_name("AREAS");
  app.add_option("--radius", read.radius, "of the agent, in m; 0, and 0.5 with --mesh")
      ->check(not_negative);
  app.add_option("--climb", read.climb,
                 "step that it climbs, in m; 1, 0.5 with --mesh, and that of a baked mesh")
      ->check(not_negative);
  app.add_option("--cell", read.cell,
                 "side of a cell of a map or text, in m; 1, and 0.25 with --mesh")
      ->check(positive);
  app.add_option("--voxel", read.voxel, "side of a voxel of terrain, in m; 0.5")->check(positive);
  app.add_option("--margin", read.margin, "air around terrain, in m; 2")->check(not_negative);
  app.add_option("--origin", options.origin, "lowest corner of a map or text; 0,0")
      ->type_name("X,Y[,Z]");
  add_mesh(app, options);
}

void add_question(CLI::App& app, Options& options, bool required) {
  QueryRequest& query = options.query;
  auto* const from = app.add_option("--from", options.from, "start")->type_name("X,Y[,Z]");
  auto* const to = app.add_option("--to", options.to, "goal")->type_name("X,Y[,Z]");
  from->required(required)->needs(to);
  to->required(required)->needs(from);
  add_algorithm(app, query.path.algorithm);
  app.add_option("--smoothing", query.path.smoothing, "none, corners or line_of_sight")
      ->transform(tools::quiet(CLI::CheckedTransformer(kSmoothings)))
      ->type_name("NAME");
  app.add_option("--weight", query.path.weight, "percent of the estimate, for a_star; 100");
  app.add_option("--reach", query.reach, "take the nearest place within so many m; 0")
      ->check(tools::quiet(CLI::NonNegativeNumber));
  app.add_flag("--partial", query.path.partial,
               "find a way to the nearest place if the goal cannot be reached");
}

void add_bake(CLI::App& app, const Streams& streams, Options& options) {
  CLI::App* const bake_app =
      app.add_subcommand("bake", "write a map as a baked file, and report its islands");
  BakeRequest& bake_request = options.bake;
  bake_app
      ->add_option(
          "file", bake_request.file,
          "a .map of MovingAI, .txt with . # 1..9, or .obj, which becomes a volume or mesh")
      ->required();
  bake_app->add_option("--out,-o", bake_request.output, "write the baked file there")->required();
  bake_app->add_flag("--quiet,-q", bake_request.quiet, "show no progress");
  bake_app->add_flag("--json", bake_request.json, "print JSON for scripts");
  add_reading(*bake_app, options);
  bake_app->callback([&] {
    options.command = [&] {
      options.bake.read = options.read;
      return bake(options.bake, streams);
    };
  });
}

void add_query(CLI::App& app, const Streams& streams, Options& options) {
  CLI::App* const query_app = app.add_subcommand("query", "find a way; 1: there is none");
  query_app->add_option("file", options.query.file, "a baked file, or what bake takes")->required();
  add_question(*query_app, options, true);
  query_app->add_flag("--json", options.query.json, "print JSON for scripts");
  add_reading(*query_app, options);
  query_app->callback([&] {
    options.command = [&] {
      options.query.read = options.read;
      return query(options.query, streams);
    };
  });
}

void add_view(CLI::App& app, const Streams& streams, Options& options) {
  CLI::App* const view_app =
      app.add_subcommand("view", "draw a map, with a search or trails of agents");
  ViewRequest& view_request = options.view;
  view_app->add_option("file", view_request.file, "a baked file, or what bake takes")->required();
  view_app->add_option("--svg", view_request.svg, "write a picture there");
  view_app->add_option("--html", view_request.html, "write a page there that plays the search");
  view_app->add_option("--trails", view_request.trails,
                       "show these, lines of {\"id\", \"t\", \"x\", \"y\", \"z\"}");
  view_app->add_option("--z", view_request.z, "of a volume: draw the layer at this height; 0");
  add_question(*view_app, options, false);
  add_reading(*view_app, options);
  view_app->callback([&] {
    options.command = [&] {
      options.view.read = options.read;
      options.view.query = options.query;
      options.view.search = !options.from.empty();
      if (options.view.svg.empty() && options.view.html.empty()) {
        return fail(streams, "view: --svg or --html is required", kExitUsage);
      }
      return view(options.view, streams);
    };
  });
}

void add_scenario(CLI::App& app, const Streams& streams, Options& options) {
  CLI::App* const scenario_app = app.add_subcommand(
      "scenario", "run a .scen of MovingAI and compare the lengths; 1: some differ");
  scenario_app->add_option("file", options.scenario.file, "the scenario")->required();
  scenario_app->add_option("--map", options.scenario.map,
                           "its map; else the one of that name beside it");
  add_algorithm(*scenario_app, options.scenario.algorithm);
  scenario_app->add_flag("--json", options.scenario.json, "print JSON for scripts");
  scenario_app->callback(
      [&] { options.command = [&] { return scenario(options.scenario, streams); }; });
}

}  // namespace

int run_nav_tool(const std::vector<std::string>& arguments, const Streams& streams) {
  CLI::App app("Bakes maps, asks them for ways, and draws both.", "starbus-nav");
  app.set_version_flag("--version", STARBUS_VERSION);
  app.require_subcommand(1);
  Options options;
  add_bake(app, streams, options);
  add_query(app, streams, options);
  add_view(app, streams, options);
  add_scenario(app, streams, options);
  if (const auto ended = tools::parse(app, arguments, streams.out, streams.err, kExitUsage)) {
    return *ended;
  }
  Spot origin;
  for (const auto& [text, spot] :
       {std::pair{&options.from, &options.query.from}, std::pair{&options.to, &options.query.to},
        std::pair{&options.origin, &origin}}) {
    if (text->empty()) continue;
    const auto at = spot_of(*text);
    if (!at) return fail(streams, *text + ": no place; write it as 3,4.5 or 3,4.5,1", kExitUsage);
    *spot = *at;
  }
  options.read.origin = origin.point;
  for (const std::string& text : options.materials) {
    const auto material = material_of(text);
    if (!material) {
      return fail(streams, text + ": no material with its area; write it as water=3, up to 63",
                  kExitUsage);
    }
    options.read.materials.push_back(*material);
  }
  return options.command();
}

}  // namespace starbus::nav_tool
