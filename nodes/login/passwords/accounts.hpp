/// Accounts with passwords, as documents in the database: create, verify, change, ban.
///
///   {"hash": "$argon2id$...", "version": 3, "created": 1800000000000, "ban": {"until": 0, "why":
///   ""}}
///
/// The id is the normalised name. `version` goes up with each new password, so that a hash that is
/// made again meanwhile (stronger, of the old password) cannot undo it.
/// Belongs to the loop's thread, as the database does; what it is given outlives it, and its end
/// drops what has not been answered. Every call answers exactly once, later. It is the interface
/// for operators, too: only verify(), change() and, if so configured, create() are for players.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "nodes/db/database.hpp"
#include "nodes/login/core/bans.hpp"
#include "nodes/login/core/verifier.hpp"
#include "nodes/login/passwords/hashing.hpp"

namespace starbus::nodes::login {

/// Where accounts are kept, and what a guess costs.
struct AccountOptions {
  std::string collection = "logins";
  HashCost cost{};  // of new passwords; older ones follow at the next login
  std::function<std::uint64_t()> wall_ms{};  // milliseconds since 1970; empty: the system's
};

class Accounts {
 public:
  using Done = std::function<void(Result<>)>;

  Accounts(db::Database& database, Hashing& hashing, Executor& loop, AccountOptions options = {});

  /// Errors: bad_name, bad_password, exists, too_many, store.
  void create(const std::string& typed, const Password& password, Done done);
  /// Whoever knows the old one. Errors: wrong_password, bad_password, too_many, store.
  void change(const std::string& typed, const Password& old, const Password& next, Done done);
  /// For operators. Errors: bad_name, bad_password, no_account, too_many, store.
  void set_password(const std::string& typed, const Password& next, Done done);
  /// For operators. Ban::until 0: for ever. Errors: bad_name, no_account, too_large, store.
  void ban(const std::string& typed, const Ban& ban, Done done);
  /// For operators. Errors: bad_name, no_account, store.
  void lift(const std::string& typed, Done done);

  /// Takes as long for an account that does not exist, and looks at a ban last: who cannot prove
  /// to be the player learns neither.
  void verify(const std::string& typed, const Password& password,
              std::function<void(Verdict)> done);

 private:
  struct Row {
    std::string name;
    std::string hash;
    std::uint64_t version = 0;
    std::optional<Ban> ban;
    bool exists = false;
  };
  using Found = std::function<void(Result<Row>)>;
  using Checked = std::function<void(Result<Row>, bool right)>;

  void find(const std::string& typed, Found done);
  Row read(const std::string& name, const db::Json& document) const;
  void check(const std::string& typed, const Password& password, Checked done);
  void replace(const Row& row, const Password& next, Done done);
  void write_hash(const Row& row, std::uint64_t version, const std::string& hash, Done done);
  void rehash(const Row& row, const Password& password);
  void write(db::Write write, Done done);
  void later(std::function<void()> closure);
  /// Not called after the end of this object.
  template <class Closure>
  auto guarded(Closure closure) const {
    return [alive = std::weak_ptr(alive_), closure = std::move(closure)](const auto&... results) {
      if (!alive.expired()) closure(results...);
    };
  }
  std::string no_hash() const;
  std::uint64_t now() const;

  db::Database& database_;
  Hashing& hashing_;
  Executor& loop_;
  const AccountOptions options_;
  std::shared_ptr<char> alive_ = std::make_shared<char>();
};

/// The method "password", and, with `creates`, one that makes the account that it lets in.
class PasswordVerifier final : public Verifier {
 public:
  explicit PasswordVerifier(Accounts& accounts, bool creates = false)
      : accounts_(accounts), creates_(creates) {}
  std::string counted_as(const std::string& typed) const override;
  void verify(Proof proof, std::function<void(Verdict)> done) override;

 private:
  Accounts& accounts_;
  const bool creates_;
};

}  // namespace starbus::nodes::login
