#include "entity/client/parts.hpp"

#include <boost/unordered/unordered_flat_map.hpp>
#include <utility>

#include "entity/client/fields.hpp"

namespace starbus::entity::sessions {
namespace {

constexpr std::uint8_t kBundle = 0xc0;
constexpr std::size_t kHeadBytes = 16;  // that a part takes beside its body, as a rule

template <class A, class V>
void introduction_of(A& a, V& v) {
  a.key(v.session);
  a.number(v.turn, 0xffff'ffff);
  pair_of(a, v.bind);
  pair_of(a, v.run);
  a.text(v.subject, kChannelBytes);
}
template <class A, class V>
void full_of(A& a, V& v) {
  a.text(v.subject, kChannelBytes);
  pair_of(a, v.bind);
  pair_of(a, v.since);
  a.number(v.up_done, kAnyNumber);
  list_of(a, v.open, kRequestsOpen, [&](auto& u) { a.number(u, kAnyNumber); });
  list_of(a, v.groups, kLinkGroups, [&](auto& group) { a.text(group, kGroupName); });
  a.bytes(v.properties, kPartBytes);
}
template <class A, class V>
void reply_of(A& a, V& v) {
  a.number(v.u, kAnyNumber);
  a.bytes(v.answer, kPartBytes);
}
template <class A, class V>
void idle_of(A& a, V& v) {
  optional_of(a, v.before, [&](auto& before) { process_of(a, before); });
}
template <class A, class V>
void over_of(A& a, V& v) {
  reason_of(a, v.reason);
  closing_of(a, v.closing);
}

template <class T, class Fields>
void put(const T& body, Bytes& out, Fields fields) {
  Encoder to(out);
  FieldWriter writer(to);
  fields(writer, body);
}
template <class T, class Fields>
DataResult<T> get(ByteView bytes, Fields fields) {
  Decoder in(bytes);
  FieldReader reader(in);
  T body;
  fields(reader, body);
  if (const DataErrc bad = in.finish(); bad != DataErrc::ok) return DataError(bad);
  return {in_place_value, std::move(body)};
}

constexpr auto kFull = [](auto& a, auto& v) { full_of(a, v); };
constexpr auto kReply = [](auto& a, auto& v) { reply_of(a, v); };
constexpr auto kIdle = [](auto& a, auto& v) { idle_of(a, v); };
constexpr auto kOver = [](auto& a, auto& v) { over_of(a, v); };

/// The bodies of a bundle, each once, in the order in which they are first used.
class Bodies {
 public:
  void add(const Body& body) {
    const auto [at, added] = known_.try_emplace(body.get(), bodies_.size());
    if (added) {
      bodies_.push_back(body.get());
      bytes_ += body->size();
    }
    places_.push_back(at->second);
  }
  const std::vector<const Bytes*>& all() const { return bodies_; }
  std::size_t bytes() const { return bytes_; }
  /// Of each that was added, its place in all().
  const std::vector<std::size_t>& places() const { return places_; }

 private:
  boost::unordered_flat_map<const Bytes*, std::size_t> known_;
  std::vector<const Bytes*> bodies_;
  std::vector<std::size_t> places_;
  std::size_t bytes_ = 0;
};

Section read_section(Decoder& in, const std::vector<Body>& bodies, std::size_t& parts_left) {
  Section section;
  FieldReader reader(in);
  const std::uint64_t head = in.varint();
  if (head >> 33 != 0) in.fail(DataErrc::malformed);
  section.handle = static_cast<std::uint32_t>(head >> 1);
  if ((head & 1) != 0) introduction_of(reader, section.introduces.emplace());
  section.first = in.varint();
  const std::size_t count = reader.count(0, parts_left);
  parts_left -= count;
  section.parts.reserve(count);
  for (std::size_t i = 0; i < count && in.ok(); ++i) {
    Part part;
    reader.byte(part.kind, 1, static_cast<std::uint8_t>(kLastPart));
    const std::uint64_t place = in.varint();
    if (place >= bodies.size()) {
      in.fail(DataErrc::malformed);
    } else {
      part.body = bodies[static_cast<std::size_t>(place)];
    }
    section.parts.push_back(std::move(part));
  }
  // The full state is the first part of a run, and nothing else is.
  if (section.first == 0 || count == 0) in.fail(DataErrc::malformed);
  for (std::size_t i = 0; i < section.parts.size(); ++i) {
    const bool begins = section.first + i == 1;
    if (begins != (section.parts[i].kind == PartKind::full)) in.fail(DataErrc::malformed);
  }
  if (section.first > kAnyNumber - count) in.fail(DataErrc::malformed);
  return section;
}

}  // namespace

std::string_view name_of(PartKind kind) {
  constexpr std::string_view kNames[] = {"full", "call",  "news", "reply", "idle",
                                         "join", "leave", "over", "sight"};
  return kNames[static_cast<std::size_t>(kind) - 1];
}

void encode_bundle(const std::vector<Section>& sections, Bytes& out) {
  Bodies bodies;
  for (const Section& section : sections) {
    for (const Part& part : section.parts) bodies.add(part.body);
  }
  auto place = bodies.places().begin();
  out.reserve(out.size() + bodies.bytes() + kHeadBytes * (bodies.places().size() + 1));
  Encoder to(out);
  FieldWriter writer(to);
  to.byte(kBundle);
  to.varint(bodies.all().size());
  for (const Bytes* body : bodies.all()) to.text(bus::as_text(*body));
  to.varint(sections.size());
  for (const Section& section : sections) {
    to.varint(std::uint64_t{section.handle} << 1 | (section.introduces ? 1 : 0));
    if (section.introduces) introduction_of(writer, *section.introduces);
    to.varint(section.first);
    to.varint(section.parts.size());
    for (const Part& part : section.parts) {
      to.byte(static_cast<std::uint8_t>(part.kind));
      to.varint(*place++);
    }
  }
}

bool is_bundle(ByteView bytes) {
  return !bytes.empty() && bytes.front() == std::byte{kBundle};
}

DataResult<std::vector<Section>> decode_bundle(ByteView bytes) {
  Decoder in(bytes);
  FieldReader reader(in);
  if (in.byte() != kBundle) in.fail(DataErrc::malformed);
  std::vector<Body> bodies;
  const std::size_t body_count = reader.count(0, kBundleParts);
  bodies.reserve(body_count);
  for (std::size_t i = 0; i < body_count && in.ok(); ++i) {
    Bytes body;
    reader.bytes(body, 2 * kPartBytes);  // of a full state, with its head
    bodies.push_back(std::make_shared<const Bytes>(std::move(body)));
  }
  std::vector<Section> sections;
  std::size_t parts_left = kBundleParts;
  const std::size_t count = reader.count(0, kBundleSections);
  sections.reserve(count);
  for (std::size_t i = 0; i < count && in.ok(); ++i) {
    sections.push_back(read_section(in, bodies, parts_left));
  }
  if (const DataErrc bad = in.finish(); bad != DataErrc::ok) return DataError(bad);
  return {in_place_value, std::move(sections)};
}

void encode(const FullState& body, Bytes& out) {
  put(body, out, kFull);
}
void encode(const Reply& body, Bytes& out) {
  put(body, out, kReply);
}
void encode(const Idle& body, Bytes& out) {
  put(body, out, kIdle);
}
void encode(const Over& body, Bytes& out) {
  put(body, out, kOver);
}
DataResult<FullState> decode_full(ByteView bytes) {
  return get<FullState>(bytes, kFull);
}
DataResult<Reply> decode_reply(ByteView bytes) {
  return get<Reply>(bytes, kReply);
}
DataResult<Idle> decode_idle(ByteView bytes) {
  return get<Idle>(bytes, kIdle);
}
DataResult<Over> decode_over(ByteView bytes) {
  return get<Over>(bytes, kOver);
}

}  // namespace starbus::entity::sessions
