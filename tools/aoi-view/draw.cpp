#include <algorithm>
#include <cmath>
#include <iomanip>
#include <vector>

#include "aoi/index/cells.hpp"
#include "tools/aoi-view/frames.hpp"

namespace starbus::aoi_view {
namespace {

constexpr double kWidth = 900;  // of the picture, in pixels

// From metres to pixels; y goes up in a world and down in a picture.
class Canvas {
 public:
  explicit Canvas(const aoi::Box& box)
      : box_(box),
        scale_(kWidth / std::max(1e-3, double{box.max.x} - double{box.min.x})),
        height_((double{box.max.y} - double{box.min.y}) * scale_) {}

  double x(float at) const { return (double{at} - double{box_.min.x}) * scale_; }
  double y(float at) const { return (double{box_.max.y} - double{at}) * scale_; }
  double length(float metres) const { return double{metres} * scale_; }
  double height() const { return height_; }

 private:
  aoi::Box box_;
  double scale_;
  double height_;
};

// The box around all frames, with some room.
aoi::Box box_of(const std::vector<Frame>& frames) {
  aoi::Box box{{3e38F, 3e38F, 0}, {-3e38F, -3e38F, 0}};
  for (const Frame& frame : frames) {
    for (const Dot& dot : frame.dots) {
      box.min = {std::min(box.min.x, dot.at.x), std::min(box.min.y, dot.at.y), 0};
      box.max = {std::max(box.max.x, dot.at.x), std::max(box.max.y, dot.at.y), 0};
    }
  }
  if (box.min.x > box.max.x) return {{0, 0, 0}, {1, 1, 0}};
  const float air = std::max({(box.max.x - box.min.x) / 20, (box.max.y - box.min.y) / 20, 1.0F});
  return {{box.min.x - air, box.min.y - air, 0}, {box.max.x + air, box.max.y + air, 0}};
}

// The borders of the backend's cells within a picture. Empty if it has no cells, or if they would
// be too close to tell apart.
struct Borders {
  std::vector<float> x;
  std::vector<float> y;
};

Borders borders_of(const aoi::WorldOptions& options, const Canvas& canvas, const aoi::Box& box) {
  Borders borders;
  const bool uniform = options.backend == aoi::Backend::grid;
  if (!uniform && options.backend != aoi::Backend::hashed_grid) return borders;
  const double edge = aoi::CellScale(0, 0, options.reach).edge();
  if (canvas.length(static_cast<float>(edge)) < 4) return borders;
  // A uniform grid ends at its bounds; an entity outside is at home in a cell of the edge.
  const auto fill = [&](float origin, float from, float to, std::vector<float>& lines) {
    const double first = std::ceil((double{from} - double{origin}) / edge);
    for (double at = double{origin} + first * edge; at <= double{to}; at += edge) {
      lines.push_back(static_cast<float>(at));
    }
  };
  const aoi::Position origin = uniform ? options.bounds.min : aoi::Position{};
  const aoi::Position least = uniform ? options.bounds.min : box.min;
  const aoi::Position most = uniform ? options.bounds.max : box.max;
  fill(origin.x, std::max(least.x, box.min.x), std::min(most.x, box.max.x), borders.x);
  fill(origin.y, std::max(least.y, box.min.y), std::min(most.y, box.max.y), borders.y);
  return borders;
}

void draw_cells(std::ostream& out, const Canvas& canvas, const Borders& borders) {
  out << "<g class=\"cells\" stroke=\"#e4e4e4\">\n";
  for (const float x : borders.x) {
    out << "<line x1=\"" << canvas.x(x) << "\" x2=\"" << canvas.x(x) << "\" y1=\"0\" y2=\""
        << canvas.height() << "\"/>\n";
  }
  for (const float y : borders.y) {
    out << "<line y1=\"" << canvas.y(y) << "\" y2=\"" << canvas.y(y) << "\" x1=\"0\" x2=\""
        << kWidth << "\"/>\n";
  }
  out << "</g>\n";
}

void draw_sets(std::ostream& out, const Canvas& canvas, const Frame& frame, bool square) {
  out << "<g fill=\"none\" stroke=\"#9ab8d8\">\n";
  for (const Ring& ring : frame.rings) {
    const aoi::Position& at = frame.dots[ring.dot].at;
    const double radius = canvas.length(ring.radius);
    if (square) {
      out << "<rect x=\"" << canvas.x(at.x) - radius << "\" y=\"" << canvas.y(at.y) - radius
          << "\" width=\"" << 2 * radius << "\" height=\"" << 2 * radius << "\"/>\n";
    } else {
      out << "<circle cx=\"" << canvas.x(at.x) << "\" cy=\"" << canvas.y(at.y) << "\" r=\""
          << radius << "\"/>\n";
    }
  }
  out << "</g>\n<g stroke=\"#d08770\" stroke-opacity=\"0.5\">\n";
  for (const Line& line : frame.lines) {
    const aoi::Position& from = frame.dots[line.from].at;
    const aoi::Position& to = frame.dots[line.to].at;
    out << "<line x1=\"" << canvas.x(from.x) << "\" y1=\"" << canvas.y(from.y) << "\" x2=\""
        << canvas.x(to.x) << "\" y2=\"" << canvas.y(to.y) << "\"/>\n";
  }
  out << "</g>\n";
}

template <class List, class Write>
void write_list(std::ostream& out, const char* name, const List& list, const Write& write) {
  out << '"' << name << "\":[";
  const char* comma = "";
  for (const auto& one : list) {
    out << comma;
    write(one);
    comma = ",";
  }
  out << ']';
}

// The page draws this list itself.
void write_frames(std::ostream& out, const Film& film) {
  out << "[\n";
  const char* comma = "";
  for (const Frame& frame : film.frames) {
    out << comma << "{\"update\":" << frame.update << ",\"enters\":" << frame.enters
        << ",\"leaves\":" << frame.leaves << ",\"pairs\":" << frame.pairs << ',';
    write_list(out, "dots", frame.dots, [&](const Dot& dot) {
      out << '[' << dot.id.index() << ',' << dot.at.x << ',' << dot.at.y << ','
          << (dot.observable ? 1 : 0) << ']';
    });
    out << ',';
    write_list(out, "rings", frame.rings,
               [&](const Ring& ring) { out << '[' << ring.dot << ',' << ring.radius << ']'; });
    out << ',';
    write_list(out, "lines", frame.lines,
               [&](const Line& line) { out << '[' << line.from << ',' << line.to << ']'; });
    out << '}';
    comma = ",\n";
  }
  out << "\n]";
}

constexpr std::string_view kScript = R"(
const canvas = document.querySelector('canvas'), slider = document.querySelector('input');
const context = canvas.getContext('2d'), text = document.querySelector('span');
const scale = canvas.width / (box[2] - box[0]);
const x = at => (at - box[0]) * scale, y = at => (box[3] - at) * scale;
function draw() {
  const frame = frames[slider.value];
  context.clearRect(0, 0, canvas.width, canvas.height);
  context.fillStyle = '#e4e4e4';
  for (const at of cells[0]) context.fillRect(x(at), 0, 1, canvas.height);
  for (const at of cells[1]) context.fillRect(0, y(at), canvas.width, 1);
  context.strokeStyle = '#9ab8d8';
  for (const [dot, radius] of frame.rings) {
    const [, px, py] = frame.dots[dot];
    context.beginPath();
    if (square) context.rect(x(px - radius), y(py + radius), 2 * radius * scale, 2 * radius * scale);
    else context.arc(x(px), y(py), radius * scale, 0, 2 * Math.PI);
    context.stroke();
  }
  context.strokeStyle = 'rgba(208,135,112,0.5)';
  context.beginPath();
  for (const [from, to] of frame.lines) {
    context.moveTo(x(frame.dots[from][1]), y(frame.dots[from][2]));
    context.lineTo(x(frame.dots[to][1]), y(frame.dots[to][2]));
  }
  context.stroke();
  for (const [index, px, py, seen] of frame.dots) {
    context.fillStyle = seen ? '#2e3440' : '#bf616a';
    context.fillRect(x(px) - 2, y(py) - 2, 4, 4);
    if (frame.dots.length <= 200) context.fillText(index, x(px) + 4, y(py) - 4);
  }
  text.textContent = `update ${frame.update}: ${frame.dots.length} entities, ` +
      `${frame.pairs} pairs, ${frame.enters} entered, ${frame.leaves} left` +
      (frame.lines.length < frame.pairs ? `; ${frame.lines.length} pairs are drawn` : '');
}
let timer = null;
document.querySelector('button').onclick = () => {
  if (timer) { clearInterval(timer); timer = null; return; }
  timer = setInterval(() => { slider.value = (+slider.value + 1) % frames.length; draw(); }, 100);
};
slider.oninput = draw;
if (frames.length) draw(); else text.textContent = 'no updates in this recording';
)";

}  // namespace

