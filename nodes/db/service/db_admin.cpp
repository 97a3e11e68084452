#include "nodes/db/service/db_admin.hpp"

#include <nlohmann/json.hpp>
#include <utility>

#include "daemon/histogram.hpp"

namespace starbus::nodes::db {
namespace {

using daemon::Buckets;
using daemon::Metrics;
using Figures = std::function<DbFigures()>;

std::map<std::string, std::uint64_t> refusals(const DbFigures& figures) {
  std::map<std::string, std::uint64_t> rows;
  for (const ErrorInfo& info : kErrors.errors) {
    const std::uint64_t count = figures.engine.handler.refused.at(info.number);
    if (count != 0) rows[std::string(info.name)] = count;
  }
  if (figures.intake.refused != 0) rows["busy"] += figures.intake.refused;
  return rows;
}

daemon::Response report(const std::string& database, const DbFigures& figures) {
  const auto& [engine, intake] = figures;
  const nlohmann::ordered_json json = {
      {"database", database},
      {"open", engine.open},
      {"identity", engine.identity},
      {"collections", engine.database.collections},
      {"documents", engine.database.documents},
      {"store",
       {{"state", storage::name_of(engine.storage.state)},
        {"reason", engine.storage.reason.to_string()},
        {"syncs", engine.storage.syncs},
        {"reopened", engine.storage.reopened},
        {"damage", engine.storage.damage}}},
      {"writes",
       {{"commits", engine.database.batches},
        {"written", engine.database.written},
        {"repeated", engine.database.repeated},
        {"refused", engine.database.refused},
        {"waiting", engine.database.waiting}}},
      {"requests", {{"taken", engine.handler.requests}, {"refused", refusals(figures)}}},
      {"inbox",
       {{"requests", intake.requests},
        {"bytes", intake.bytes},
        {"callers", intake.callers},
        {"unsent", intake.unsent},
        {"unsent_bytes", intake.unsent_bytes},
        {"dropped", intake.dropped}}}};
  return {200, "application/json",
          json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n"};
}

void add_gauges(Metrics& metrics, const Figures& figures) {
  const auto gauge = [&](const char* name, const char* help, auto read) {
    metrics.gauge(name, help, [figures, read] { return static_cast<double>(read(figures())); });
  };
  gauge("starbus_db_store_state", "State of the store: 0 running, 1 full, 2 stopped, 3 closed.",
        [](const DbFigures& f) { return f.engine.storage.state; });
  gauge("starbus_db_documents", "Documents in all collections.",
        [](const DbFigures& f) { return f.engine.database.documents; });
  gauge("starbus_db_collections", "Collections.",
        [](const DbFigures& f) { return f.engine.database.collections; });
  gauge("starbus_db_waiting_requests", "Requests accepted by the database and not answered yet.",
        [](const DbFigures& f) { return f.engine.database.waiting; });
  gauge("starbus_db_inbox_requests", "Requests received over the bus and not answered yet.",
        [](const DbFigures& f) { return f.intake.requests; });
  gauge("starbus_db_inbox_bytes", "Bytes of requests received over the bus and not answered yet.",
        [](const DbFigures& f) { return f.intake.bytes; });
  gauge("starbus_db_unsent_answers", "Answers waiting for room in the windows of their callers.",
        [](const DbFigures& f) { return f.intake.unsent; });
}

void add_counters(Metrics& metrics, const Figures& figures) {
  const auto counter = [&](const char* name, const char* help, auto read) {
    metrics.counter(name, help, [figures, read] { return static_cast<double>(read(figures())); });
  };
  counter("starbus_db_requests_total", "Requests received over the bus.",
          [](const DbFigures& f) { return f.engine.handler.requests; });
  counter("starbus_db_written_total", "Requests written to disk.",
          [](const DbFigures& f) { return f.engine.database.written; });
  counter("starbus_db_repeated_total", "Repeated requests, answered from the stored result.",
          [](const DbFigures& f) { return f.engine.database.repeated; });
  counter("starbus_db_commits_total", "Commits, each with one fsync for all waiting requests.",
          [](const DbFigures& f) { return f.engine.database.batches; });
  counter("starbus_db_dropped_answers_total",
          "Answers dropped for lack of room; their callers ask again.",
          [](const DbFigures& f) { return f.intake.dropped; });
  metrics.family("starbus_db_refused_total", "Requests refused, by reason.", Metrics::Kind::counter,
                 [figures] {
                   std::vector<Metrics::Sample> samples;
                   for (const auto& [reason, count] : refusals(figures())) {
                     samples.push_back({{{"reason", reason}}, static_cast<double>(count)});
                   }
                   return samples;
                 });
}

}  // namespace

storage::MeasuredStore::Measured add_db_admin(Node& node, const std::string& database,
                                              Figures figures) {
  auto& context = node.process_context();
  add_gauges(context.metrics, figures);
  add_counters(context.metrics, figures);
  context.admin.get("/db", daemon::AdminRole::observe, [database, figures](const daemon::Request&) {
    return report(database, figures());
  });
  prometheus::Histogram& seconds =
      daemon::add_histogram(context.metrics, "starbus_db_commit_seconds",
                            "From a commit until it is on the disk.", daemon::commit_buckets());
  prometheus::Histogram& rows = daemon::add_histogram(
      context.metrics, "starbus_db_commit_rows", "Rows written or erased by a commit.",
      Buckets{4, 16, 64, 256, 1'024, 4'096, 16'384});
  return [&seconds, &rows](const storage::MeasuredStore::Commit& commit) {
    if (!commit.durable) return;
    seconds.Observe(commit.seconds);
    rows.Observe(static_cast<double>(commit.operations));
  };
}

}  // namespace starbus::nodes::db
