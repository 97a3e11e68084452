#include "tools/terminal/table.hpp"

#include <algorithm>
#include <cassert>

#include "tools/terminal/text.hpp"

namespace starbus::bustop {
namespace {

constexpr std::string_view kGap = "  ";
constexpr std::size_t kLeastElastic = 8;

const char* code_of(Tone tone) {
  switch (tone) {
    case Tone::plain:
      return "";
    case Tone::strong:
      return "\x1b[1m";
    case Tone::faint:
      return "\x1b[2m";
    case Tone::good:
      return "\x1b[32m";
    case Tone::warning:
      return "\x1b[33m";
    case Tone::bad:
      return "\x1b[1;31m";
  }
  return "";
}

}  // namespace

std::string toned(const Look& look, Tone tone, std::string_view text) {
  if (!look.colour || tone == Tone::plain || text.empty()) return std::string(text);
  return std::string(code_of(tone)).append(text).append("\x1b[0m");
}

Cell::Cell(std::string_view raw, Tone cell_tone) : text(printable(raw)), tone(cell_tone) {}

void Table::add(std::vector<Cell> cells) {
  assert(cells.size() == columns_.size());
  rows_.push_back(std::move(cells));
}

std::vector<std::size_t> Table::widths(const Look& look) const {
  std::vector<std::size_t> result;
  std::size_t total = 0;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    std::size_t width = columns(columns_[c].title);
    for (const auto& row : rows_) width = std::max(width, columns(row[c].text));
    result.push_back(width);
    total += width + (c == 0 ? 0 : kGap.size());
  }
  if (look.width == 0 || total <= look.width) return result;
  const auto elastic = std::ranges::find(columns_, true, &Column::elastic);
  if (elastic == columns_.end()) return result;
  std::size_t& width = result[static_cast<std::size_t>(elastic - columns_.begin())];
  const std::size_t excess = total - look.width;
  width = std::max(std::min(width, kLeastElastic), width > excess ? width - excess : 0);
  return result;
}

std::string Table::line(const std::vector<Cell>& cells, const std::vector<std::size_t>& widths,
                        const Look& look) const {
  std::string result;
  for (std::size_t c = 0; c < cells.size(); ++c) {
    const std::string text = columns_[c].elastic ? fit(cells[c].text, widths[c]) : cells[c].text;
    const std::size_t used = columns(text);
    const std::string space(used < widths[c] ? widths[c] - used : 0, ' ');
    if (c > 0) result += kGap;
    if (columns_[c].align == Align::right) result += space;
    result += toned(look, cells[c].tone, text);
    if (columns_[c].align == Align::left) result += space;
  }
  result.erase(result.find_last_not_of(' ') + 1);
  return result;
}

std::vector<std::string> Table::lines(const Look& look) const {
  const auto all_widths = widths(look);
  std::vector<Cell> titles;
  for (const Column& column : columns_) titles.emplace_back(column.title, Tone::strong);
  std::vector<std::string> result{line(titles, all_widths, look)};
  for (const auto& row : rows_) result.push_back(line(row, all_widths, look));
  return result;
}

std::string Table::text(const Look& look) const {
  std::string result;
  for (const std::string& line : lines(look)) result += line + "\n";
  return result;
}

std::vector<std::string> branches(const std::vector<std::size_t>& depths) {
  std::vector<std::string> result(depths.size());
  // From below: whether a sibling follows is known when a row is reached.
  std::vector<bool> follows;
  for (std::size_t i = depths.size(); i-- > 0;) {
    const std::size_t depth = depths[i];
    follows.resize(depth + 1);  // deeper rows further down hang on other parents
    for (std::size_t d = 1; d < depth; ++d) result[i] += follows[d] ? "│  " : "   ";
    if (depth > 0) result[i] += follows[depth] ? "├─ " : "└─ ";
    follows[depth] = true;
  }
  return result;
}

}  // namespace starbus::bustop
