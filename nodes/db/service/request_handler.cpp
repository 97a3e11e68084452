#include "nodes/db/service/request_handler.hpp"

#include <utility>

namespace starbus::nodes::db {
namespace {

/// visit(name) for each collection that a request is about, until it is false.
template <class Visit>
bool all_collections(const Arguments& arguments, Visit visit) {
  return std::visit(
      [&](const auto& each) {
        if constexpr (requires { each.writes; }) {
          for (const Write& write : each.writes) {
            if (!std::visit([&](const auto& one) { return visit(one.collection); }, write)) {
              return false;
            }
          }
        } else if constexpr (requires { each.range; }) {
          return visit(each.range.collection);
        } else if constexpr (requires { each.collection; }) {
          return visit(each.collection);
        }
        return true;
      },
      arguments);
}

}  // namespace

void RequestHandler::handle(bus::ByteView body, const Reply& reply) {
  ++counters_.requests;
  auto request = decode_request(body);
  if (!request) return refuse(request.error(), reply);
  if (const auto here = check(*request); !here) return refuse(here.error(), reply);
  const auto taken = run(std::move(request->arguments), reply);
  if (!taken) refuse(taken.error(), reply);
}

Result<> RequestHandler::check(const Request& request) const {
  if (request.database != scope_.database) {
    return Error(Errc::not_here, "this is the database " + scope_.database);
  }
  if (scope_.collections.empty()) return {};
  std::string missing;
  const bool here = all_collections(request.arguments, [&](const std::string& name) {
    if (!scope_.collections.contains(name)) missing = name;
    return missing.empty();
  });
  return here ? Result<>() : Result<>(Error(Errc::not_here, "the collection " + missing));
}

void RequestHandler::refuse(const Error& error, const Reply& reply) {
  ++counters_.refused[static_cast<std::size_t>(error.code.in<Errc>()) % counters_.refused.size()];
  reply(encode_refusal(error));
}

template <class T>
Database::Done<T> RequestHandler::answering(const Reply& reply) {
  return [this, reply](const Result<T>& result) {
    if (!result) return refuse(result.error(), reply);
    if constexpr (std::is_void_v<T>) {
      reply(encode_answer(Nothing{}));
    } else {
      reply(encode_answer(*result));
    }
  };
}

Result<> RequestHandler::run(Arguments arguments, const Reply& reply) {
  struct Runner {
    RequestHandler& handler;
    const Reply& reply;
    Database& database = handler.database_;

    Result<> operator()(WriteRequest&& request) const {
      return database.write(std::move(request), handler.answering<Written>(reply));
    }
    Result<> operator()(Find&& request) const {
      return database.find(std::move(request), handler.answering<std::optional<Json>>(reply));
    }
    Result<> operator()(Query&& request) const {
      return database.query(std::move(request), handler.answering<Page>(reply));
    }
    Result<> operator()(Count&& request) const {
      return database.count(std::move(request), handler.answering<Counted>(reply));
    }
    Result<> operator()(DeclareIndex&& request) const {
      return database.declare_index(std::move(request), handler.answering<void>(reply));
    }
    Result<> operator()(DropIndex&& request) const {
      return database.drop_index(std::move(request), handler.answering<void>(reply));
    }
    Result<> operator()(ListIndexes&& request) const {
      return database.indexes(std::move(request.collection),
                              handler.answering<std::vector<IndexInfo>>(reply));
    }
    Result<> operator()(ListCollections&&) const {
      return database.collections(handler.answering<std::vector<CollectionInfo>>(reply));
    }
  };
  return std::visit(Runner{*this, reply}, std::move(arguments));
}

}  // namespace starbus::nodes::db
