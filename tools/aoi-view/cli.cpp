// aoi-view draws a recorded world, for people who debug who sees whom.
#include "tools/aoi-view/cli.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fstream>
#include <iterator>
#include <ostream>
#include <span>

#include "tools/aoi-view/frames.hpp"
#include "tools/terminal/command_line.hpp"

namespace starbus::aoi_view {
namespace {

constexpr int kFailed = 1;
constexpr int kExitUsage = 2;

struct Request {
  std::string recording;
  std::string output;
  Selection selection;
  bool svg = false;
};

int fail(std::ostream& err, int code, const std::string& text) {
  err << "aoi-view: " << text << "\n";
  return code;
}

/// Reports what the picture leaves out.
void say_limits(const Film& film, std::ostream& err) {
  if (film.cut) {
    err << "aoi-view: shows updates " << film.frames.front().update << " to "
        << film.frames.back().update << "; begin later with --from\n";
  }
  const auto crowded = std::ranges::find_if(
      film.frames, [](const Frame& frame) { return frame.lines.size() < frame.pairs; });
  if (crowded != film.frames.end()) {
    err << "aoi-view: update " << crowded->update << " has " << crowded->pairs
        << " pairs, of which " << crowded->lines.size()
        << " are drawn; --entity draws those of one alone\n";
  }
}

int draw(const Request& request, bool one_entity, std::ostream& err) {
  std::ifstream in(request.recording, std::ios::binary);
  if (!in) return fail(err, kFailed, request.recording + ": cannot be read");
  const std::string bytes((std::istreambuf_iterator<char>(in)), {});
  const Selection& selection = request.selection;
  const auto film = read_film(bytes, selection);
  if (!film) return fail(err, kFailed, request.recording + ": " + film.error().to_string());
  if (film->frames.empty()) {
    return fail(err, kExitUsage,
                request.recording + ": no update " + std::to_string(selection.first) +
                    "; choose one of the recorded updates, from 1 on");
  }
  const std::span frames(film->frames);
  if (one_entity && !shows(request.svg ? frames.last(1) : frames, selection.only)) {
    return fail(err, kExitUsage,
                request.recording + ": no entity with index " + std::to_string(selection.only) +
                    " in the drawn updates; choose other updates");
  }
  say_limits(*film, err);
  std::ofstream out(request.output, std::ios::binary);
  if (request.svg) {
    write_svg(out, *film, film->frames.back());
  } else {
    write_html(out, *film);
  }
  out.close();
  return out ? 0 : fail(err, kFailed, request.output + ": cannot be written");
}

}  // namespace

int run_aoi_view(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err) {
  CLI::App app(
      "Draws a recording of aoi::Recorder: one moment as SVG (--update), or the run as an "
      "animated\n"
      "HTML page. Lines say who sees whom, rings are radii, red dots are not observable.",
      "aoi-view");
  Request request;
  std::uint64_t update = 0;
  Selection& selection = request.selection;
  app.add_option("recording", request.recording, "The file with the bytes of Recorder::take")
      ->required();
  app.add_option("--out,-o", request.output, "Write the picture there: .svg or .html")->required();
  const auto* moment = app.add_option("--update", update,
                                      "SVG: draw the moment after this update; default: the last");
  app.add_option("--from", selection.first, "HTML: begin with this update")->capture_default_str();
  app.add_option("--to", selection.last, "HTML: end with this update")->capture_default_str();
  const auto* entity = app.add_option(
      "--entity", selection.only, "Draw only what the sensors of the entity with this index see");
  if (const auto end = tools::parse(app, arguments, out, err, kExitUsage)) return *end;

  request.svg = request.output.ends_with(".svg");
  if (!request.svg && !request.output.ends_with(".html")) {
    return fail(err, kExitUsage, request.output + ": neither .svg nor .html");
  }
  if (request.svg && moment->count() > 0) selection.first = selection.last = update;
  return draw(request, entity->count() > 0, err);
}

}  // namespace starbus::aoi_view
