#include "tools/nav/picture.hpp"

#include <algorithm>
#include <iomanip>
#include <ostream>

#include "tools/terminal/json_text.hpp"

namespace starbus::nav_tool {
namespace {

constexpr double kWidth = 900;  // of the picture, in pixels
constexpr double kMostHeight = 4'000;

// From metres to pixels; y goes up in a world and down in a picture.
class Canvas {
 public:
  explicit Canvas(const nav::Box& box)
      : box_(box),
        scale_(std::min(kWidth / std::max(1e-6, gap(box.low.x, box.high.x)),
                        kMostHeight / std::max(1e-6, gap(box.low.y, box.high.y)))) {}

  double x(float at) const { return gap(box_.low.x, at) * scale_; }
  double y(float at) const { return gap(at, box_.high.y) * scale_; }
  double width() const { return gap(box_.low.x, box_.high.x) * scale_; }
  double height() const { return gap(box_.low.y, box_.high.y) * scale_; }
  double scale() const { return scale_; }

 private:
  static double gap(float low, float high) {
    return static_cast<double>(high) - static_cast<double>(low);
  }

  nav::Box box_;
  double scale_;
};

// Texts come from files: what has a meaning in a page is written in another way.
std::string escaped(const std::string& text) {
  std::string out;
  for (const char sign : text) {
    switch (sign) {
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '&':
        out += "&amp;";
        break;
      default:
        out += sign;
    }
  }
  return out;
}

void draw_shapes(std::ostream& out, const Canvas& canvas, const std::vector<Shape>& shapes) {
  for (const Shape& shape : shapes) {
    if (shape.size() == 2) {
      const nav::Point& low = shape[0];
      const nav::Point& high = shape[1];
      out << "<rect x=\"" << canvas.x(low.x) << "\" y=\"" << canvas.y(high.y) << "\" width=\""
          << canvas.x(high.x) - canvas.x(low.x) << "\" height=\""
          << canvas.y(low.y) - canvas.y(high.y) << "\"/>\n";
      continue;
    }
    out << "<polygon stroke=\"#b8c4ae\" points=\"";
    for (const nav::Point& at : shape) out << canvas.x(at.x) << ',' << canvas.y(at.y) << ' ';
    out << "\"/>\n";
  }
}

template <class Points, class At>
void draw_line(std::ostream& out, const Canvas& canvas, const Points& points, At&& at,
               const char* style) {
  out << "<polyline fill=\"none\" " << style << " points=\"";
  for (const auto& point : points) {
    out << canvas.x(at(point).x) << ',' << canvas.y(at(point).y) << ' ';
  }
  out << "\"/>\n";
}

// By shape: x, y, x, y, ...
bustop::OrderedJson numbers_of(const std::vector<Shape>& shapes) {
  auto list = bustop::OrderedJson::array();
  for (const Shape& shape : shapes) {
    auto numbers = bustop::OrderedJson::array();
    for (const nav::Point& at : shape) {
      numbers.push_back(at.x);
      numbers.push_back(at.y);
    }
    list.push_back(std::move(numbers));
  }
  return list;
}

constexpr const char* kScript = R"(
const canvas = document.querySelector('canvas'), context = canvas.getContext('2d');
const slider = document.querySelector('input'), text = document.querySelector('span');
const x = at => (at - data.low[0]) * data.scale;
const y = at => canvas.height - (at - data.low[1]) * data.scale;
const shapes = (list, outlined) => {
  for (const at of list) {
    if (at.length === 4) {
      const [a, b, c, d] = at;
      context.fillRect(x(a), y(d), (c - a) * data.scale, (d - b) * data.scale);
      continue;
    }
    context.beginPath();
    for (let i = 0; i < at.length; i += 2) context.lineTo(x(at[i]), y(at[i + 1]));
    context.closePath();
    context.fill();
    if (outlined) context.stroke();
  }
};
const line = points => {
  context.beginPath();
  for (const at of points) context.lineTo(x(at[0]), y(at[1]));
  context.stroke();
};
const colours = ['#a3be8c', '#d08770', '#b48ead', '#5e81ac', '#bf616a', '#8fbcbb', '#ebcb8b'];
const ticks = 1000;
const times = data.trails.flatMap(trail => trail.points.map(point => point[2]));
const first = times.reduce((a, b) => Math.min(a, b), Infinity);
const last = times.reduce((a, b) => Math.max(a, b), -Infinity);
const steps = data.trails.length > 0 ? ticks : Math.max(data.frames.length - 1, 0);
slider.max = steps;
function drawTrails(now) {
  data.trails.forEach((trail, index) => {
    context.strokeStyle = context.fillStyle = colours[index % colours.length];
    const past = trail.points.filter(point => point[2] <= now);
    if (past.length === 0) return;
    const next = trail.points[past.length], here = past[past.length - 1];
    const part = next ? (now - here[2]) / (next[2] - here[2] || 1) : 0;
    const at = next ? [here[0] + (next[0] - here[0]) * part, here[1] + (next[1] - here[1]) * part]
                    : here;
    line([...past, at]);
    context.fillRect(x(at[0]) - 3, y(at[1]) - 3, 6, 6);
    if (data.trails.length <= 100) context.fillText(trail.id, x(at[0]) + 5, y(at[1]) - 5);
  });
}
function draw() {
  const part = steps === 0 ? 1 : slider.value / steps;
  context.fillStyle = '#ffffff';
  context.fillRect(0, 0, canvas.width, canvas.height);
  const frame = Math.round(part * Math.max(data.frames.length - 1, 0));
  context.fillStyle = '#eef2ea';
  context.strokeStyle = '#b8c4ae';
  shapes(data.open, true);
  context.fillStyle = '#cfe0f2';
  for (let i = 0; i <= frame && i < data.frames.length; ++i) shapes(data.frames[i].added, true);
  context.fillStyle = '#4c566a';
  shapes(data.closed, false);
  let said = [];
  if (data.frames.length > 0) {
    context.strokeStyle = '#bf616a';
    context.lineWidth = 2;
    line(data.frames[frame].way);
    context.lineWidth = 1;
    said.push(`${data.frames[frame].expanded} nodes expanded`);
  }
  if (data.trails.length > 0) {
    const now = first + (last - first) * part;
    drawTrails(now);
    said.push(`${now.toFixed(2)} s`);
  }
  text.textContent = said.join(', ');
}
let timer = null;
document.querySelector('button').onclick = () => {
  if (timer) { clearInterval(timer); timer = null; return; }
  timer = setInterval(() => {
    slider.value = (+slider.value + Math.max(1, Math.round(steps / 200))) % (steps + 1);
    draw();
  }, 50);
};
slider.oninput = draw;
draw();
)";

}  // namespace

