#pragma once

#include <functional>
#include <memory>
#include <utility>

namespace starbus::mail {

/// Calls `done` exactly once: with `otherwise` if the last copy of the result is destroyed without
/// a call. A request that is posted to a loop which ends is thus answered.
template <class Answer>
std::function<void(Answer)> answer_once(std::function<void(Answer)> done, Answer otherwise) {
  struct Owed {
    Owed(std::function<void(Answer)> of, Answer end)
        : done(std::move(of)), otherwise(std::move(end)) {}
    Owed(const Owed&) = delete;
    Owed& operator=(const Owed&) = delete;
    ~Owed() {
      if (done) done(std::move(otherwise));
    }
    std::function<void(Answer)> done;
    Answer otherwise;
  };
  auto owed = std::make_shared<Owed>(std::move(done), std::move(otherwise));
  return [owed](Answer answer) {
    if (const auto call = std::exchange(owed->done, nullptr)) call(std::move(answer));
  };
}

}  // namespace starbus::mail
