/// One form for everything that can go wrong, in all libraries and in programs that use them.
///
/// A library lists its errors in one table, of which STARBUS_ERRORS makes an enum, and a *domain*:
/// a number, a name and the rows. A `Code` is (domain, number), so that it can travel between
/// libraries and processes and keep its meaning; an `Error` is a code with a text for people.
///
///   #define STARBUS_SHOP_ERRORS(X) X(sold_out, 1, later, "not in stock", "offer another")
///   STARBUS_ERRORS(Errc, std::uint8_t, kShopErrors, 1001, "shop", STARBUS_SHOP_ERRORS)
///
///   starbus::Result<Item> buy() { return Errc::sold_out; }
///   if (item.error() == Errc::sold_out) ...
///
/// Domains are registered before main() and never change; all else here is a value. Any thread.
#pragma once

#include <compare>
#include <concepts>
#include <cstdint>
#include <iosfwd>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace starbus {

/// Whether the same request can succeed if it is repeated unchanged.
enum class Retry : std::uint8_t {
  never,    ///< no: the request, the configuration or the data must change first
  later,    ///< yes: nothing was done, and the cause passes by itself
  rebind,   ///< after the caller has bound, opened or connected again what it lost
  unknown,  ///< it may have been done already: repeat it only if that does no harm
};
/// "never", "later", "rebind", "unknown".
std::string_view name_of(Retry retry);

/// One row of a table of errors.
struct ErrorInfo {
  std::uint16_t number;  ///< from 1; stable: it travels and stands in logs
  std::string_view name;
  std::string_view meaning;
  std::string_view cure;
  Retry retry;
};

/// The errors of one library, or of a part of it.
struct ErrorDomain {
  std::uint16_t id;  ///< stable: it travels. 1..999 are starbus' own, 1000..65535 are for programs
  std::string_view name;
  std::span<const ErrorInfo> errors;  ///< in order of their numbers

  /// nullptr if there is no such number.
  const ErrorInfo* find(std::uint16_t number) const;
};

/// An enum that STARBUS_ERRORS made.
template <class E>
concept ErrorEnum = std::is_enum_v<E> && requires(E code) {
  { domain_of(code) } -> std::same_as<const ErrorDomain&>;
  E::ok;
};

/// An error's domain and number: 4 bytes. ok, of every domain, is {0, 0}. A pair that this build
/// does not know, from a newer peer, is kept as it is: it has the name "unknown".
class Code {
 public:
  constexpr Code() = default;
  constexpr Code(std::uint16_t domain, std::uint16_t number)
      : domain_(number == 0 ? std::uint16_t{0} : domain), number_(number) {}
  template <ErrorEnum E>
  constexpr Code(E code)  // NOLINT: an enumerator is a Code
      : Code(domain_of(code).id, static_cast<std::uint16_t>(code)) {}

  constexpr std::uint16_t domain() const { return domain_; }
  constexpr std::uint16_t number() const { return number_; }
  constexpr bool is_ok() const { return number_ == 0; }

  template <ErrorEnum E>
  constexpr bool is_of() const {
    return domain_ == domain_of(E::ok).id;
  }
  /// The enumerator, for a `switch`; `other` if the code is of another domain. ok is of each.
  template <ErrorEnum E>
  constexpr E in(E other) const {
    return is_ok() || is_of<E>() ? static_cast<E>(number_) : other;
  }
  /// The same, where another domain is to match no case but `default`: numbers of it are ok.
  template <ErrorEnum E>
  constexpr E in() const {
    return in(E::ok);
  }

  friend constexpr bool operator==(Code, Code) = default;
  friend constexpr auto operator<=>(Code, Code) = default;
  friend void PrintTo(Code code, std::ostream* out);  // for GoogleTest

  template <class Archive>
  void serialize(Archive& archive) {
    archive(domain_, number_);
  }

 private:
  std::uint16_t domain_ = 0;
  std::uint16_t number_ = 0;
};

/// The row of the code; nullptr for ok and for what this build does not know.
const ErrorInfo* info_of(Code code);
/// "no_owner"; "ok" for ok; "unknown" for what this build does not know.
std::string_view name_of(Code code);
/// The table's word on repetition. `never` for ok; `unknown` for what this build does not know.
Retry retry_of(Code code);

/// A failure as a value: the code for programs, the text for people. 40 bytes, no allocation
/// without a text of more than 15 bytes.
///
/// An error of a layer that has another below it may name that one's code as its cause. It compares
/// equal to both, so that a caller may ask for either:
///
///   if (error == bus::Errc::no_owner) ...          // of a request to a database over the bus
///   if (error == db::Errc::unavailable) ...        // this, too; retry_of() goes by `code`
struct Error {
  Code code;
  Code cause{};  ///< ok: none. It stays in this process
  std::string detail{};

  Error() = default;
  Error(Code c) : code(c) {}  // NOLINT: a code is an error without detail
  Error(Code c, std::string text) : code(c), detail(std::move(text)) {}
  template <ErrorEnum E>
  Error(E c) : code(c) {}  // NOLINT: as above
  template <ErrorEnum E>
  Error(E c, std::string text) : code(c), detail(std::move(text)) {}

  /// Sets the cause.
  Error because_of(Code below) && {
    cause = below;
    return std::move(*this);
  }

  /// "already_bound: entity/7 is owned by hostA.space-1"; "unknown 7.12: ..." for what this build
  /// does not know.
  std::string to_string() const;

  friend bool operator==(const Error& a, Code b) {
    return a.code == b || (a.cause == b && !b.is_ok());
  }
  template <ErrorEnum E>
  friend bool operator==(const Error& a, E b) {
    return a == Code(b);
  }
  friend void PrintTo(const Error& error, std::ostream* out);  // for GoogleTest

  template <class Archive>
  void serialize(Archive& archive) {
    archive(code, detail);
  }
};

/// All domains that are linked into this program, in order of their ids.
std::vector<const ErrorDomain*> error_domains();
/// nullptr if this program has none with this id.
const ErrorDomain* find_domain(std::uint16_t id);

/// Makes a domain known to the functions above; a static object of STARBUS_ERRORS. Two domains with
/// one id abort the process before main().
class DomainRegistration {
 public:
  explicit DomainRegistration(const ErrorDomain& domain) noexcept;

 private:
  friend std::vector<const ErrorDomain*> error_domains();
  friend const ErrorDomain* find_domain(std::uint16_t id);

  static constinit const DomainRegistration* first_;
  const ErrorDomain& domain_;
  const DomainRegistration* next_;
};

}  // namespace starbus

// A table is a macro TABLE(X) with rows X(code, number, retry, meaning, cure).
#define STARBUS_ERROR_ENUMERATOR(code, number, retry, meaning, cure) code = number,
#define STARBUS_ERROR_ROW(code, number, retry, meaning, cure) \
  ::starbus::ErrorInfo{number, #code, meaning, cure, ::starbus::Retry::retry},

/// The enum `Errc`, the domain `domain` with its id and name, and what joins them.
#define STARBUS_ERRORS(Errc, Underlying, domain, id, name, TABLE)                    \
  enum class Errc : Underlying { ok = 0, TABLE(STARBUS_ERROR_ENUMERATOR) };          \
  inline constexpr ::starbus::ErrorInfo domain##Rows[] = {TABLE(STARBUS_ERROR_ROW)}; \
  inline constexpr ::starbus::ErrorDomain domain{id, name, domain##Rows};            \
  inline const ::starbus::DomainRegistration domain##Registration{domain};           \
  constexpr const ::starbus::ErrorDomain& domain_of(Errc) {                          \
    return domain;                                                                   \
  }
