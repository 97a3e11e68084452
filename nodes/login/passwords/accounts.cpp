#include "nodes/login/passwords/accounts.hpp"

#include <openssl/crypto.h>

#include <utility>

#include "base/wall_clock.hpp"
#include "nodes/login/passwords/account_name.hpp"

namespace starbus::nodes::login {
namespace {

using db::Json;

Error of_store(const Error& error) {
  return Error(Errc::store, "database: " + error.to_string() + "; try again later")
      .because_of(error.code);
}
Error wrong_password() {
  return {Errc::wrong_password, "account: it or its password is wrong; type it again"};
}
Error no_account(const std::string& name) {
  return {Errc::no_account, "account " + name + ": does not exist; correct the name"};
}

Result<> check_new(const Password& password) {
  const std::size_t size = password->text().size();
  if (size >= kPasswordLeast && size <= kPasswordMost) return {};
  return Error(Errc::bad_password, "password: give " + std::to_string(kPasswordLeast) + " to " +
                                       std::to_string(kPasswordMost) + " bytes");
}

std::uint64_t number_in(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number_integer() && *found >= 0
             ? found->get<std::uint64_t>()
             : 0;
}
std::string text_in(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

}  // namespace

Accounts::Accounts(db::Database& database, Hashing& hashing, Executor& loop, AccountOptions options)
    : database_(database), hashing_(hashing), loop_(loop), options_(std::move(options)) {}

std::uint64_t Accounts::now() const {
  return options_.wall_ms ? options_.wall_ms() : wall_ms();
}

void Accounts::later(std::function<void()> closure) {
  loop_.run_later(WorkName(typeid(Accounts)), guarded(std::move(closure)));
}

/// A hash that no password has, and that costs what a real one does.
std::string Accounts::no_hash() const {
  const HashCost& cost = options_.cost;
  return "$argon2id$v=19$m=" + std::to_string(cost.memory_kib) +
         ",t=" + std::to_string(cost.passes) + ",p=" + std::to_string(cost.lanes) + "$" +
         std::string(22, 'A') + "$" + std::string(43, 'A');
}

Accounts::Row Accounts::read(const std::string& name, const Json& document) const {
  Row row{name, text_in(document, "hash"), number_in(document, "version"), {}, true};
  if (row.hash.empty()) row.hash = no_hash();  // one who never logs in by a password
  const auto ban = document.find("ban");
  if (ban != document.end() && ban->is_object()) {
    const Ban held{number_in(*ban, "until"), text_in(*ban, "why")};
    if (held.until == 0 || held.until > now()) row.ban = held;
  }
  return row;
}

/// A row that does not exist if there is none, also for a name that cannot be one.
void Accounts::find(const std::string& typed, Found done) {
  const auto name = normalised_name(typed);
  if (!name) return later([done, row = Row{{}, no_hash(), 0, {}, false}] { done(row); });
  auto told = [this, done, id = *name](const db::Result<std::optional<Json>>& found) {
    if (!found) return done(of_store(found.error()));
    done(*found ? read(id, **found) : Row{id, no_hash(), 0, {}, false});
  };
  const auto taken = database_.find({options_.collection, *name, {}}, guarded(told));
  if (!taken) later([done, error = of_store(taken.error())] { done(error); });
}

void Accounts::write(db::Write write, Done done) {
  db::WriteRequest request;
  request.writes.push_back(std::move(write));
  auto told = [done](const db::Result<db::Written>& written) {
    if (written) return done({});
    if (written.error() == db::Errc::stale) {
      return done(Error(Errc::wrong_password, "account: its password was changed meanwhile"));
    }
    if (written.error() == db::Errc::exists) {
      return done(Error(Errc::exists, "account: exists already; choose another name"));
    }
    if (written.error() == db::Errc::not_found) {
      return done(Error(Errc::no_account, "account: does not exist; correct the name"));
    }
    done(of_store(written.error()));
  };
  const auto taken = database_.write(std::move(request), guarded(told));
  if (!taken) later([done, error = of_store(taken.error())] { done(error); });
}

void Accounts::create(const std::string& typed, const Password& password, Done done) {
  const auto name = normalised_name(typed);
  if (!name) return later([done, error = name.error()] { done(error); });
  if (const auto checked = check_new(password); !checked) {
    return later([done, error = checked.error()] { done(error); });
  }
  auto hashed = [this, done, id = *name](const Result<std::string>& hash) {
    if (!hash) return done(hash.error());
    const Json document = {{"hash", *hash}, {"version", 1}, {"created", now()}};
    write(db::Insert{options_.collection, id, document}, done);
  };
  const auto taken = hashing_.hash(password, options_.cost, guarded(std::move(hashed)));
  if (!taken) later([done, error = taken.error()] { done(error); });
}

void Accounts::check(const std::string& typed, const Password& password, Checked done) {
  find(typed, [this, password, done](const Result<Row>& row) {
    if (!row) return done(row, false);
    const bool possible = row->exists && password->text().size() <= kPasswordMost;
    const Password tried =
        possible ? password : std::make_shared<const Secret>(std::string("nobody's"));
    auto checked = [done, possible, found = *row](const Result<bool>& right) {
      if (!right) return done(right.error(), false);
      done(found, possible && *right);
    };
    const auto taken = hashing_.check(row->hash, tried, guarded(std::move(checked)));
    if (!taken) later([done, error = taken.error()] { done(error, false); });
  });
}

void Accounts::replace(const Row& row, const Password& next, Done done) {
  auto hashed = [this, done, row](const Result<std::string>& hash) {
    if (!hash) return done(hash.error());
    write_hash(row, row.version + 1, *hash, done);
  };
  const auto taken = hashing_.hash(next, options_.cost, guarded(std::move(hashed)));
  if (!taken) later([done, error = taken.error()] { done(error); });
}

void Accounts::write_hash(const Row& row, std::uint64_t version, const std::string& hash,
                          Done done) {
  write(db::Update{options_.collection,
                   row.name,
                   {{db::Operator::raise, "version", version}, {db::Operator::set, "hash", hash}}},
        std::move(done));
}

void Accounts::change(const std::string& typed, const Password& old, const Password& next,
                      Done done) {
  if (const auto checked = check_new(next); !checked) {
    return later([done, error = checked.error()] { done(error); });
  }
  check(typed, old, [this, next, done](const Result<Row>& row, bool right) {
    if (!row) return done(row.error());
    if (!right) return done(wrong_password());
    replace(*row, next, done);
  });
}

void Accounts::set_password(const std::string& typed, const Password& next, Done done) {
  const auto name = normalised_name(typed);
  if (!name) return later([done, error = name.error()] { done(error); });
  if (const auto checked = check_new(next); !checked) {
    return later([done, error = checked.error()] { done(error); });
  }
  find(*name, [this, next, done](const Result<Row>& row) {
    if (!row) return done(row.error());
    if (!row->exists) return done(no_account(row->name));
    replace(*row, next, done);
  });
}

void Accounts::ban(const std::string& typed, const Ban& ban, Done done) {
  const auto name = normalised_name(typed);
  if (!name) return later([done, error = name.error()] { done(error); });
  if (ban.why.size() > kBanText) {
    const Error error(Errc::too_large, "ban: the reason is longer than " +
                                           std::to_string(kBanText) + " bytes; shorten it");
    return later([done, error] { done(error); });
  }
  const Json value = {{"until", ban.until}, {"why", ban.why}};
  write(db::Update{options_.collection, *name, {{db::Operator::set, "ban", value}}}, done);
}

void Accounts::lift(const std::string& typed, Done done) {
  const auto name = normalised_name(typed);
  if (!name) return later([done, error = name.error()] { done(error); });
  write(db::Update{options_.collection, *name, {{db::Operator::unset, "ban", {}}}}, done);
}

void Accounts::verify(const std::string& typed, const Password& password,
                      std::function<void(Verdict)> done) {
  check(typed, password, [this, password, done](const Result<Row>& row, bool right) {
    using Kind = Verdict::Kind;
    if (!row) return done({Kind::later, {}, "passwords cannot be checked now"});
    if (!right) return done({Kind::wrong, {}, {}});
    if (row->ban) return done({Kind::banned, row->name, to_text(*row->ban)});
    rehash(*row, password);
    done({Kind::right, row->name, {}});
  });
}

/// Under the version that was read: not over a password that was set meanwhile. If it fails, the
/// next login tries again.
void Accounts::rehash(const Row& row, const Password& password) {
  const auto cost = cost_of(row.hash);
  if (!cost || !is_cheaper(*cost, options_.cost)) return;
  auto hashed = [this, row](const Result<std::string>& hash) {
    if (hash) write_hash(row, row.version, *hash, [](const Result<>&) {});
  };
  static_cast<void>(hashing_.hash(password, options_.cost, guarded(std::move(hashed))));
}

/// All that cannot be a name counts as one.
std::string PasswordVerifier::counted_as(const std::string& typed) const {
  const auto name = normalised_name(typed);
  return name ? *name : "?";
}

void PasswordVerifier::verify(Proof proof, std::function<void(Verdict)> done) {
  const auto password = std::make_shared<const Secret>(bus::ByteView(proof.proof));
  OPENSSL_cleanse(proof.proof.data(), proof.proof.size());
  if (!creates_) return accounts_.verify(proof.account, password, std::move(done));
  auto made = [&accounts = accounts_, name = proof.account, password,
               done](const Result<>& result) {
    if (result) return accounts.verify(name, password, done);
    const bool later = retry_of(result.error().code) == Retry::later;
    done({later ? Verdict::Kind::later : Verdict::Kind::wrong, {}, result.error().detail});
  };
  accounts_.create(proof.account, password, std::move(made));
}

}  // namespace starbus::nodes::login
