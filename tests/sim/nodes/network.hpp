/// Links between nodes: byte-exact bundles, first in first out each way, with random delay. Links
/// overtake each other; nothing overtakes within one.
///
/// A link can be cut (each end learns in its own time), swallow what is sent without a word
/// (half-open), stall, be read slowly, and an abandoned one can leak its old bytes into the link
/// that replaced it. A `gate` lets a scripted scenario hold single bundles. Owns the links; nodes
/// outlive it; one thread.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "bus/core/routers/router.hpp"
#include "tests/sim/nodes/wire.hpp"

namespace starbus::sim {

using bus::LinkId;
using bus::Time;
class Node;
class World;

class Network {
 public:
  explicit Network(World& world) : world_(world) {}

  // --- what nodes do ---
  /// The listener learns of it when it reads the first packet.
  LinkId connect(Node& connector, Node& listener);
  void send(LinkId id, const Node& from, Bytes bundle);
  /// What was sent still arrives, then the other end learns that the link has ended.
  void close(LinkId id, const Node& by);
  /// The node ended: its links end, and some of what it sent last is lost.
  void crashed(const Node& node);
  /// The node reads again.
  void resumed(const Node& node);

  // --- what the adversary does ---
  /// Links that both ends believe to be up, in order of id.
  std::vector<LinkId> open_links() const;
  LinkId link_between(const Node& connector, const Node& listener) const;
  /// Nothing passes any more; part of what is in flight is lost; each end learns after its delay.
  void cut(LinkId id, Time connector_learns, Time listener_learns);
  /// Nothing passes any more in these directions, and nobody is told.
  void swallow(LinkId id, bool to_listener, bool to_connector);
  /// Nothing is read in this direction until then.
  void stall(LinkId id, Toward toward, Time until);
  /// From now on the end reads one bundle per `gap`.
  void slow_down(LinkId id, Toward toward, Time gap);
  /// The connector gives up; what is in flight may be read late, on this link or on the next.
  void abandon(LinkId id, Time late);
  /// Ends all of the above that would not end by itself.
  void heal();

  // --- what a scenario does ---
  enum class Verdict { pass, hold };
  struct Passing {
    const Node& from;
    const Node& to;
    Toward toward;
    ByteView bundle;
  };
  /// Asked about every bundle before it is read. `hold` stops its direction until `release`.
  using Gate = std::function<Verdict(const Passing&)>;
  void set_gate(Gate gate) { gate_ = std::move(gate); }
  void release();

  /// Asked about every record of a bundle that is read; see lose_records.
  using Loss = std::function<bool(const Node& sender, Kind kind, ByteView payload)>;
  void set_loss(Loss loss) { loss_ = std::move(loss); }
  /// Typical one-way delay; spikes are much longer.
  void set_delay(Time least, Time most, double spikes) {
    delay_least_ = least;
    delay_most_ = most;
    spikes_ = spikes;
  }
  /// A cut or a crash loses all that is in flight, and not a random part of it.
  void set_tail_loss(bool all) { lose_all_in_flight_ = all; }
  /// How likely each later bundle of a new link is preceded by one of the abandoned link.
  void set_stray_chance(double chance) { stray_chance_ = chance; }

 private:
  struct Packet {
    enum class What { accept, bundle, end } what = What::bundle;
    Bytes bytes{};
    Time due{};
  };
  struct Way {
    std::deque<Packet> packets;
    Time last_due{};
    Time stalled_until{};
    bool half_open = false;  // swallows, but the bytes may surface
    Time read_gap{};
    Time last_read{};
    std::uint64_t read = 0;
    bool swallows = false;
    bool armed = false;
  };
  struct Link {
    LinkId id = 0;
    Node* ends[2] = {};  // by Toward: the listener, the connector
    bool open[2] = {};   // as that end sees it
    Way ways[2];         // by Toward
  };
  static std::size_t index(Toward toward) { return static_cast<std::size_t>(toward); }
  static Toward opposite(Toward toward) {
    return toward == Toward::listener ? Toward::connector : Toward::listener;
  }

  Link* find(LinkId id);
  void push(Link& link, Toward toward, Packet packet);
  void arm(Link& link, Toward toward);
  void deliver(LinkId id, Toward toward);
  void read_bundle(Link& link, Toward toward, Bytes bundle);
  void maybe_stray(Link& link, Toward toward);
  void keep_stray(const Link& link, Toward toward, const Bytes& bytes);
  void lose_tail(Way& way);
  void forget_if_closed(LinkId id);
  Time draw_delay();

  World& world_;
  LinkId next_ = 1;
  std::map<LinkId, std::unique_ptr<Link>> links_;
  /// Bytes of abandoned links that the next link between the same ends may deliver.
  struct Stray {
    const Node* connector;
    Toward toward;
    Bytes bytes;
  };
  std::vector<Stray> strays_;
  Gate gate_;
  Loss loss_;
  Time delay_least_ = std::chrono::microseconds(50);
  Time delay_most_ = std::chrono::microseconds(800);
  double spikes_ = 0;
  double stray_chance_ = 0.3;
  bool lose_all_in_flight_ = false;
};

}  // namespace starbus::sim
