/// The two archives that cereal's functions work with: a class that has a cereal `serialize` (or
/// `save` and `load`) can be written and read by them. Users call encode and decode of archive.hpp,
/// which turn exceptions of this header into values.
///
/// Unlike in cereal's own archives, numbers are varints, a size is checked against the bytes that
/// are left and against the budget before a container grows, and nesting is bounded. Every class
/// takes a byte or more, so that a count of elements can never exceed the bytes that are left: a
/// class that writes nothing is followed by a zero byte.
#pragma once

#include <array>
#include <cereal/cereal.hpp>
#include <deque>
#include <list>
#include <vector>

#include "entity/archive/decoder.hpp"

/// A namespace of their own: cereal finds free functions by the names save and load in it, and save
/// is also the name of a flag of properties.
namespace starbus::entity::archives {

/// Ends an archive from within cereal's functions, which return nothing; caught in archive.hpp.
struct ArchiveFailure {
  DataErrc code;
};

/// Where classes began, one entry per level.
class Nesting {
 public:
  explicit Nesting(std::size_t limit) : limit_(std::min(limit, begins_.size())) {}
  /// A class begins here; throws too_deep beyond the limit.
  void enter(std::size_t position) {
    if (depth_ == limit_) throw ArchiveFailure{DataErrc::too_deep};
    begins_[depth_++] = position;
  }
  /// True if the class took no bytes.
  bool leave(std::size_t position) { return begins_[--depth_] == position; }

 private:
  std::array<std::size_t, kArchiveDepth> begins_;
  std::size_t limit_;
  std::size_t depth_ = 0;
};

/// Writes to an Encoder that it does not own.
class OutputArchive : public cereal::OutputArchive<OutputArchive, cereal::AllowEmptyClassElision> {
 public:
  explicit OutputArchive(Encoder& out)
      : cereal::OutputArchive<OutputArchive, cereal::AllowEmptyClassElision>(this), out_(out) {}

  /// The functions that cereal's call to write; each throws if the archive is full.
  template <Number T>
  void number(T value) {
    out_.number(value);
    check();
  }
  void size(std::uint64_t count) {
    if (count > kArchiveElements) out_.fail(DataErrc::too_large);
    out_.varint(count);
    check();
  }
  /// Raw bytes, without a length.
  void bytes(const void* data, std::size_t count) {
    out_.raw(static_cast<const std::byte*>(data), count);
    check();
  }
  void enter() { nesting_.enter(out_.written()); }
  /// The class has ended: a zero byte if it wrote nothing.
  void leave() {
    if (nesting_.leave(out_.written())) number(false);
  }

 private:
  void check() const {
    if (!out_.ok()) throw ArchiveFailure{out_.error()};
  }
  Encoder& out_;
  Nesting nesting_{kArchiveDepth};
};

/// Reads from a Decoder that it does not own, within that one's budget.
class InputArchive : public cereal::InputArchive<InputArchive, cereal::AllowEmptyClassElision> {
 public:
  explicit InputArchive(Decoder& in)
      : cereal::InputArchive<InputArchive, cereal::AllowEmptyClassElision>(this),
        in_(in),
        nesting_(in.depth()) {}

  /// Each reads what OutputArchive writes, and throws if the bytes are not of that form.
  template <Number T>
  T number() {
    const T value = in_.number<T>();
    check();
    return value;
  }
  std::size_t size() {
    const std::size_t count = in_.count();
    check();
    return count;
  }
  /// Exactly `count` bytes; nothing is copied if they are not there.
  void bytes(void* to, std::size_t count) {
    const ByteView from = in_.take(count);
    check();
    if (count != 0) std::memcpy(to, from.data(), count);
  }
  /// Takes memory off the budget; throws if it is used up.
  void charge(std::size_t bytes) {
    in_.charge(bytes);
    check();
  }
  /// The class begins here, and takes this much memory.
  void enter(std::size_t bytes) {
    charge(bytes);
    nesting_.enter(in_.left());
  }
  /// The class has ended; throws if a zero byte is missing.
  void leave() {
    if (nesting_.leave(in_.left()) && number<bool>()) throw ArchiveFailure{DataErrc::malformed};
  }

