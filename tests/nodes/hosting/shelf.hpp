/// A database in memory, whose answers come in a later turn of the loop, or when the test says so.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "nodes/db/database.hpp"
#include "nodes/db/update.hpp"

namespace starbus::nodes::entities {

class Shelf final : public db::Database {
 public:
  /// By "collection/id".
  using Documents = std::map<std::string, db::Json>;

  explicit Shelf(boost::asio::io_context& loop) : Shelf(loop, own_) {}
  /// The documents are those of several shelves, and outlive them.
  Shelf(boost::asio::io_context& loop, Documents& documents) : all(documents), loop_(loop) {}
  Shelf(const Shelf&) = delete;
  Shelf& operator=(const Shelf&) = delete;

  db::Result<> write(db::WriteRequest request, Done<db::Written> done) override {
    if (refuses) return db::Error(db::Errc::busy);
    return answer([this, request = std::move(request), done = std::move(done)] {
      const auto& update = std::get<db::Update>(request.writes.at(0));
      auto& document = all[update.collection + "/" + update.id];
      if (document.is_null()) document = db::Json::object();
      const db::Json before = document;
      const auto changed = db::apply_changes(update.changes, document);
      if (changed && on_change) on_change(update.id, before, document);
      changed ? done(db::Written{{db::Outcome::changed}, false}) : done(changed.error());
    });
  }
  db::Result<> find(db::Find request, Done<std::optional<db::Json>> done) override {
    if (refuses) return db::Error(db::Errc::busy);
    ++finds;
    return answer([this, request = std::move(request), done = std::move(done)] {
      const auto found = all.find(request.collection + "/" + request.id);
      done(found == all.end() ? std::optional<db::Json>() : std::optional<db::Json>(found->second));
    });
  }
  db::Result<> query(db::Query, Done<db::Page> done) override {
    return answer([done = std::move(done)] { done(db::Page{}); });
  }
  db::Result<> count(db::Count, Done<db::Counted> done) override {
    return answer([this, done = std::move(done)] { done(db::Counted{all.size(), {}}); });
  }
  db::Result<> declare_index(db::DeclareIndex, Done<> done) override {
    return answer([done = std::move(done)] { done({}); });
  }
  db::Result<> drop_index(db::DropIndex, Done<>) override { return db::Errc::closed; }
  db::Result<> indexes(std::string, Done<std::vector<db::IndexInfo>>) override {
    return db::Errc::closed;
  }
  db::Result<> collections(Done<std::vector<db::CollectionInfo>>) override {
    return db::Errc::closed;
  }
  /// Answers what was held, in order.
  void release() {
    holds = false;
    for (auto& each : std::exchange(held_, {})) boost::asio::post(loop_, std::move(each));
  }

  bool refuses = false;
  bool holds = false;
  int finds = 0;
  /// Called of each write: the id of the document, what it was, and what it is.
  std::function<void(const std::string&, const db::Json&, const db::Json&)> on_change;
  Documents& all;

 private:
  db::Result<> answer(std::function<void()> later) {
    if (holds) {
      held_.push_back(std::move(later));
    } else {
      boost::asio::post(loop_, std::move(later));
    }
    return {};
  }
  Documents own_;
  boost::asio::io_context& loop_;
  std::vector<std::function<void()>> held_;
};

}  // namespace starbus::nodes::entities
