#include "nav/grid/clusters/regions.hpp"

#include <algorithm>
#include <limits>

namespace starbus::nav::grid {

namespace {

// Of is_touched_.
constexpr std::uint8_t kTouched = 1;
constexpr std::uint8_t kChosen = 2;

}  // namespace

Regions::Regions(const Layer& layer, const Level& clusters, std::uint32_t side)
    : layer_(layer),
      clusters_(clusters),
      level_(layer.layout(), side),
      bases_(level_.count()),
      is_touched_(level_.count()) {}

CellBox Regions::clusters(std::uint32_t region) const {
  const CellBox cells = level_.box(region);
  const std::uint32_t side = clusters_.side();
  return {cells.x0 / side, cells.y0 / side, (cells.x1 + side - 1) / side,
          (cells.y1 + side - 1) / side};
}

void Regions::touch(std::uint32_t cluster) {
  const std::uint32_t x = cluster % clusters_.across() * clusters_.side();
  const std::uint32_t y = cluster / clusters_.across() * clusters_.side();
  const std::uint32_t region = level_.number_of(y << 16 | x);
  if (is_touched_[region] == kTouched) return;
  is_touched_[region] = kTouched;
  touched_.push_back(region);
}

bool Regions::work(std::uint32_t pieces) {
  for (; pieces > 0 && chosen_ < touched_.size(); --pieces) choose(touched_[chosen_++]);
  if (chosen_ < touched_.size()) return false;
  for (; pieces > 0 && !stale_.empty(); --pieces) {
    compute(stale_.back());
    stale_.pop_back();
  }
  if (!stale_.empty()) return false;
  level_.join(touched_);
  for (const std::uint32_t region : touched_) is_touched_[region] = 0;
  touched_.clear();
  chosen_ = 0;
  return true;
}

// Gives each entrance of the region's clusters a number that those have, too, that it is joined
// with in the region.
void Regions::label(std::uint32_t region) {
  labels_.resize(clusters_.entrances());
  const CellBox box = clusters(region);
  const auto each = [&](auto&& act) {
    for (std::uint32_t y = box.y0; y < box.y1; ++y) {
      for (std::uint32_t x = box.x0; x < box.x1; ++x) {
        const std::uint32_t number = y * clusters_.across() + x;
        const auto count = static_cast<std::uint32_t>(clusters_.at(number).entrances.size());
        for (std::uint32_t i = 0; i < count; ++i) act(EntranceId(number, i));
      }
    }
  };
  each([&](EntranceId id) { labels_[clusters_.index(id)] = 0; });
  each([&](EntranceId first) {
    if (labels_[clusters_.index(first)] != 0) return;
    labels_[clusters_.index(first)] = ++last_label_;
    pending_.assign(1, first);
    const auto add = [&](EntranceId id) {
      if (labels_[clusters_.index(id)] != 0) return;
      labels_[clusters_.index(id)] = last_label_;
      pending_.push_back(id);
    };
    while (!pending_.empty()) {
      const EntranceId at = pending_.back();
      pending_.pop_back();
      const Level::Square& cluster = clusters_.at(at.square());
      const std::size_t count = cluster.entrances.size();
      for (std::uint32_t i = 0; i < count; ++i) {
        if (cluster.cost(at.place(), i) != Level::kNone) add(EntranceId(at.square(), i));
      }
      const Entrance& entrance = cluster.entrances[at.place()];
      if (!clusters_.is_link(at) && level_.number_of(entrance.across) == region)
        add(entrance.other);
    }
  });
}

void Regions::choose(std::uint32_t region) {
  is_touched_[region] = kChosen;
  stale_now(region);
  last_label_ = 0;
  label(region);
  const bool cuts = layer_.options().diagonals == Diagonals::cut;
  for (Direction d = 0; d < (cuts ? 8 : 4); ++d) {
    const std::uint32_t other = level_.neighbour(region, d);
    if (other == Level::kNone || is_touched_[other] == kChosen) continue;
    label(other);
    choose_border(region, d);
    if (level_.replace(region, d, forth_)) stale_now(region);
    if (level_.replace(other, opposite(d), back_)) stale_now(other);
    set_bases(other);
  }
  choose_links(region);
  set_bases(region);
}

void Regions::stale_now(std::uint32_t region) {
  if (level_.at(region).stale) return;
  level_.square(region).stale = true;
  stale_.push_back(region);
}

// Writes forth_ and back_: the entrances, seen from this region and from the other one.
void Regions::choose_border(std::uint32_t region, Direction direction) {
  const CellBox box = clusters(region);
  stretches_.clear();
  const auto look_at = [&](std::uint32_t x, std::uint32_t y) {
    const std::uint32_t number = y * clusters_.across() + x;
    const Level::Square& cluster = clusters_.at(number);
    for (std::uint32_t i = cluster.first[direction]; i < cluster.first[direction + 1u]; ++i) {
      add(EntranceId(number, i), direction);
    }
  };
  const std::uint32_t x = kStepX[direction] > 0 ? box.x1 - 1 : box.x0;
  const std::uint32_t y = kStepY[direction] > 0 ? box.y1 - 1 : box.y0;
  if (diagonal(direction)) {
    look_at(x, y);
  } else if (kStepX[direction] != 0) {
    for (std::uint32_t i = box.y0; i < box.y1; ++i) look_at(x, i);
  } else {
    for (std::uint32_t i = box.x0; i < box.x1; ++i) look_at(i, y);
  }
  std::vector<EntranceId>& kept = stretches_.take();
  std::ranges::sort(kept, {}, &EntranceId::value);
  forth_.clear();
  back_.clear();
  for (const EntranceId id : kept) {
    forth_.push_back(clusters_.entrance(id));
    back_.push_back(clusters_.entrance(clusters_.entrance(id).other));
  }
}

void Regions::add(EntranceId id, Direction direction) {
  const Entrance& entrance = clusters_.entrance(id);
  const std::uint64_t pair =
      std::uint64_t{labels_[clusters_.index(id)]} << 32 | labels_[clusters_.index(entrance.other)];
  const std::uint32_t place = kStepX[direction] != 0 ? entrance.cell >> 16 : entrance.cell & 0xffff;
  stretches_.add(pair, place, id);
}

void Regions::choose_links(std::uint32_t region) {
  forth_.clear();
  for (const LayerLinks::Pair& pair : layer_.links().pairs()) {
    if (level_.number_of(pair.from) == region)
      forth_.push_back({pair.from, pair.to, pair.cost, {}});
    if (level_.number_of(pair.to) == region) {
      forth_.push_back({pair.to, pair.from, pair.cost_back, {}});
    }
  }
  if (level_.replace(region, Level::kLinks, forth_)) stale_now(region);
}

void Regions::set_bases(std::uint32_t region) {
  const Level::Square& square = level_.at(region);
  bases_[region].resize(square.entrances.size());
  for (std::uint32_t group = 0; group <= Level::kLinks; ++group) {
    for (std::uint32_t i = square.first[group]; i < square.first[group + 1]; ++i) {
      const Entrance& one = square.entrances[i];
      const std::uint32_t number = clusters_.number_of(one.cell);
      const Level::Square& cluster = clusters_.at(number);
      for (std::uint32_t k = cluster.first[group]; k < cluster.first[group + 1]; ++k) {
        const Entrance& base = cluster.entrances[k];
        if (base.cell == one.cell && base.across == one.across) {
          bases_[region][i] = EntranceId(number, k);
          break;
        }
      }
    }
  }
}

void Regions::compute(std::uint32_t region) {
  Level::Square& square = level_.square(region);
  square.stale = false;
  const std::size_t count = square.entrances.size();
  costs_.clear();
  for (std::uint32_t from = 0; from < count; ++from) {
    search_.start(clusters_, clusters(region));
    search_.add_seed(bases_[region][from], 0);
    std::uint32_t budget = std::numeric_limits<std::uint32_t>::max();
    search_.run(budget);
    for (std::uint32_t to = 0; to < count; ++to) {
      const std::uint64_t cost = search_.cost_at(bases_[region][to]);
      costs_.push_back(cost == EntranceSearch::kNoWay ? Level::kNone
                                                      : static_cast<std::uint32_t>(cost));
    }
  }
  square.set_costs(costs_);
}

std::size_t Regions::bytes() const {
  std::size_t sum = level_.bytes() + is_touched_.capacity() + labels_.capacity() * 4;
  for (const auto& bases : bases_) sum += sizeof bases + bases.capacity() * 4;
  return sum;
}

}  // namespace starbus::nav::grid
