// aoi-view: pictures of a recorded world, for people who debug who sees whom.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

#include "tools/aoi-view/frames.hpp"

namespace {

constexpr int kFailed = 1;

int fail(const std::string& text) {
  std::cerr << "aoi-view: " << text << "\n";
  return kFailed;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{
      "Draws a recording of aoi::Recorder: one moment as SVG (--update), or the run as an "
      "animated\n"
      "HTML page. Lines say who sees whom, rings are radii, red dots are seen by nobody."};
  std::string recording;
  std::string output;
  std::uint64_t update = 0;
  starbus::aoi_view::Selection selection;
  app.add_option("recording", recording, "What Recorder::take gave")->required();
  app.add_option("--out,-o", output, "The picture to write: .svg or .html")->required();
  app.add_option("--update", update, "SVG: after which update; the last if not given");
  app.add_option("--from", selection.first, "HTML: the first update")->capture_default_str();
  app.add_option("--to", selection.last, "HTML: the last update")->capture_default_str();
  app.add_option("--entity", selection.only,
                 "Only what the sensors of this entity (its index) see");
  CLI11_PARSE(app, argc, argv);

  const bool svg = output.ends_with(".svg");
  if (!svg && !output.ends_with(".html")) return fail(output + ": neither .svg nor .html");
  std::ifstream in(recording, std::ios::binary);
  if (!in) return fail(recording + ": cannot be read");
  const std::string bytes((std::istreambuf_iterator<char>(in)), {});
  if (svg && update != 0) selection.first = selection.last = update;
  const auto film = starbus::aoi_view::read_film(bytes, selection);
  if (!film) return fail(recording + ": " + film.error().to_string());
  if (film->frames.empty()) return fail(recording + ": has no such update");
  if (film->cut) {
    std::cerr << "aoi-view: shows updates " << film->frames.front().update << " to "
              << film->frames.back().update << "; begin later with --from\n";
  }
  const auto crowded = std::ranges::find_if(
      film->frames, [](const auto& frame) { return frame.lines.size() < frame.pairs; });
  if (crowded != film->frames.end()) {
    std::cerr << "aoi-view: update " << crowded->update << " has " << crowded->pairs
              << " pairs, of which " << crowded->lines.size()
              << " are drawn; --entity draws those of one alone\n";
  }
  std::ofstream out(output, std::ios::binary);
  if (svg) {
    starbus::aoi_view::write_svg(out, *film, film->frames.back());
  } else {
    starbus::aoi_view::write_html(out, *film);
  }
  out.close();
  return out ? 0 : fail(output + ": cannot be written");
}
