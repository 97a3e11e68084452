/// Tables and colours for the terminal. Pure: values in, text out.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace starbus::bustop {

enum class Tone { plain, strong, faint, good, warning, bad };

/// The style of output: for a terminal of `width` columns (0: not a terminal, nothing is cut).
struct Look {
  bool colour = false;
  std::size_t width = 0;
};

/// The text in its tone; without colour, the text.
std::string toned(const Look& look, Tone tone, std::string_view text);

/// `raw` may come from a peer: it is made printable here, and nowhere else before.
struct Cell {
  std::string text;
  Tone tone = Tone::plain;

  Cell(std::string_view raw, Tone cell_tone = Tone::plain);  // NOLINT: texts are cells
  Cell(const std::string& raw, Tone cell_tone = Tone::plain)
      : Cell(std::string_view(raw), cell_tone) {}
  Cell(const char* raw, Tone cell_tone = Tone::plain) : Cell(std::string_view(raw), cell_tone) {}
};

/// Columns in a fixed order; their widths follow the cells. A table that is wider than the terminal
/// is shortened in its elastic column.
class Table {
 public:
  enum class Align { left, right };
  struct Column {
    std::string title;
    Align align = Align::left;
    bool elastic = false;  // may be cut to fit the terminal; the first one is
  };

  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
  void add(std::vector<Cell> cells);
  std::size_t rows() const { return rows_.size(); }
  /// Without newlines, for views that draw lines themselves. The first is the title.
  std::vector<std::string> lines(const Look& look) const;
  std::string text(const Look& look) const;

 private:
  std::vector<std::size_t> widths(const Look& look) const;
  std::string line(const std::vector<Cell>& cells, const std::vector<std::size_t>& widths,
                   const Look& look) const;

  std::vector<Column> columns_;
  std::vector<std::vector<Cell>> rows_;
};

/// The drawn branches of a tree, one per row: "│  ├─ ". Depth 0 has none.
std::vector<std::string> branches(const std::vector<std::size_t>& depths);

}  // namespace starbus::bustop
