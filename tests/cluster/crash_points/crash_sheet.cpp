#include "tests/cluster/crash_points/crash_sheet.hpp"

#include <algorithm>
#include <new>

namespace starbus::cluster_test {
namespace {

constexpr const char* kCallNames[] = {"open", "append", "sync", "rename", "remove", "sync"};
constexpr const char* kFileNames[] = {"log",       "table",  "manifest", "CURRENT",
                                      "temporary", "folder", "other"};
constexpr const char* kPhaseNames[] = {"opening", "posting", "logging",    "reading", "erasing",
                                       "purging", "closing", "recovering", "moving",  "ageing"};
constexpr const char* kMomentNames[] = {"before", "half of", "after"};

template <class Value>
std::size_t index(Value value) {
  return static_cast<std::size_t>(value);
}

}  // namespace

std::string name_of(const Situation& situation) {
  return std::string(kCallNames[index(situation.call)]) + " of " +
         kFileNames[index(situation.file)] + " while " + kPhaseNames[index(situation.phase)];
}

std::string name_of(Moment moment) {
  return kMomentNames[index(moment)];
}

std::string name_of(const CrashPoint& point) {
  if (point.nth == 0) return "no crash";
  return name_of(point.moment) + " call " + std::to_string(point.nth) +
         (point.counts == Counts::all ? "" : " (" + name_of(point.situation) + ")") +
         (point.counts == Counts::kind ? ", or another time" : "");
}

CrashSheet CrashSheet::create(const std::filesystem::path& path) {
  CrashSheet sheet(SharedFile::create(path, sizeof(Content)));
  new (sheet.file_.data()) Content{};
  return sheet;
}

void CrashSheet::arm(const CrashPoint& point) {
  Content& all = content();
  all.point = point;
  all.made = 0;
  all.matched = 0;
  all.struck = false;
}

std::vector<Situation> CrashSheet::calls() const {
  const Content& all = content();
  const auto count = std::min<std::size_t>(all.made, kMost);
  return {all.calls.begin(), all.calls.begin() + static_cast<std::ptrdiff_t>(count)};
}

bool CrashSheet::note(DiskCall call, DiskFile file) {
  Content& all = content();
  const Situation situation{call, file, all.phase};
  const std::uint32_t before = all.made;
  if (before < kMost) all.calls[before] = situation;
  all.made = before + 1;
  const CrashPoint& point = all.point;
  if (point.nth == 0) return false;
  const bool kind = call == point.situation.call && file == point.situation.file;
  if (point.counts == Counts::kind && !kind) return false;
  if (point.counts == Counts::situation && situation != point.situation) return false;
  if (++all.matched != point.nth) return false;
  all.struck = true;
  return true;
}

}  // namespace starbus::cluster_test
