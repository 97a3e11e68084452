/// Carries out what admission asks for: a verifier that knows a proof per account and takes its
/// time, accounts that count, a clock; and keeps what each attempt was told.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "nodes/login/core/admission.hpp"

namespace starbus::nodes::login::fixture {

struct Fate {
  std::optional<Admit> admitted{};
  std::optional<Refuse> refused{};
  std::vector<Tell> told{};
  bool looked = false;
  Time began{0};
  Time ended{0};
  bool over() const { return admitted || refused; }
};

class Hall {
 public:
  explicit Hall(const AdmissionOptions& options = {}) : admission(options) {
    admission.measured({0, 1'000'000}, at());
  }

  Now at() const { return {now, 1'800'000'000'000 + static_cast<std::uint64_t>(now.count())}; }
  Address address(std::uint32_t number) const {  // each in a /24 of its own
    return {0, 0xffff'0000'0000ULL | (std::uint64_t{number} << 8)};
  }
  AttemptId begin(const std::string& account, std::uint32_t from, bool right = true) {
    Effects effects;
    const AttemptId id = admission.begin(account, address(from), at(), effects);
    asked[id] = {account, right};
    fates[id].began = now;
    carry_out(effects);
    return id;
  }
  /// A login that runs to its end at once, so that the player is known there.
  void make_known(const std::string& account, std::uint32_t from) {
    const AttemptId id = begin(account, from);
    run(1'000);
    known_ok = known_ok && fates[id].admitted.has_value();
  }
  /// Lets time pass, and does what is due.
  void run(std::int64_t milliseconds) {
    const Time until = now + Time(milliseconds);
    while (true) {
      std::optional<Time> due = admission.next(at());
      if (!works.empty() && (!due || works.begin()->first < *due)) due = works.begin()->first;
      if (measuring && (!due || measure_due < *due)) due = measure_due;
      if (!due || *due > until) break;
      now = std::max(now, *due);
      if (measuring && measure_due <= now) measure();
      Effects effects;
      for (; !works.empty() && works.begin()->first <= now; works.erase(works.begin())) {
        works.begin()->second(effects);
      }
      admission.step(at(), effects);
      carry_out(effects);
    }
    now = until;
  }
  void carry_out(const Effects& effects) {
    for (const Effect& effect : effects) {
      std::visit([this](const auto& each) { take(each); }, effect);
    }
  }
  std::size_t count(CloseReason reason) const {
    std::size_t count = 0;
    for (const auto& [id, fate] : fates) {
      if (fate.refused && fate.refused->reason == reason) ++count;
    }
    return count;
  }

  Admission admission;
  Time now{1'000'000};
  Time look_time{50};
  bool looks = true;    // the verifier answers
  bool numbers = true;  // the accounts answer
  bool measuring = true;
  bool known_ok = true;
  std::uint64_t most = 1'000'000;
  std::uint64_t sessions = 0;
  std::optional<double> busy{};  // ms per second of the node where players live
  std::map<AttemptId, Fate> fates;
  std::vector<AttemptId> looked;           // in order
  std::vector<std::string> entered;        // accounts, in order of Number
  std::vector<std::string> wrong_effects;  // what must not be
  std::map<std::string, std::uint64_t> logins;

 private:
  struct Asked {
    std::string account;
    bool right = true;
  };
  void measure() {
    measure_due = now + Time(5'000);
    admission.measured({sessions, most}, at());
    if (busy) admission.nodes("space", {{"a.space-1", *busy, Time(0)}}, at());
  }
  void alive(AttemptId id, std::string_view what) {
    if (fates.at(id).over()) wrong_effects.push_back(std::string(what) + " after the end");
  }
  void take(const Look& look) {
    alive(look.id, "look");
    fates[look.id].looked = true;
    looked.push_back(look.id);
    if (!looks) return;
    works.emplace(now + look_time, [this, id = look.id](Effects& effects) {
      const Asked& who = asked.at(id);
      const auto kind = who.right ? Verdict::Kind::right : Verdict::Kind::wrong;
      admission.judged(id, {kind, who.account, {}}, at(), effects);
    });
  }
  void take(const Number& number) {
    alive(number.id, "number");
    entered.push_back(number.account);
    if (!numbers) return;
    works.emplace(now + Time(2), [this, number](Effects& effects) {
      admission.numbered(number.id, ++logins[number.account], at(), effects);
    });
  }
  void take(const Tell& tell) {
    alive(tell.id, "tell");
    fates[tell.id].told.push_back(tell);
  }
  void take(const Admit& admit) {
    alive(admit.id, "admit");
    fates[admit.id].admitted = admit;
    fates[admit.id].ended = now;
    ++sessions;
  }
  void take(const Refuse& refuse) {
    alive(refuse.id, "refuse");
    fates[refuse.id].refused = refuse;
    fates[refuse.id].ended = now;
  }

  Time measure_due{0};
  std::map<AttemptId, Asked> asked;
  std::multimap<Time, std::function<void(Effects&)>> works;
};

}  // namespace starbus::nodes::login::fixture
