#include "examples/arena/operator/watch.hpp"

#include <optional>
#include <utility>

#include "examples/arena/operator/survey.hpp"

namespace arena::view {

using nlohmann::json;

namespace {

Moment now() {
  return std::chrono::duration_cast<Moment>(std::chrono::steady_clock::now().time_since_epoch());
}

json json_of(const Event& event, Moment at) {
  json row = {{"number", event.number},
              {"ago_ms", (at - event.at).count()},
              {"what", name_of(event.what)},
              {"who", event.who}};
  if (event.what != Event::What::travel) return row;
  row["from"] = event.from;
  row["to"] = event.to;
  row["leaves"] = event.leaves;
  row["goes"] = event.goes;
  return row;
}

}  // namespace

Watch::Watch(const RunFolder& folder)
    : folder_(folder), looked_(now()), thread_([this] { run(); }) {}

Watch::~Watch() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

bool Watch::goes_on() {
  const std::lock_guard lock(mutex_);
  return !ends_;
}

json Watch::look(std::uint64_t after) {
  const std::lock_guard lock(mutex_);
  const Moment at = now();
  if (at - looked_ > kIdle) {  // the first one after a while waits for no idle round
    soon_ = true;
    changed_.notify_all();
  }
  looked_ = at;
  json shown = latest_;
  shown["travels"] = history_.travels();
  shown["last"] = history_.last();
  shown["age_ms"] = surveyed_ == Moment{} ? json() : json((at - surveyed_).count());
  shown["events"] = json::array();
  for (const Event& event : history_.after(after, kMostEvents)) {
    shown["events"].push_back(json_of(event, at));
  }
  return shown;
}

void Watch::ordered(Event::What what, const std::string& program) {
  const std::lock_guard lock(mutex_);
  history_.ordered(what, program, now());
  soon_ = true;
  changed_.notify_all();
}

void Watch::run() {
  Survey survey(folder_, ask_by_socket(kPatience), [this] { return goes_on(); });
  std::unique_lock lock(mutex_);
  while (!ends_) {
    soon_ = false;
    const Moment began = now();
    lock.unlock();  // a round takes long, and look() must not wait for it
    std::optional<Round> found = survey.round(began);
    lock.lock();
    if (!found) break;
    for (const auto& [program, up] : found->up) history_.program(program, up, began);
    history_.round(found->crowds, began);
    latest_ = std::move(found->shown);
    surveyed_ = began;
    changed_.wait_until(lock,
                        std::chrono::steady_clock::time_point(
                            began + (began - looked_ > kIdle ? kIdleRound : kRound)),
                        [this] { return ends_ || soon_; });
  }
}

}  // namespace arena::view
