#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "tools/bustop/live/live_rows.hpp"
#include "tools/terminal/keys.hpp"

namespace starbus::bustop {

/// The full-screen view as a pure state machine: keys and data in, frames out. Knows no terminal
/// and no network; live_screen.hpp drives it. One thread. Bad data shows as an error line over the
/// last good frame.
class LiveView {
 public:
  LiveView(std::string admin, bool colour) : admin_(std::move(admin)), colour_(colour) {}

  void resize(std::size_t columns, std::size_t rows);
  void on_key(Key key);
  /// Data for another place than want() is ignored: the user has moved on.
  void on_data(LiveData data);

  const LiveWant& want() const { return want_; }
  std::chrono::milliseconds interval() const;
  bool paused() const { return paused_; }
  bool quit() const { return quit_; }
  void set_interval(std::chrono::milliseconds interval);

  /// The lines of the screen, each at most its width, with colours but without cursor movement.
  std::vector<std::string> frame() const;
  /// The key of the row under the cursor; "" if there is none.
  std::string selected() const;

 private:
  enum class Mode { table, filter, help };
  /// The state of a place, so that going up returns to the former row.
  struct Place {
    std::string selected;
    std::string filter;
    std::size_t sort = 0;
    bool reverse = false;
  };

  void on_table_key(Key key);
  void on_character(char c);
  void on_filter_key(Key key);
  void move(std::ptrdiff_t by);
  void enter();
  void leave();
  void cycle_sort();
  void change_interval(int by);
  void rearrange();
  std::size_t index() const;  // of the selected row; 0 if there is none
  std::size_t table_height() const;

  std::string title() const;
  std::string place_line() const;
  std::string footer() const;
  void add_table(std::vector<std::string>& lines) const;

  std::string admin_;
  bool colour_;
  std::size_t columns_ = 80;
  std::size_t rows_ = 24;

  Mode mode_ = Mode::table;
  bool quit_ = false;
  bool paused_ = false;
  std::size_t interval_ = 2;
  LiveWant want_;
  std::map<LiveLevel, Place> places_;

  bool loaded_ = false;  // data_ is of want_
  LiveData data_;
  Error error_;  // of the latest reading
  LinkMeter meter_;
  LiveTable table_;
  std::vector<LiveRow> shown_;
};

/// At most `width` columns of a line that holds colours.
std::string clip(const std::string& line, std::size_t width);

}  // namespace starbus::bustop
