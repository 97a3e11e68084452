#include "tools/bustop/live/live_view.hpp"

#include <algorithm>
#include <array>

namespace starbus::bustop {
namespace {

using std::chrono::milliseconds;
constexpr std::array kIntervals = {milliseconds(250),  milliseconds(500),  milliseconds(1000),
                                   milliseconds(2000), milliseconds(5000), milliseconds(10000)};
constexpr std::size_t kLongestFilter = 255;  // as a name

}  // namespace

void LiveView::resize(std::size_t columns, std::size_t rows) {
  columns_ = std::max<std::size_t>(columns, 1);
  rows_ = std::max<std::size_t>(rows, 1);
}

milliseconds LiveView::interval() const {
  return kIntervals[interval_];
}

void LiveView::set_interval(milliseconds interval) {
  interval_ = 0;
  while (interval_ + 1 < kIntervals.size() && kIntervals[interval_] < interval) ++interval_;
}

void LiveView::on_data(LiveData data) {
  if (data.want != want_) return;
  error_ = data.error;
  if (data.error.code != Errc::ok) return;
  meter_.feed(data);
  data_ = std::move(data);
  loaded_ = true;
  table_ = live_table(data_, meter_);
  rearrange();
}

void LiveView::rearrange() {
  const Place& place = places_[want_.level];
  shown_ = arranged(table_, place.filter, place.sort, place.reverse);
}

std::size_t LiveView::index() const {
  const auto place = places_.find(want_.level);
  if (place == places_.end()) return 0;
  const auto found = std::ranges::find(shown_, place->second.selected, &LiveRow::key);
  return found == shown_.end() ? 0 : static_cast<std::size_t>(found - shown_.begin());
}

std::string LiveView::selected() const {
  return shown_.empty() ? "" : shown_[index()].key;
}

void LiveView::on_key(Key key) {
  switch (mode_) {
    case Mode::help:
      mode_ = Mode::table;
      quit_ = key == Key::of('q');
      return;
    case Mode::filter:
      return on_filter_key(key);
    case Mode::table:
      return on_table_key(key);
  }
}

void LiveView::on_table_key(Key key) {
  const auto page = static_cast<std::ptrdiff_t>(std::max<std::size_t>(table_height(), 1));
  const auto all = static_cast<std::ptrdiff_t>(shown_.size());
  switch (key.kind) {
    case Key::Kind::up:
      return move(-1);
    case Key::Kind::down:
      return move(1);
    case Key::Kind::page_up:
      return move(-page);
    case Key::Kind::page_down:
      return move(page);
    case Key::Kind::home:
      return move(-all);
    case Key::Kind::end:
      return move(all);
    case Key::Kind::enter:
      return enter();
    case Key::Kind::escape:
    case Key::Kind::backspace:
      return leave();
    case Key::Kind::character:
      return on_character(key.character);
  }
}

void LiveView::on_character(char c) {
  switch (c) {
    case 'q':
      quit_ = true;
      return;
    case 'p':
    case ' ':
      paused_ = !paused_;
      return;
    case 's':
      return cycle_sort();
    case 'r':
      places_[want_.level].reverse = !places_[want_.level].reverse;
      return rearrange();
    case 'j':
      return move(1);
    case 'k':
      return move(-1);
    case '/':
      mode_ = Mode::filter;
      return;
    case 'h':
    case '?':
      mode_ = Mode::help;
      return;
    case '+':
    case '=':
      return change_interval(1);
    case '-':
      return change_interval(-1);
    default:
      return;
  }
}

void LiveView::on_filter_key(Key key) {
  std::string& filter = places_[want_.level].filter;
  switch (key.kind) {
    case Key::Kind::character:
      if (filter.size() < kLongestFilter) filter.push_back(key.character);
      break;
    case Key::Kind::backspace:
      // A whole character: continuation bytes and the byte that leads them.
      while (!filter.empty() && (filter.back() & 0xc0) == 0x80) filter.pop_back();
      if (!filter.empty()) filter.pop_back();
      break;
    case Key::Kind::escape:
      filter.clear();
      mode_ = Mode::table;
      break;
    default:
      mode_ = Mode::table;
      break;
  }
  rearrange();
}

void LiveView::move(std::ptrdiff_t by) {
  if (shown_.empty()) return;
  const auto last = static_cast<std::ptrdiff_t>(shown_.size()) - 1;
  const auto at = std::clamp<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(index()) + by, 0, last);
  places_[want_.level].selected = shown_[static_cast<std::size_t>(at)].key;
}

void LiveView::enter() {
  if (!loaded_ || shown_.empty() || want_.level == LiveLevel::process) return;
  const std::string key = selected();
  places_[want_.level].selected = key;
  if (want_.level == LiveLevel::cluster) {
    want_ = {LiveLevel::host, key, {}};
  } else {
    want_ = {LiveLevel::process, want_.host, key};
  }
  places_[want_.level] = {};
  loaded_ = false;
  table_ = {};
  shown_.clear();
}

void LiveView::leave() {
  if (want_.level == LiveLevel::cluster) {
    // Nowhere to go: the filter is what one may want to be rid of.
    places_[want_.level].filter.clear();
    return rearrange();
  }
  if (want_.level == LiveLevel::process) {
    want_ = {LiveLevel::host, want_.host, {}};
  } else {
    want_ = {};
  }
  loaded_ = false;
  table_ = {};
  shown_.clear();
}

void LiveView::cycle_sort() {
  if (table_.columns.empty()) return;
  Place& place = places_[want_.level];
  place.sort = (place.sort + 1) % table_.columns.size();
  place.reverse = false;
  rearrange();
}

void LiveView::change_interval(int by) {
  if (by > 0 && interval_ + 1 < kIntervals.size()) ++interval_;
  if (by < 0 && interval_ > 0) --interval_;
}

}  // namespace starbus::bustop
