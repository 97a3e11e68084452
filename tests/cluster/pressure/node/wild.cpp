#include "tests/cluster/pressure/node/wild.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace starbus::cluster_test {

using namespace std::chrono_literals;
using nodes::entities::wild::Imp;
using nodes::entities::wild::Mayfly;

Wild::~Wild() {
  moods_.reset();
  host_.reset();
  nodes::entities::wild::ledger = nullptr;
}

bus::Result<> Wild::start(nodes::Node& node) {
  node_ = &node;
  nodes::entities::wild::ledger = &ledger_;
  nodes::entities::HostOptions options;
  options.draw = [this]() -> entity::IdentityResult<entity::OnlineId> {
    return entity::OnlineId{++drawn_};
  };
  options.sink = this;
  options.tick = 1ms;
  host_.emplace(node.rpc(), node.timers(), node.name(), std::move(options));
  host_->declare<Imp>();
  host_->declare<Mayfly>();
  bus::Handlers raw;
  raw.on_message = [this](bus::Message& message) {
    raw_.got(std::stoull(std::string(bus::as_text(message.body()))));
    ledger_.maybe(UnitKind::message);
  };
  node.offer(kRaw, raw);
  keeper_.on_report = [this] { return report(); };
  keeper_.on_work = [this](bool wild) { work(wild); };
  node.offer(kKeeper, keeper_);
  node.on_state([this](nodes::NodeState state) {
    if (state == nodes::NodeState::ready) open();
  });
  for (int i = 0; i < 3; ++i) {
    const auto ticking = node.ticks().add(
        {.name = "wild"}, [this](const entity::Tick&) { ledger_.maybe(UnitKind::tick); });
    if (!ticking) return bus::Error(bus::Errc::bad_config, ticking.error().to_string());
    static_cast<void>(bell_.add([this](const Bell&) { ledger_.maybe(UnitKind::listener); }));
  }
  ledger_.calm = true;
  return host_->join(node);
}

void Wild::open() {
  for (std::size_t i = 0; i < kImps; ++i) {
    imps_.push_back(*host_->entities().create<Imp>());
    static_cast<void>(host_->watch(*imps_.back(), entity::Audience::own_client));
    host_->publish(*imps_.back(), "imp/" + std::to_string(i), [](const bus::Result<>& bound) {
      if (!bound) spdlog::error("{}", bound.error().to_string());
    });
  }
  moods_.emplace("moods", *imps_.front(), node_->timers());
  static_cast<void>(moods_->start());
}

void Wild::news(const entity::Entity&, entity::Audience, bus::ByteView) {
  ledger_.maybe(UnitKind::listener);
}

void Wild::work(bool wild) {
  ledger_.calm = !wild;
  timers_.cancel_all();
  if (!wild) return;
  static_cast<void>(node_->timers().every(timers_, 1ms, 1ms, entity::CatchUp::once,
                                          [this] { ledger_.maybe(UnitKind::timer); }));
  static_cast<void>(
      node_->timers().every(timers_, 1ms, 5ms, entity::CatchUp::once, [this] { stir(); }));
}

void Wild::stir() {
  if (!settled()) return;
  for (Imp* const imp : imps_) {
    if (rpc::spawn(node_->rpc(), *imp, imp->dream(node_->rpc()))) ++dreams_;
  }
  // To its own keeper: imps are the other process' to call.
  ++calls_;
  rpc::call<&Keeper::note>(node_->rpc(), kKeeper, {},
                           keeper_.notes.next())([this](const rpc::Reply<void>&) {
    ++answers_;
    ledger_.maybe(UnitKind::completion);
  });
  for (int i = 0; i < 10; ++i) {
    static_cast<void>(node_->post("wild", [this, number = posted_.next()] {
      posted_.got(number);
      ledger_.maybe(UnitKind::closure);
    }));
  }
  ++tasks_;
  static_cast<void>(node_->tasks().submit(
      "wild", [] { return 1; },
      [this](bus::Result<int>) {
        ++tasks_ended_;
        ledger_.maybe(UnitKind::closure);  // completions of tasks come as closures
      }));
  if (const auto fly = host_->entities().create<Mayfly>()) (*fly)->destroy();
  static_cast<void>(bell_.dispatch({}));
}

bool Wild::settled() const {
  std::uint64_t dreamt = 0;
  for (const Imp* imp : imps_) dreamt += imp->dreams;
  return dreamt == dreams_ && answers_ == calls_ && posted_.last == posted_.sent &&
         tasks_ended_ == tasks_ && host_->entities().size() == kImps;
}

std::string Wild::report() {
  nlohmann::json kinds = nlohmann::json::object();
  for (std::size_t i = 0; i < kUnitKinds; ++i) {
    const auto kind = static_cast<UnitKind>(i);
    kinds[std::string(name_of(kind))] = ledger_.thrown(kind);
  }
  const auto shown = [](const Stream& stream) {
    return nlohmann::json({{"last", stream.last}, {"wrong", stream.wrong}});
  };
  nlohmann::json imps = nlohmann::json::array();
  for (const Imp* imp : imps_) {
    imps.push_back(
        {{"hits", shown(imp->hits)}, {"asks", shown(imp->asks)}, {"ponders", shown(imp->ponders)}});
  }
  return nlohmann::json({{"kinds", kinds},
                         {"methods", ledger_.thrown_in()},
                         {"imps", imps},
                         {"raw", shown(raw_)},
                         {"posted", shown(posted_)},
                         {"notes", shown(keeper_.notes)},
                         {"settled", settled()}})
      .dump();
}

}  // namespace starbus::cluster_test
