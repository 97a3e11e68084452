/// In-game mail: letters with attachments, a history, flags and the number of unread ones. A
/// component for owners of any class.
///
///   struct PlayerState : entity::Properties<PlayerState> {
///     entity::StateOf<entities::Postbox> postbox{this};      // and of Inbox, which brings letters
///   };
///   component<entities::Postbox>()->give_with([this](const auto& items) { return take(items); });
///   ...
///   co_await entities::post<&entities::Postbox::deliver>(*this, "player/ada", letter);
///
/// The letters are properties that the own client sees, so it has them and their changes without a
/// call; it calls read, claim and erase. Attachments are given once: the flag and what the owner's
/// function changes are of one save. Belongs to the loop's thread and to its entity.
/// docs/guide/entity-mail.md.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "entity/objects/component_state.hpp"
#include "entity/objects/entity.hpp"
#include "entity/properties/properties.hpp"
#include "nodes/hosting/limits.hpp"
#include "nodes/hosting/mail/mail_method.hpp"

namespace starbus::nodes::entities {

/// An attachment: what the game calls an item, and how many of it.
struct LetterItem {
  std::uint32_t item = 0;
  std::uint64_t count = 0;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(item, count);
  }
  friend bool operator==(const LetterItem&, const LetterItem&) = default;
};

/// A letter as it is posted. Bounds: kLetterTitle, kLetterBody, kLetterItems.
struct Letter {
  std::string sender;
  std::string title;
  std::string body;
  std::vector<LetterItem> items;
  std::uint64_t expires = 0;  // milliseconds since 1970; 0: never

  template <class Archive>
  void serialize(Archive& archive) {
    archive(sender, title, body, items, expires);
  }
};

/// A letter in a postbox.
struct KeptLetter : entity::Struct<KeptLetter> {
  entity::Field<std::string> sender{this, "sender"};
  entity::Field<std::string> title{this, "title"};
  entity::Field<std::string> body{this, "body"};
  entity::Field<std::vector<LetterItem>> items{this, "items"};
  entity::Field<std::uint64_t> posted{this, "posted"};    // milliseconds since 1970
  entity::Field<std::uint64_t> expires{this, "expires"};  // likewise; 0: never
  entity::Field<bool> read{this, "read"};
  entity::Field<bool> claimed{this, "claimed"};  // its items were given

  bool has_items() const { return !items.get().empty() && !claimed; }
};

/// What is saved of a Postbox, and what its client sees.
struct PostboxState : entity::Struct<PostboxState> {
  entity::Bag<KeptLetter> letters{this, "letters", kLetters};  // by id: 1, 2, 3...
  entity::Field<std::uint32_t> unread{this, "unread"};
  entity::Field<std::int64_t> latest{this, "latest"};  // id of the latest letter
};

/// What came of a call of the client.
enum class LetterEnd : std::uint8_t {
  done,
  no_such_letter,    // it has left, or its time is over
  nothing_to_claim,  // it has no items, or they were given
  not_taken,         // the owner has no room for them: they stay
};

class Postbox final : public entity::ComponentOf<Postbox>, public entity::rpc::Callable<Postbox> {
 public:
  using State = PostboxState;
  /// Its own client sees the letters.
  static constexpr auto kStateFlags = entity::own_client | entity::Flags::save;
  /// Gives items to the owner, within the call; an error leaves them in the letter.
  using Give = std::function<entity::EntityResult<>(const std::vector<LetterItem>&)>;
  explicit Postbox(const entity::ComponentKey& key) : ComponentOf(key) {}

  /// Call it in on_init of the owner: without it items are not taken.
  void give_with(Give give) { give_ = std::move(give); }

  /// Mail. Where kLetters are there, one leaves: an expired one, else the oldest read one without
  /// items, else the oldest without items, else the oldest, whose items are given first. Error:
  /// too_large.
  entity::EntityResult<> deliver(const MailInfo& mail, const Letter& letter);
  static constexpr auto kMail = mail_methods(mail_method<&Postbox::deliver>("deliver"));

  /// For the own client.
  LetterEnd client_read(entity::rpc::Caller&, std::int64_t letter);
  LetterEnd client_claim(entity::rpc::Caller&, std::int64_t letter);
  /// Its items are lost unless they were claimed.
  LetterEnd client_erase(entity::rpc::Caller&, std::int64_t letter);
  static constexpr auto kRpc = entity::rpc::methods(
      "postbox", entity::rpc::method<&Postbox::client_read>("read", entity::rpc::own_client),
      entity::rpc::method<&Postbox::client_claim>("claim", entity::rpc::own_client),
      entity::rpc::method<&Postbox::client_erase>("erase", entity::rpc::own_client));

  /// Step: letters whose time is over leave.
  void sweep();
  static constexpr auto kSteps = entity::steps(entity::step<&Postbox::sweep>("sweep"));

  /// For owners; as the calls.
  LetterEnd read(std::int64_t letter);
  LetterEnd claim(std::int64_t letter);
  LetterEnd erase(std::int64_t letter);
  std::uint32_t unread() const { return state().unread; }

 private:
  ~Postbox() override = default;
  entity::EntityResult<> on_activate() override;

  /// Null: it has left, or its time is over.
  KeptLetter* find(std::int64_t letter);
  bool give(const std::vector<LetterItem>& items);
  void remove(std::int64_t letter);
  void make_room();
  void sweep_later();

  Give give_;
};

}  // namespace starbus::nodes::entities
