/// Listeners of many kinds of events: a key, which is a value of an enum or a text, and the type of
/// the data. A listener is called only with data of the type that it named.
///
/// Used by one thread. Owns the callables of its listeners. Failures are values; an exception of a
/// listener leaves dispatch(). docs/guide/events.md has the promises.
#pragma once

#include <concepts>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

#include "entity/events/dispatcher.hpp"

namespace starbus::entity {

/// A type of this program, without RTTI; of no meaning outside this process.
using TypeTag = const void*;
namespace events_detail {
template <class T>
inline char kTag = 0;  // not constant: linkers may fold equal constants into one
}
template <class T>
TypeTag type_tag() {
  return &events_detail::kTag<T>;
}

/// Made from a value of an enum, or from a text.
class EventKey {
 public:
  template <class Enum>
  requires std::is_enum_v<Enum> EventKey(Enum value)  // NOLINT: any value of an enum is a key
      : type_(type_tag<Enum>()),
        value_(static_cast<std::uint64_t>(static_cast<std::underlying_type_t<Enum>>(value))) {}
  EventKey(std::string_view text) : text_(text) {}    // NOLINT: so is any text
  EventKey(const std::string& text) : text_(text) {}  // NOLINT
  EventKey(const char* text) : text_(text) {}         // NOLINT

 private:
  friend class KeyedDispatcher;
  TypeTag type_ = nullptr;  // of the enum; null: a text
  std::uint64_t value_ = 0;
  std::string_view text_;
};

/// One listener of one KeyedDispatcher, for ever.
struct KeyedListenerId {
  ListenerId id;
  std::uint32_t list = 0;

  explicit operator bool() const { return bool(id); }
  friend auto operator<=>(const KeyedListenerId&, const KeyedListenerId&) = default;
};

class KeyedDispatcher {
 public:
  KeyedDispatcher() : depth_(new DispatchDepth) {}
  KeyedDispatcher(const KeyedDispatcher&) = delete;
  KeyedDispatcher& operator=(const KeyedDispatcher&) = delete;

  /// Calls `callback(const Data&)` for this key. Errors: too_many_keys, too_many_listeners,
  /// no_callback.
  template <class Data>
  EventResult<KeyedListenerId> add(const EventKey& key, std::function<void(const Data&)> callback,
                                   int priority = 0) {
    if (!callback) return EventErrc::no_callback;
    const EventResult<std::uint32_t> list = list_of<Data>(key);
    if (!list) return list.error();
    const EventResult<ListenerId> id = typed<Data>(*list).add(std::move(callback), priority);
    if (!id) return id.error();
    return KeyedListenerId{*id, *list};
  }
  /// As above, until the subscription ends.
  template <class Data>
  EventResult<Subscription> subscribe(const EventKey& key,
                                      std::function<void(const Data&)> callback, int priority = 0) {
    if (!callback) return EventErrc::no_callback;
    const EventResult<std::uint32_t> list = list_of<Data>(key);
    if (!list) return list.error();
    return typed<Data>(*list).subscribe(std::move(callback), priority);
  }
  /// Was it listening?
  bool remove(KeyedListenerId id) {
    return id.list < lists_.size() && lists_[id.list]->remove(id.id);
  }
  bool set_priority(KeyedListenerId id, int priority) {
    return id.list < lists_.size() && lists_[id.list]->set_priority(id.id, priority);
  }
  /// Listeners of all keys.
  std::size_t size() const;
  bool contains(KeyedListenerId id) const {
    return id.list < lists_.size() && lists_[id.list]->contains(id.id);
  }
  /// For one of this dispatcher's handles, also of a removed listener: how many listen to its key,
  /// with its type of data; and the key, whose text lives as long as the dispatcher.
  std::size_t size_beside(KeyedListenerId id) const { return lists_.at(id.list)->size(); }
  EventKey key_of(KeyedListenerId id) const;

  /// Calls all listeners of this key and type of data; returns how many. Error: too_deep.
  template <class Data>
  EventResult<std::size_t> dispatch(const EventKey& key, const Data& data) {
    const auto found = index_.find(as_view(key, type_tag<Data>()));
    if (found == index_.end()) return 0;
    return typed<Data>(found->second).dispatch(data);
  }

 private:
  struct Key {
    TypeTag type;
    std::uint64_t value;
    TypeTag data;
    std::string text;
  };
  using View = std::tuple<std::uintptr_t, std::uint64_t, std::uintptr_t, std::string_view>;
  static View as_view(const EventKey& key, TypeTag data);
  struct Before {
    using is_transparent = void;
    static View view(const Key& key);
    static const View& view(const View& key) { return key; }
    template <class A, class B>
    bool operator()(const A& a, const B& b) const {
      return view(a) < view(b);
    }
  };

  struct List {
    virtual ~List() = default;
    virtual bool remove(ListenerId id) = 0;
    virtual bool set_priority(ListenerId id, int priority) = 0;
    virtual bool contains(ListenerId id) const = 0;
    virtual std::size_t size() const = 0;
    const Key* key = nullptr;  // in index_
  };
  template <class Data>
  struct TypedList final : List {
    explicit TypedList(boost::intrusive_ptr<DispatchDepth> depth) : dispatcher(std::move(depth)) {}
    bool remove(ListenerId id) override { return dispatcher.remove(id); }
    bool set_priority(ListenerId id, int priority) override {
      return dispatcher.set_priority(id, priority);
    }
    bool contains(ListenerId id) const override { return dispatcher.contains(id); }
    std::size_t size() const override { return dispatcher.size(); }
    Dispatcher<Data> dispatcher;
  };

  template <class Data>
  Dispatcher<Data>& typed(std::uint32_t list) {
    // The key of a list has the type of its data, so this is its type.
    return static_cast<TypedList<Data>&>(*lists_[list]).dispatcher;
  }
  template <class Data>
  EventResult<std::uint32_t> list_of(const EventKey& key) {
    const auto found = index_.find(as_view(key, type_tag<Data>()));
    if (found != index_.end()) return found->second;
    if (lists_.size() == kMaxEventKeys) return EventErrc::too_many_keys;
    const auto list = static_cast<std::uint32_t>(lists_.size());
    lists_.push_back(std::make_unique<TypedList<Data>>(depth_));
    Key owned{key.type_, key.value_, type_tag<Data>(), std::string(key.text_)};
    lists_.back()->key = &index_.emplace(std::move(owned), list).first->first;
    return list;
  }

  boost::intrusive_ptr<DispatchDepth> depth_;
  std::vector<std::unique_ptr<List>> lists_;  // never moved within: a round may run in any
  std::map<Key, std::uint32_t, Before> index_;
};

}  // namespace starbus::entity
