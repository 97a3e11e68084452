/// What hostile clients say to a gate, in any order, on four connections: whole frames of theirs,
/// with true sessions, tokens and binds where a frame has a small number for one. Nobody hears
/// anything before its welcome, packets come in the order of their numbers, after the position that
/// the client has said; requests go on in the order of theirs, each once; a gate keeps to its
/// bounds.
///
/// Input: steps {u8 what, u8 connection, u16 length, bytes}.
#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <vector>

#include "nodes/gate/core/gate_core.hpp"
#include "tests/fuzz/fuzz_target.hpp"

namespace {

using namespace starbus;
using namespace starbus::nodes::gate;
using bus::require;

constexpr std::size_t kHead = 4;
constexpr std::size_t kMostSteps = 200;
constexpr std::size_t kPlaces = 4;  // sessions of this gate
constexpr Bind kBind{3, 1};
const bus::Process kHome{7, 7, 70};
const std::string kSubject = "player/7";

class FuzzKeys : public KeySource {
 public:
  Key key() override { return {++last_, 1}; }

 private:
  std::uint64_t last_ = 0x1000;
};

template <class T>
bus::Bytes bytes_of(const T& word) {
  bus::Bytes bytes;
  encode(word, bytes);
  return bytes;
}

class Driver {
 public:
  Driver() : core_({{"gate/z", {9, 9, 9}}, "z:1", kPlaces, {}}, keys_) { tick(0); }

  void step(std::uint8_t what, std::uint8_t connection, bus::ByteView bytes) {
    const std::size_t place = connection % 4;
    switch (what % 8) {
      case 4:
        part(place, bytes);
        break;
      case 5:
        tick(static_cast<int>(bytes.size()) * 100);
        break;
      case 6:
        if (numbers_[place] != 0) core_.closed(numbers_[place]);
        open_.erase(std::exchange(numbers_[place], 0));
        break;
      case 7:
        end(place);
        break;
      default:
        if (const auto frame = decode_from_client(bytes)) say(place, *frame);
    }
    carry_out();
  }

 private:
  struct Open {
    bool welcomed = false;
    std::uint64_t c = 0;
  };
  struct Known {
    SessionId session{};
    std::vector<Key> tokens{};
    std::uint64_t n = 0;  // parts that were said to it
  };

  void say(std::size_t place, FromClient frame) {
    if (numbers_[place] == 0 || !open_.contains(numbers_[place])) {
      numbers_[place] = ++last_;
      open_[last_] = {};
      core_.opened(last_, "x");
    }
    if (auto* resume = std::get_if<Resume>(&frame); resume != nullptr && !known_.empty()) {
      if (resume->session.low < 4 && resume->session.high == 0) {
        const Known& known = known_[resume->session.low % known_.size()];
        resume->session = known.session;
        if (resume->token.low < 4) {
          const std::size_t back =
              std::min<std::size_t>(resume->token.low, known.tokens.size() - 1);
          resume->token = known.tokens[known.tokens.size() - 1 - back];
        }
      }
    }
    if (auto* ask = std::get_if<Ask>(&frame); ask != nullptr && ask->bind == Bind{}) {
      ask->bind = kBind;
    }
    core_.frame(numbers_[place], frame);
  }

  /// Its home says the next part, or one that skips or repeats.
  void part(std::size_t place, bus::ByteView bytes) {
    if (known_.empty() || bytes.empty()) return;
    Known& known = known_[place % known_.size()];
    const auto skips = std::to_integer<std::uint64_t>(bytes[0]);
    const std::uint64_t n = skips >= 250 ? known.n + skips - 249 : ++known.n;
    Part said{sessions::PartKind::call,
              std::make_shared<const bus::Bytes>(bytes.begin(), bytes.end())};
    if (n == 1) {
      sessions::FullState full{kSubject, kBind, kBind, 0, {}, {"guild"}, {}};
      said = {sessions::PartKind::full, sessions::body_of(full)};
    }
    bus::Bytes bundle;
    sessions::encode_bundle({{++handle_,
                              Introduction{known.session, 1, kBind, {5, 1}, kSubject},
                              n,
                              {std::move(said)}}},
                            bundle);
    core_.bundle(kHome, bundle);
  }

