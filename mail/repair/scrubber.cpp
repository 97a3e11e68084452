#include "mail/repair/scrubber.hpp"

#include <utility>

#include "mail/repair/damage_names.hpp"

namespace starbus::mail {

Scrubber::Scrubber(const storage::Store& store, const ScrubSettings& settings, Trouble trouble)
    : store_(store), settings_(settings), trouble_(std::move(trouble)) {
  if (settings_.rate != 0) thread_ = std::thread([this] { run(); });
}

Scrubber::~Scrubber() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

ScrubFigures Scrubber::figures() const {
  const std::lock_guard lock(mutex_);
  return figures_;
}

void Scrubber::run() {
  do {
    go_round();
  } while (wait_for(settings_.rest));
}

/// False: it is to end.
bool Scrubber::wait_for(std::chrono::steady_clock::duration time) {
  std::unique_lock lock(mutex_);
  return !changed_.wait_for(lock, time, [this] { return ending_; });
}

void Scrubber::go_round() {
  Places present;
  bool whole = true;
  const auto checked = store_.check_files(
      {.read =
           [&](std::uint64_t bytes) {
             {
               const std::lock_guard lock(mutex_);
               figures_.bytes += bytes;
             }
             const std::chrono::duration<double> share(static_cast<double>(bytes) /
                                                       static_cast<double>(settings_.rate));
             whole =
                 wait_for(std::chrono::duration_cast<std::chrono::steady_clock::duration>(share));
             return whole;
           },
       .damaged = [&](const storage::FileDamage& damage) { found(damage, present); }});
  if (!checked && checked.error() != storage::Errc::closed) {
    const std::string why = checked.error().to_string();
    if (std::exchange(cannot_check_, why) != why) {
      trouble_("the files of the store cannot be scrubbed now: " + why);
    }
  }
  if (!checked || !whole) return;
  cannot_check_.clear();
  latest_ = std::move(present);
  publish({});
  const std::lock_guard lock(mutex_);
  ++figures_.rounds;
}

void Scrubber::found(const storage::FileDamage& damage, Places& places) {
  const std::pair place(damage.file, damage.from);
  if (places.contains(place) || places.size() >= kScrubPlaces) return;
  const auto known = latest_.find(place);
  if (known != latest_.end()) {
    places.insert(*known);
    return;
  }
  const auto texts = places.emplace(place, name(damage)).first->second;
  {
    const std::lock_guard lock(mutex_);
    ++figures_.found;
  }
  publish(places);
  for (const std::string& text : texts) trouble_("damage: " + text);
}

std::vector<std::string> Scrubber::name(const storage::FileDamage& damage) const {
  std::vector<std::string> texts;
  const auto snapshot = store_.snapshot();
  const auto findings = snapshot ? name_damage(**snapshot, damage, kScrubBoxes)
                                 : storage::Result<std::vector<Finding>>(snapshot.error());
  if (!findings) return {damage.file + ": " + damage.reason};
  for (const Finding& finding : *findings) texts.push_back(finding.to_string());
  if (findings->size() > kScrubBoxes) texts.emplace_back("and more mailboxes, not named here");
  return texts;
}

/// Publishes what the latest round has found, and the present one so far.
void Scrubber::publish(const Places& present) {
  Places all = latest_;
  all.insert(present.begin(), present.end());
  const std::lock_guard lock(mutex_);
  figures_.damaged = all.size();
  figures_.findings.clear();
  for (const auto& [place, texts] : all) {
    for (const std::string& text : texts) {
      if (figures_.findings.size() < kScrubShown) figures_.findings.push_back(text);
    }
  }
}

}  // namespace starbus::mail
