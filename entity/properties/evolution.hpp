#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "entity/archive/signature.hpp"
#include "entity/properties/flags.hpp"

namespace starbus::entity {

/// How saved values of earlier declarations become those of today's: filled by the static function
/// `evolve` of a struct or of an entity's properties.
///
///   static void evolve(entity::Evolution& evolution) {
///     evolution.renamed("money", "gold");
///     evolution.converted<std::string, int>("level", [](const std::string& old) { ... });
///   }
///
/// Immutable once its schema is built.
class Evolution {
 public:
  /// The value saved as `old` is loaded as `now`, unless that was saved too.
  void renamed(std::string old, std::string now) { names_[std::move(old)] = std::move(now); }

  /// A value of `field` (its present name) that was saved as a Field<Old> is converted; `Now` is
  /// the type of the field's value today.
  template <class Old, class Now, class Function>
  void converted(std::string field, Function convert) {
    const auto run = [convert](Decoder& in, Bytes& out) {
      Old old{};
      get_value(in, old);
      if (in.finish() != DataErrc::ok) return in.error();
      Encoder encoder(out, kMaxState);
      put_value<Now>(encoder, convert(std::as_const(old)));
      return encoder.error();
    };
    conversions_.push_back(
        {std::move(field), hash_of(signature_of<Old>()), hash_of(signature_of<Now>()), run});
  }

  struct Conversion {
    std::string field;
    std::uint64_t old_signature;
    std::uint64_t signature;
    std::function<DataErrc(Decoder&, Bytes&)> run;
  };
  /// nullptr: none is declared.
  const Conversion* find(std::string_view field, std::uint64_t old_signature) const {
    for (const Conversion& conversion : conversions_) {
      if (conversion.field == field && conversion.old_signature == old_signature) {
        return &conversion;
      }
    }
    return nullptr;
  }
  /// Today's name of the field saved as `old`.
  const std::string* name_of(const std::string& old) const {
    const auto found = names_.find(old);
    return found == names_.end() ? nullptr : &found->second;
  }
  const std::map<std::string, std::string>& names() const { return names_; }
  const std::vector<Conversion>& conversions() const { return conversions_; }

 private:
  std::map<std::string, std::string> names_;
  std::vector<Conversion> conversions_;
};

/// Findings of a load beside the loaded values.
struct LoadReport {
  struct Unknown {
    std::string path;  ///< as it was saved: "stats.luck"
    std::uint64_t signature;
    Bytes value;  ///< as saved, to look at or to keep
  };
  std::vector<Unknown> removed;        ///< saved, but not declared any more: not lost, kept here
  std::vector<std::string> added;      ///< declared, but not saved: they have their defaults
  std::vector<std::string> converted;  ///< by a declared conversion
};

}  // namespace starbus::entity