  void end(std::size_t place) {
    if (known_.empty()) return;
    const Known& known = known_[place % known_.size()];
    core_.told(sessions::End{known.session, {kBind.epoch, 9}, sessions::Reason::replaced, {}});
  }

  void tick(int ms) {
    now_ += GateTime(ms);
    for (int i = 0; i < 20 && core_.tick(now_); ++i) continue;
    core_.input_drained();
  }

  void carry_out() {
    for (auto effects = core_.take(); !effects.empty(); effects = core_.take()) {
      for (Effect& effect : effects) std::visit([this](auto& each) { take(each); }, effect);
    }
    require(core_.size() <= kPlaces);
  }

  void take(const SendFrame& effect) {
    const auto found = open_.find(effect.to);
    require(found != open_.end());
    const auto* welcome = std::get_if<Welcome>(&effect.frame);
    if (welcome == nullptr) return;
    require(!found->second.welcomed);
    found->second = {true, welcome->position.c};
    const auto same = [&](const Known& each) { return each.session == welcome->session; };
    auto known = std::ranges::find_if(known_, same);
    require((known != known_.end()) == welcome->goes_on);
    if (!welcome->goes_on) known = known_.insert(known_.end(), Known{welcome->session, {}, 0});
    known->tokens.push_back(welcome->token);
  }
  void take(const SendPacket& effect) {
    const auto found = open_.find(effect.to);
    require(found != open_.end() && found->second.welcomed);
    require(effect.packet.c == ++found->second.c);
  }
  void take(const HangUp& effect) { require(open_.erase(effect.connection) == 1); }
  void take(TellSubject& effect) {
    if (const auto* request = std::get_if<sessions::Request>(&effect.word)) {
      require(request->u == ++asked_[request->session] && request->bind == kBind);
    }
    answer(effect.question,
           bytes_of(sessions::Answer{sessions::AnswerKind::ok, kBind, {5, 1}, 1, 1, {}, {}}));
  }
  void take(TellAccount& effect) {
    const bool binds = std::holds_alternative<sessions::BindSession>(effect.word);
    const auto kind =
        binds ? sessions::AccountAnswerKind::bound : sessions::AccountAnswerKind::ended;
    answer(effect.question,
           bytes_of(sessions::AccountAnswer{kind, kBind, kSubject, 4, 1, {"gate/z", {9, 9, 9}}}));
  }
  void take(const TellLogin& effect) {
    core_.login_said(effect.question, LoginAdmitted{"account/a", 4, bus::Bytes(1), bus::Bytes(1)});
  }
  /// No other gate is there.
  void take(const TellGate& effect) {
    if (effect.question != 0) core_.outcome(effect.question, Outcome::no_owner, {});
  }
  void take(const LoadAccount&) {}
  void take(const ForgetLogin&) {}
  void answer(std::uint64_t question, const bus::Bytes& bytes) {
    if (question != 0) core_.outcome(question, Outcome::ok, bytes);
  }

  FuzzKeys keys_;
  GateTime now_{1'000'000};
  GateCore core_;
  std::array<ConnectionId, 4> numbers_{};
  ConnectionId last_ = 0;
  std::map<ConnectionId, Open> open_;
  std::vector<Known> known_;
  std::map<SessionId, std::uint64_t> asked_;
  std::uint32_t handle_ = 0;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  bus::ByteView input = bus::fuzz_input(data, size);
  Driver driver;
  for (std::size_t steps = 0; steps < kMostSteps && input.size() >= kHead; ++steps) {
    const std::size_t length =
        std::min<std::size_t>(bus::load<std::uint16_t>(input.data() + 2), input.size() - kHead);
    driver.step(std::to_integer<std::uint8_t>(input[0]), std::to_integer<std::uint8_t>(input[1]),
                input.subspan(kHead, length));
    input = input.subspan(kHead + length);
  }
  return 0;
}
