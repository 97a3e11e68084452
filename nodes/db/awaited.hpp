/// Requests to a database that a coroutine awaits, or that end with any completion token: one style
/// with rpc::call. database.hpp has what they do.
///
///   const auto found = co_await db::find(database, "players", "42");       // in an rpc::Task
///   db::WriteRequest request{...};                                        // a variable
///   const auto written = co_await db::write(database, request);
///   db::find(database, "players", "42", [](db::Result<std::optional<db::Json>> found) { ... });
///
/// A request that is refused at once ends with that error: a callback is then called within the
/// call. A request is passed by reference and copied: an awaited temporary does not compile, since
/// g++ 12 would destroy it twice (docs/design/gcc12.md). If the database ends first, nothing is
/// called. Belongs to the database's thread.
#pragma once

#include <string_view>

#include "bus/client/initiate_early.hpp"
#include "nodes/db/database.hpp"

namespace starbus::nodes::db {

namespace detail {

template <class T, class Request, class Token>
auto ask(Database& database, Result<> (Database::*how)(Request, Database::Done<T>), Request request,
         Token&& token) {
  return bus::initiate_early<T>(
      std::forward<Token>(token),
      [&database, how, asked = std::move(request)](Database::Done<T> done) mutable {
        if (const auto taken = (database.*how)(std::move(asked), done); !taken) done(taken.error());
      });
}
template <class Token, class T>
inline constexpr bool kAwaited = bus::kAwaits<Token, void(Result<T>)>;

}  // namespace detail

/// Whether it was applied, and what was written. Errors: those of Database::write.
template <bus::CompletionFor<Written> Token = bus::Awaited>
auto write(Database& database, const WriteRequest& request, Token&& token = Token()) {
  return detail::ask<Written, WriteRequest>(database, &Database::write, request,
                                            std::forward<Token>(token));
}
/// Give the request a name first: g++ 12 would destroy it twice.
template <bus::CompletionFor<Written> Token = bus::Awaited>
requires detail::kAwaited<Token, Written>
auto write(Database& database, WriteRequest&& request, Token&& token = Token()) = delete;

/// The document, or the paths of it that the request names; none if there is no such document.
template <bus::CompletionFor<std::optional<Json>> Token = bus::Awaited>
auto find(Database& database, const Find& request, Token&& token = Token()) {
  return detail::ask<std::optional<Json>, Find>(database, &Database::find, request,
                                                std::forward<Token>(token));
}
/// Give the request a name first: g++ 12 would destroy it twice.
template <bus::CompletionFor<std::optional<Json>> Token = bus::Awaited>
requires detail::kAwaited<Token, std::optional<Json>>
auto find(Database& database, Find&& request, Token&& token = Token()) = delete;
template <bus::CompletionFor<std::optional<Json>> Token = bus::Awaited>
auto find(Database& database, std::string_view collection, std::string_view id,
          Token&& token = Token()) {
  const Find request{.collection = std::string(collection), .id = std::string(id)};
  return find(database, request, std::forward<Token>(token));
}

/// A page of the documents that match. Errors: those of Database::query.
template <bus::CompletionFor<Page> Token = bus::Awaited>
auto query(Database& database, const Query& request, Token&& token = Token()) {
  return detail::ask<Page, Query>(database, &Database::query, request, std::forward<Token>(token));
}
/// Give the request a name first: g++ 12 would destroy it twice.
template <bus::CompletionFor<Page> Token = bus::Awaited>
requires detail::kAwaited<Token, Page>
auto query(Database& database, Query&& request, Token&& token = Token()) = delete;

/// How many documents match. Errors: those of Database::count.
template <bus::CompletionFor<Counted> Token = bus::Awaited>
auto count(Database& database, const Count& request, Token&& token = Token()) {
  return detail::ask<Counted, Count>(database, &Database::count, request,
                                     std::forward<Token>(token));
}
/// Give the request a name first: g++ 12 would destroy it twice.
template <bus::CompletionFor<Counted> Token = bus::Awaited>
requires detail::kAwaited<Token, Counted>
auto count(Database& database, Count&& request, Token&& token = Token()) = delete;

/// Ends when the index serves queries. Errors: those of Database::declare_index.
template <bus::CompletionFor<void> Token = bus::Awaited>
auto declare_index(Database& database, const DeclareIndex& request, Token&& token = Token()) {
  return detail::ask<void, DeclareIndex>(database, &Database::declare_index, request,
                                         std::forward<Token>(token));
}
/// Give the request a name first: g++ 12 would destroy it twice.
template <bus::CompletionFor<void> Token = bus::Awaited>
requires detail::kAwaited<Token, void>
auto declare_index(Database& database, DeclareIndex&& request, Token&& token = Token()) = delete;

}  // namespace starbus::nodes::db
