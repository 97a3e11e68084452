/// Bodies of sight: what is read is sound, and means the same when it is written again.
#include "nodes/space/sight/sight_wire.hpp"
#include "tests/fuzz/fuzz_target.hpp"

namespace {

using namespace starbus::nodes::sight;

struct Rewriter {
  SightWriter& writer;
  void operator()(const Scene& scene) const { writer.scene(scene); }
  void operator()(const Enter& enter) const {
    writer.enter(enter.index, enter.id, enter.class_name, enter.move, enter.properties);
  }
  void operator()(const Leave& leave) const { writer.leave(leave.index); }
  void operator()(const News& news) const { writer.news(news.index, news.changes); }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace starbus;
  using namespace starbus::nodes;
  using bus::require;
  const bus::ByteView input = bus::fuzz_input(data, size);
  const auto body = decode_sight(input);
  if (!body) return 0;
  bus::Bytes again;
  SightWriter writer(again);
  for (const Record& record : body->records) {
    if (const auto* enter = std::get_if<Enter>(&record)) {
      require(enter->index != 0 && enter->class_name.size() <= kSightClass);
    }
    std::visit(Rewriter{writer}, record);
  }
  if (!body->moves.empty()) {
    const bus::ByteView moves(body->moves);
    require(moves.size() >= movement::kBatchHeader);
    writer.moves({bus::load<std::uint32_t>(moves.data() + 1),
                  bus::load<std::uint32_t>(moves.data() + 5),
                  bus::load<std::uint32_t>(moves.data() + 9)});
    again.insert(again.end(), moves.begin() + movement::kBatchHeader, moves.end());
  }
  // Each number has one form, so the bytes are the same.
  require(bus::as_text(again) == bus::as_text(input));
  return 0;
}
