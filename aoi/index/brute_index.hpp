/// Tests every sensor against every entity at every evaluation. It has no structure that could be
/// wrong: it is the oracle for the other backends, and good for some fifty entities. One thread;
/// owns its rows.
#pragma once

#include "aoi/index/index.hpp"

namespace starbus::aoi {

class BruteIndex final : public Index {
 public:
  explicit BruteIndex(const Scene& scene) : scene_(scene) {}

  void reserve(std::size_t, std::size_t sensors) override { rows_.reserve(sensors + 1); }
  void insert(EntityIndex) override {}
  void erase(EntityIndex entity, std::vector<SensorIndex>& had) override;
  void move(EntityIndex) override {}
  void refilter(EntityIndex) override {}
  void refilter_all(FilterNumber) override {}
  void attach(SensorIndex sensor) override;
  void detach(SensorIndex sensor, std::vector<EntityIndex>& had) override;
  void rewatch(SensorIndex) override {}
  void adopt(SensorIndex sensor, EntityIndex target) override;
  void dirty(std::vector<Dirty>& out) override;
  void evaluate(Delta& delta, const std::vector<std::uint8_t>* skip) override;
  bool has(SensorIndex sensor, EntityIndex target) const override;
  void in_range(SensorIndex sensor, std::vector<EntityIndex>& out) const override;
  void observers(EntityIndex target, std::vector<SensorIndex>& out) const override;
  void in_range_within(SensorIndex sensor, float limit, std::vector<Candidate>& out) const override;
  void visit(const Box& box, EntityVisitor visitor) const override;
  std::uint64_t memory() const override;

 private:
  struct Row {
    bool attached = false;
    std::vector<EntityIndex> in_range;  ///< sorted
  };
  bool accepts(const Watch& watch, EntityIndex target, bool was) const;

  const Scene& scene_;
  std::vector<Row> rows_;
};

}  // namespace starbus::aoi