void write_svg(std::ostream& out, const Film& film, const Frame& frame) {
  const aoi::Box box = box_of({frame});
  const Canvas canvas(box);
  out << std::setprecision(7) << "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" << kWidth
      << "\" height=\"" << canvas.height() << "\">\n<title>update " << frame.update << ": "
      << frame.lines.size() << " of " << frame.pairs << " pairs</title>\n"
      << "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n";
  draw_cells(out, canvas, borders_of(film.options, canvas, box));
  draw_sets(out, canvas, frame, film.options.metric == aoi::Metric::square);
  for (const Dot& dot : frame.dots) {
    out << "<circle cx=\"" << canvas.x(dot.at.x) << "\" cy=\"" << canvas.y(dot.at.y)
        << "\" r=\"2.5\" fill=\"" << (dot.observable ? "#2e3440" : "#bf616a") << "\"><title>"
        << dot.id.index() << " at " << dot.at.x << ", " << dot.at.y << "</title></circle>\n";
  }
  out << "</svg>\n";
}

void write_html(std::ostream& out, const Film& film) {
  const aoi::Box box = box_of(film.frames);
  const Canvas canvas(box);
  out << std::setprecision(7)
      << "<!doctype html>\n<meta charset=\"utf-8\">\n<title>aoi-view</title>\n"
      << "<button>play</button> <input type=\"range\" min=\"0\" value=\"0\" style=\"width:600px\""
      << " max=\"" << (film.frames.empty() ? 0 : film.frames.size() - 1) << "\"> <span></span>"
      << "<br>\n<canvas width=\"" << kWidth << "\" height=\"" << canvas.height()
      << "\" style=\"border:1px solid #ccc\"></canvas>\n<script>\nconst box = [" << box.min.x << ','
      << box.min.y << ',' << box.max.x << ',' << box.max.y
      << "], square = " << (film.options.metric == aoi::Metric::square ? "true" : "false")
      << ", cells = [";
  const Borders borders = borders_of(film.options, canvas, box);
  const char* comma = "";
  for (const auto& lines : {borders.x, borders.y}) {
    out << comma << '[';
    comma = "";
    for (const float at : lines) {
      out << comma << at;
      comma = ",";
    }
    out << ']';
    comma = ",";
  }
  out << "];\nconst frames = ";
  write_frames(out, film);
  out << ";\n" << kScript << "</script>\n";
}

}  // namespace starbus::aoi_view
