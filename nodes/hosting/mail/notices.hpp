/// The place of an entity in the log of notices: announcements to the whole world, which each
/// entity executes once, also one that comes later. A component whose state stands in the
/// properties of its owner, as that of Inbox.
///
///   void holiday(const entities::MailInfo& notice, std::string text);         // in kMail
///   co_await entities::announce<&Player::holiday>(endpoint, {.valid_for = 24h}, "snow");
///
/// The EntityHost follows the log (HostOptions::notices) once for all of its entities. A new entity
/// begins at the present end. Belongs to the loop's thread and to its entity.
/// docs/guide/entity-mail.md.
#pragma once

#include "entity/objects/component_state.hpp"
#include "entity/properties/properties.hpp"

namespace starbus::nodes::entities {

/// What is saved of Notices.
struct NoticesState : entity::Struct<NoticesState> {
  entity::Field<std::uint64_t> read{this, "read"};  // number of the latest that is done with
  entity::Field<bool> begun{this, "begun"};         // false: `read` is not known yet
  /// The end of the log when this life began: what is for those who are there comes after it.
  /// Travels, is not saved.
  entity::Field<std::uint64_t, entity::server_only> since{this, "since"};
};

class Notices final : public entity::ComponentOf<Notices> {
 public:
  using State = NoticesState;
  /// Clients do not see it.
  static constexpr auto kStateFlags = entity::Flags::save;
  explicit Notices(const entity::ComponentKey& key) : ComponentOf(key) {}

  /// The number of the latest notice that it has executed, or passed by.
  std::uint64_t read() const { return state().read; }
  bool begun() const { return state().begun; }

  // --- for the EntityHost ---

  /// This life begins, where the log has come to `present`; 0: it arrived, and goes on.
  void begin(std::uint64_t present, bool new_life);
  /// The notice is done with: called before its handler, so that a save within that has both.
  void advance(std::uint64_t number) { state().read = number; }
  std::uint64_t since() const { return state().since; }

 private:
  ~Notices() override = default;
};

}  // namespace starbus::nodes::entities
