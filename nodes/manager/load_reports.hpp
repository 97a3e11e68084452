/// The state of each node as the node reports it: asks all nodes once a second
/// (NodeControl::report), and keeps the latest answers.
///
/// Belongs to the loop's thread. At most kMaxQuestions calls wait at any time, one per node; a node
/// that does not answer within kReportDeadline shows as that, with the age of its latest answer.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "nodes/manager/node_table.hpp"
#include "nodes/runtime/node.hpp"
#include "nodes/runtime/node_control.hpp"

namespace starbus::nodes::manager {

class LoadReports final : private NodeTable::Listener {
 public:
  struct Latest {
    std::optional<NodeReport> report;  // none: it has never answered
    entity::Time at{};                 // of the report
    bool answers = true;               // the latest question was answered, or none has ended yet
  };

  LoadReports(Node& node, NodeTable& table) : node_(node), table_(table) {}
  /// Begins to ask. io_error: there is no timer for it.
  bus::Result<> start();

  /// Null if the node is unknown.
  const Latest* find(const std::string& process) const;
  /// For people: the status that it reports, or that it does not answer.
  std::string words(const std::string& process) const;
  /// Asks this node next, unless a question to it is under way.
  void ask_soon(const std::string& process);
  /// Called after each change of a report.
  void on_news(std::function<void(const std::string& process)> callback) {
    on_news_ = std::move(callback);
  }

 private:
  using Reply = entity::rpc::Reply<NodeReport>;
  struct Row : Latest {
    std::uint64_t serial = 0;  // another one when the process is another one
    bool queued = false;
    bool asked = false;
  };

  void on_node_added(const KnownNode& node) override;
  void on_node_removed(const KnownNode& node) override;
  void ask_all();
  void ask_all_soon();
  void ask_next();
  void ask(const std::string& process, Row& row);
  void answered(const std::string& process, std::uint64_t serial, const Reply& reply);

  Node& node_;
  NodeTable& table_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  std::map<std::string, Row> rows_;
  std::deque<std::string> queue_;
  std::size_t asking_ = 0;
  std::uint64_t serials_ = 0;
  std::function<void(const std::string&)> on_news_;
  entity::TimerOwner timers_;
  entity::TimerOwner again_;
};

}  // namespace starbus::nodes::manager
