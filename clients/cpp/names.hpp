/// The names that a program was built from, and how those of the server differ: methods that it
/// calls, methods that are called at it, and properties (docs/reference/client-protocol.md, section
/// "Names"). A session asks for the server's at each full state if its settings have a table, which
/// generated code has. Values and pure functions; any thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "clients/cpp/fields.hpp"

namespace starbus::game {

struct ClassRow;  // state_rows.hpp

/// Who calls a method. The numbers travel.
enum class Side : std::uint8_t { asks = 1, hears = 2 };

/// A method of generated code: "player.buy".
struct NameRow {
  Side side = Side::asks;
  std::string_view name{};
  std::uint32_t fingerprint = 0;  // hash of the types, as in a call
};
/// What a program was built from. Its rows are constants of generated code.
struct NameTable {
  std::span<const std::uint64_t> hashes{};  // of each schema
  std::span<const NameRow> methods{};
  std::span<const ClassRow* const> classes{};
};

/// What a server says of its names.
struct ServerNames {
  struct Method {
    Side side = Side::asks;
    std::string name{};
    std::uint32_t fingerprint = 0;
    std::string types{};
  };
  struct Field {
    std::string name{};
    std::uint8_t index = 0;
    std::uint32_t fingerprint = 0;
    std::string types{};
    std::string shape{};
  };
  struct Class {
    std::string name{};
    std::uint64_t hash = 0;
    std::vector<Field> fields{};
  };
  bool known = false;  // false: the server does not say its names, and calls are checked there
  std::uint64_t hash = 0;
  bool same = false;  // one of the table's hashes: then nothing follows
  std::vector<Method> methods{};
  std::vector<Class> classes{};
};

/// What is different.
struct Difference {
  enum class Kind : std::uint8_t {
    missing,  ///< the server does not have it: a call of it ends as Asked::differs
    added,    ///< the program does not know it
    changed,  ///< its types differ: as missing; a property keeps its default
  };
  enum class What : std::uint8_t { asked, heard, property };
  Kind kind = Kind::missing;
  What what = What::asked;
  std::string name{};   // "player.buy"; of a property "game::PlayerState.gold"
  std::string types{};  // at the server; empty: missing
};
std::string_view name_of(Difference::Kind kind);
std::string_view name_of(Difference::What what);

/// The body of the request for names, for ask().
Bytes names_request(const NameTable& table);
/// The value of its answer, which is hostile.
Read<ServerNames> read_names(ByteView value);
/// By kind of name and then in the order of names. A program that was built from several schemas
/// does not take a class for missing of which the server has nothing: it is another server's.
std::vector<Difference> differences(const NameTable& table, const ServerNames& server);

}  // namespace starbus::game