void write_svg(std::ostream& out, const Picture& picture) {
  const Canvas canvas(picture.bounds);
  out << std::setprecision(7) << "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\""
      << canvas.width() << "\" height=\"" << canvas.height() << "\">\n<title>"
      << escaped(picture.title) << "</title>\n"
      << "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n<g fill=\"#eef2ea\">\n";
  draw_shapes(out, canvas, picture.open);
  out << "</g>\n<g fill=\"#cfe0f2\">\n";
  for (const Frame& frame : picture.frames) draw_shapes(out, canvas, frame.added);
  out << "</g>\n<g fill=\"#4c566a\">\n";
  draw_shapes(out, canvas, picture.closed);
  out << "</g>\n";
  for (const Trail& trail : picture.trails) {
    draw_line(
        out, canvas, trail.points, [](const TrailPoint& point) { return point.at; },
        "stroke=\"#5e81ac\"");
  }
  if (!picture.frames.empty()) {
    draw_line(
        out, canvas, picture.frames.back().way, [](const nav::Point& point) { return point; },
        "stroke=\"#bf616a\" stroke-width=\"2\"");
  }
  out << "</svg>\n";
}

void write_html(std::ostream& out, const Picture& picture) {
  const Canvas canvas(picture.bounds);
  bustop::OrderedJson data;
  data["low"] = {picture.bounds.low.x, picture.bounds.low.y};
  data["scale"] = canvas.scale();
  data["open"] = numbers_of(picture.open);
  data["closed"] = numbers_of(picture.closed);
  data["frames"] = bustop::OrderedJson::array();
  for (const Frame& frame : picture.frames) {
    auto way = bustop::OrderedJson::array();
    for (const nav::Point& at : frame.way) way.push_back({at.x, at.y});
    data["frames"].push_back(
        {{"expanded", frame.expanded}, {"added", numbers_of(frame.added)}, {"way", way}});
  }
  data["trails"] = bustop::OrderedJson::array();
  for (const Trail& trail : picture.trails) {
    auto points = bustop::OrderedJson::array();
    for (const TrailPoint& point : trail.points) {
      points.push_back({point.at.x, point.at.y, point.t});
    }
    data["trails"].push_back({{"id", trail.id}, {"points", points}});
  }
  // An id could end the script.
  std::string text = bustop::dump(data, true);
  for (std::size_t at = text.find("</"); at != std::string::npos; at = text.find("</", at)) {
    text.replace(at, 2, "<\\/");
  }
  out << "<!doctype html>\n<meta charset=\"utf-8\">\n<title>" << escaped(picture.title)
      << "</title>\n<button>play</button> <input type=\"range\" min=\"0\" value=\"0\" "
      << "style=\"width:600px\"> <span></span><br>\n<canvas width=\"" << canvas.width()
      << "\" height=\"" << canvas.height()
      << "\" style=\"border:1px solid #ccc\"></canvas>\n<script>\nconst data = " << text << ";\n"
      << kScript << "</script>\n";
}

}  // namespace starbus::nav_tool