 private:
  void check() const {
    if (!in_.ok()) throw ArchiveFailure{in_.error()};
  }
  Decoder& in_;
  Nesting nesting_;
};

// Customisation points of cereal, by these names.
template <class T>
concept CerealWrapper = requires(T value) {
  []<class U>(const cereal::NameValuePair<U>&) {}(value);
}
|| requires(T value) {
  []<class U>(const cereal::SizeTag<U>&) {}(value);
}
|| requires(T value) {
  []<class U>(const cereal::BinaryData<U>&) {}(value);
};
template <class T>
concept CountedClass = std::is_class_v<T> && !CerealWrapper<T>;

template <class T>
void prologue(OutputArchive& archive, const T&) {
  if constexpr (CountedClass<T>) archive.enter();
}
template <class T>
void epilogue(OutputArchive& archive, const T&) {
  if constexpr (CountedClass<T>) archive.leave();
}
template <class T>
void prologue(InputArchive& archive, const T&) {
  if constexpr (CountedClass<T>) archive.enter(sizeof(T));
}
template <class T>
void epilogue(InputArchive& archive, const T&) {
  if constexpr (CountedClass<T>) archive.leave();
}

template <Number T>
requires std::is_arithmetic_v<T>
void CEREAL_SAVE_FUNCTION_NAME(OutputArchive& archive, const T& value) {
  archive.number(value);
}
template <Number T>
requires std::is_arithmetic_v<T>
void CEREAL_LOAD_FUNCTION_NAME(InputArchive& archive, T& value) {
  value = archive.number<T>();
}

template <class Archive, class T>
CEREAL_ARCHIVE_RESTRICT(InputArchive, OutputArchive)
CEREAL_SERIALIZE_FUNCTION_NAME(Archive& archive, cereal::NameValuePair<T>& pair) {
  archive(pair.value);
}

template <class T>
void CEREAL_SAVE_FUNCTION_NAME(OutputArchive& archive, const cereal::SizeTag<T>& tag) {
  archive.size(tag.size);
}
template <class T>
void CEREAL_LOAD_FUNCTION_NAME(InputArchive& archive, cereal::SizeTag<T>& tag) {
  tag.size = archive.size();
}

/// Only bytes are copied as they lie in memory: strings, and arrays of them.
template <class T>
concept ByteData = sizeof(std::remove_pointer_t<std::decay_t<T>>) == 1;
template <ByteData T>
void CEREAL_SAVE_FUNCTION_NAME(OutputArchive& archive, const cereal::BinaryData<T>& data) {
  archive.bytes(data.data, static_cast<std::size_t>(data.size));
}
template <ByteData T>
void CEREAL_LOAD_FUNCTION_NAME(InputArchive& archive, cereal::BinaryData<T>& data) {
  archive.bytes(data.data, static_cast<std::size_t>(data.size));
}

}  // namespace starbus::entity::archives

namespace cereal {

// Sequences grow element by element, as their bytes are read, and are charged for the memory:
// cereal would make them as long as they claim to be first. More specialised than cereal's own.
template <template <class...> class Sequence, class T, class Allocator>
requires std::is_same_v<Sequence<T, Allocator>, std::vector<T, Allocator>> ||
    std::is_same_v<Sequence<T, Allocator>, std::deque<T, Allocator>> ||
    std::is_same_v<Sequence<T, Allocator>, std::list<T, Allocator>>
void load_sequence(starbus::entity::archives::InputArchive& archive,
                   Sequence<T, Allocator>& sequence) {
  const std::size_t count = archive.size();
  archive.charge(count * sizeof(T));
  sequence.clear();
  if constexpr (requires { sequence.reserve(count); }) sequence.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    T element{};
    archive(element);
    sequence.push_back(std::move(element));
  }
}
template <class Sequence>
void save_sequence(starbus::entity::archives::OutputArchive& archive, const Sequence& sequence) {
  archive.size(sequence.size());
  for (const typename Sequence::value_type& element : sequence) archive(element);
}

template <class T, class A>
void CEREAL_SAVE_FUNCTION_NAME(starbus::entity::archives::OutputArchive& ar,
                               const std::vector<T, A>& all) {
  save_sequence(ar, all);
}
template <class T, class A>
void CEREAL_LOAD_FUNCTION_NAME(starbus::entity::archives::InputArchive& ar,
                               std::vector<T, A>& all) {
  load_sequence(ar, all);
}
template <class A>
void CEREAL_SAVE_FUNCTION_NAME(starbus::entity::archives::OutputArchive& ar,
                               const std::vector<bool, A>& all) {
  save_sequence(ar, all);
}
template <class A>
void CEREAL_LOAD_FUNCTION_NAME(starbus::entity::archives::InputArchive& ar,
                               std::vector<bool, A>& all) {
  load_sequence(ar, all);
}
template <class T, class A>
void CEREAL_SAVE_FUNCTION_NAME(starbus::entity::archives::OutputArchive& ar,
                               const std::deque<T, A>& all) {
  save_sequence(ar, all);
}
template <class T, class A>
void CEREAL_LOAD_FUNCTION_NAME(starbus::entity::archives::InputArchive& ar, std::deque<T, A>& all) {
  load_sequence(ar, all);
}
template <class T, class A>
void CEREAL_SAVE_FUNCTION_NAME(starbus::entity::archives::OutputArchive& ar,
                               const std::list<T, A>& all) {
  save_sequence(ar, all);
}
template <class T, class A>
void CEREAL_LOAD_FUNCTION_NAME(starbus::entity::archives::InputArchive& ar, std::list<T, A>& all) {
  load_sequence(ar, all);
}

}  // namespace cereal

// After the overloads above, which must be visible where these are used.
#include <cereal/types/array.hpp>
#include <cereal/types/chrono.hpp>
#include <cereal/types/common.hpp>
#include <cereal/types/deque.hpp>
#include <cereal/types/list.hpp>
#include <cereal/types/map.hpp>
#include <cereal/types/optional.hpp>
#include <cereal/types/set.hpp>
#include <cereal/types/string.hpp>
#include <cereal/types/tuple.hpp>
#include <cereal/types/unordered_map.hpp>
#include <cereal/types/unordered_set.hpp>
#include <cereal/types/utility.hpp>
#include <cereal/types/variant.hpp>
#include <cereal/types/vector.hpp>

CEREAL_SETUP_ARCHIVE_TRAITS(starbus::entity::archives::InputArchive,
                            starbus::entity::archives::OutputArchive)
