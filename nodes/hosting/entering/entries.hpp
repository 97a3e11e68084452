/// Entities that enter by name: made or loaded here, unless they live elsewhere already. For
/// EntityHost::enter.
///
/// The name is bound first, so that no other process can change what is then loaded: a state that
/// was read before could be an older one than the present owner saves. Messages that come to the
/// name meanwhile are held, and handed over when the entity is there.
///
/// Belongs to the loop's thread; the context and the names outlive it. Failures are values.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "entity/objects/entity_manager.hpp"
#include "nodes/hosting/host_context.hpp"
#include "nodes/hosting/published_names.hpp"
#include "nodes/hosting/saved_entity.hpp"
#include "nodes/hosting/stranded.hpp"

namespace starbus::nodes::entities {

/// How an entity came to be where it is.
enum class Entrance : std::uint8_t {
  made,     // it is new: there was no saved state
  loaded,   // from its saved state
  present,  // it was here already, or enters for an earlier caller
  absent,   // it is elsewhere
};

/// How an entity enters. Views, which are copied before EntityHost::enter returns.
struct EnterOptions {
  std::string_view persistent_id = {};  // empty: the name after its first '/'
  bool make = true;                     // false: not_found of db, if nothing of it is saved
};

/// Where an entity is that was to enter.
template <class T>
struct Entered {
  T* entity = nullptr;  // here: valid until it ends; null: it lives elsewhere
  Entrance how = Entrance::absent;
  std::string elsewhere;  // the process, "HOST.NODE", that has it; empty: it is here
  entity::Ref<T> ref;     // to it, wherever it is
};

class Entries {
 public:
  /// An Entered, without its type.
  struct Outcome {
    entity::Entity* entity = nullptr;
    Entrance how = Entrance::absent;
    std::string elsewhere;
  };
  using Ended = std::function<void(bus::Result<Outcome>)>;
  struct Wanted {
    const entity::TypeInfo* type;
    std::string name;
    std::string persistent_id;
    bool may_make;
  };

  /// `saves`: entities of this host are saved, so they cannot enter unless `load` is set.
  Entries(HostContext& context, PublishedNames& names, Load load, bool saves)
      : context_(context), names_(names), load_(std::move(load)), saves_(saves) {}

  /// Calls `ended` once, in a later turn of the loop; not if the host ends first. Errors: those of
  /// bind, and of `load`; those of making an entity; not_found of db; busy (a former life of it
  /// ends here); bad_config (no `load`); would_block (kMaxEntering); closed (the host drains).
  void enter(Wanted wanted, Ended ended);
  /// The lease is lost, and all names with it.
  void lose_all();
  std::size_t size() const { return entering_.size(); }

 private:
  struct Entry {
    Wanted wanted;
    std::vector<Ended> waiting;
    std::shared_ptr<Stranded> held;  // its messages
    std::uint64_t number = 0;        // differs from that of a later one of the name
  };
  /// Null: it has ended meanwhile.
  Entry* find(const std::string& name, std::uint64_t number);
  void bind(const std::string& name, std::uint64_t number);
  void bound(const std::string& name, std::uint64_t number, const bus::Result<bus::Bound>& bound);
  bool is_another(const std::string& owner) const;
  void load(const std::string& name, std::uint64_t number, bus::Epoch epoch);
  void loaded(const std::string& name, std::uint64_t number, bus::Epoch epoch,
              const bus::Result<std::optional<bus::Bytes>>& saved);
  bus::Result<Outcome> make(const Wanted& wanted, bus::Epoch epoch,
                            const std::optional<bus::Bytes>& saved);
  /// Ends the entry; `owned`: its name is given up.
  void fail(const std::string& name, const bus::Error& why, bool owned);
  bus::Result<Outcome> present(const Wanted& wanted) const;
  void later(Ended ended, bus::Result<Outcome> outcome);

  HostContext& context_;
  PublishedNames& names_;
  const Load load_;
  const bool saves_;
  std::map<std::string, Entry> entering_;
  std::size_t waiting_ = 0;  // callers, in all of them
  std::uint64_t made_ = 0;
};

}  // namespace starbus::nodes::entities
