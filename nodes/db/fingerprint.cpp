#include "nodes/db/fingerprint.hpp"

#include <bit>

#include "entity/archive/signature.hpp"

namespace starbus::nodes::db {
namespace {

/// Each part stands after its length or its kind, so that no two requests are the same bytes.
class Hasher {
 public:
  void number(std::uint64_t value) {
    char bytes[8];
    for (char& byte : bytes) {
      byte = static_cast<char>(value);
      value >>= 8;
    }
    hash_ = entity::hash_of({bytes, sizeof bytes}, hash_);
  }
  void text(std::string_view value) {
    number(value.size());
    hash_ = entity::hash_of(value, hash_);
  }
  void json(const Json& value);
  std::uint64_t result() const { return hash_; }

 private:
  std::uint64_t hash_ = entity::hash_of({});
};

void Hasher::json(const Json& value) {
  // An integer counts as such, whichever of two types the library chose for it.
  const bool integer = value.is_number_integer();
  number(integer ? 1 : 2 + static_cast<std::uint64_t>(value.type()));
  if (value.is_object()) {
    number(value.size());
    for (const auto& [key, member] : value.items()) {
      text(key);
      json(member);
    }
  } else if (value.is_array()) {
    number(value.size());
    for (const Json& element : value) json(element);
  } else if (value.is_string()) {
    text(value.get_ref<const std::string&>());
  } else if (value.is_binary()) {
    const auto& bytes = value.get_binary();
    text({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  } else if (value.is_boolean()) {
    number(value.get<bool>() ? 1 : 0);
  } else if (integer) {
    number(static_cast<std::uint64_t>(value.get<std::int64_t>()));
  } else if (value.is_number_float()) {
    number(std::bit_cast<std::uint64_t>(value.get<double>()));
  }
}

struct AddWrite {
  Hasher& to;

  void operator()(const Insert& write) const { with_document(write); }
  void operator()(const Put& write) const { with_document(write); }
  void operator()(const Update& write) const {
    named(write);
    to.number(write.upsert ? 1 : 0);
    to.number(write.changes.size());
    for (const Change& change : write.changes) {
      to.number(static_cast<std::uint64_t>(change.what));
      to.text(change.path);
      to.json(change.value);
    }
  }
  void operator()(const Erase& write) const { named(write); }

 private:
  template <class W>
  void named(const W& write) const {
    to.text(write.collection);
    to.text(write.id);
  }
  template <class W>
  void with_document(const W& write) const {
    named(write);
    to.json(write.document);
  }
};

}  // namespace

std::uint64_t fingerprint(const std::vector<Write>& writes) {
  Hasher hasher;
  for (const Write& write : writes) {
    hasher.number(write.index());
    std::visit(AddWrite{hasher}, write);
  }
  return hasher.result();
}

}  // namespace starbus::nodes::db
