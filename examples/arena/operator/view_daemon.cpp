#include "examples/arena/operator/view_daemon.hpp"

#include <signal.h>
#include <spdlog/spdlog.h>
#include <sys/random.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/hex.hpp"
#include "base/numbers.hpp"
#include "bus/core/error.hpp"

namespace arena::view {

namespace bus = starbus::bus;
namespace fs = std::filesystem;
using starbus::daemon::ConfigReader;
using starbus::daemon::PagePort;
using starbus::daemon::Request;
using starbus::daemon::Response;

namespace {

constexpr std::size_t kMostFiles = 64;
constexpr std::uintmax_t kMaxFile = 1024 * 1024;

/// 128 bits, as hexadecimal digits.
bus::Result<std::string> new_key() {
  std::string bytes(16, '\0');
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    return bus::Error(bus::Errc::io_error, "no random numbers for a key");
  }
  return starbus::hex_of(std::string_view(bytes));
}

/// nullopt: the page has no files of this kind.
std::optional<std::string> content_type(const fs::path& file) {
  static const std::map<std::string, std::string> kTypes = {
      {".html", "text/html; charset=utf-8"},
      {".css", "text/css; charset=utf-8"},
      {".js", "text/javascript; charset=utf-8"}};
  const auto found = kTypes.find(file.extension().string());
  if (found == kTypes.end()) return std::nullopt;
  return found->second;
}

/// No other site may put the page into a frame, and the page loads nothing from elsewhere.
Response file_response(const std::string& type, std::string body) {
  return {200,
          type,
          std::move(body),
          {{"Content-Security-Policy",
            "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
            "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
           {"Referrer-Policy", "no-referrer"},
           {"X-Frame-Options", "DENY"}}};
}

Response answer_of(const Outcome& outcome, const std::string& what) {
  if (outcome) return Response::error(outcome->status, outcome->why);
  return Response::json({{"done", what}});
}

Program read_program(ConfigReader& table) {
  return {.name = table.required_string("name"),
          .host = table.string("host", ""),
          .kind = table.required_string("kind"),
          .node = table.string("node", ""),
          .socket = table.string("socket", "")};
}

}  // namespace

void ViewDaemon::configure(ConfigReader& reader) {
  fresh_ = {};
  fresh_.run = reader.required_string("run");
  fresh_.site = reader.required_string("site");
  fresh_.listen = reader.string("listen", "127.0.0.1:7681");
  for (ConfigReader& table : reader.tables("program")) {
    fresh_.programs.push_back(read_program(table));
    if (fresh_.programs.back().name.find('/') != std::string::npos) {
      table.problem("name", "a name of files: no '/'");
    }
  }
  if (fresh_.programs.size() > kMostPrograms) {
    reader.problem("program", "at most " + std::to_string(kMostPrograms) + " programs");
  }
}

bus::Result<> ViewDaemon::start(starbus::daemon::DaemonContext& context) {
  ::signal(SIGCHLD, SIG_IGN);  // nobody waits for what is started again
  auto key = new_key();
  if (!key) return key.error();
  auto listening =
      PagePort::listen(context.loop, {.listen = fresh_.listen, .max_body = kMaxBody}, *key);
  if (!listening) return listening.error();
  port_ = std::move(*listening);
  folder_.emplace(fresh_.run, fresh_.programs);
  watch_.emplace(*folder_);
  if (auto served = serve_page(); !served) return served;
  serve_view();
  return context.state.note("page", "http://" + port_->address() + "/operator#" + *key + "\n");
}

/// Each file is read once, and has a route of its own: no path leads to anything else.
bus::Result<> ViewDaemon::serve_page() {
  std::vector<fs::path> files = {"operator.html", "operator.css"};
  std::error_code error;
  const fs::path site = fresh_.site;
  for (const auto& entry : fs::recursive_directory_iterator(site / "js", error)) {
    if (entry.is_regular_file()) files.push_back(fs::relative(entry.path(), site));
  }
  if (error || files.size() > kMostFiles) {
    return bus::Error(bus::Errc::bad_config,
                      "site: " + fresh_.site + ": not the page of the arena");
  }
  for (const fs::path& file : files) {
    const auto type = content_type(file);
    if (!type) continue;
    std::ifstream in(site / file, std::ios::binary);
    std::string body{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    if (!in || body.size() > kMaxFile) {
      return bus::Error(bus::Errc::bad_config, "site: " + (site / file).string() + ": unreadable");
    }
    const std::string path = file == "operator.html" ? "/operator" : "/" + file.string();
    port_->file(path, [type = *type, body = std::move(body)](const Request&) {
      return file_response(type, body);
    });
  }
  return {};
}

void ViewDaemon::serve_view() {
  port_->get("/view", [this](const Request& request) {
    const auto after = request.number_or("after", 0);
    return after ? Response::json(watch_->look(*after)) : Response::no_number("after");
  });
  port_->post("/kill", [this](const Request& request) { return kill(request); });
  port_->post("/start", [this](const Request& request) { return start_again(request); });
}

Response ViewDaemon::kill(const Request& request) {
  const std::string name = request.parameter_or("name", "");
  const auto pid = starbus::parse_number<pid_t>(request.parameter_or("pid", ""));
  const auto started = request.number_or("started", 0);
  if (!pid || *pid <= 0) return Response::no_number("pid");
  if (!started) return Response::no_number("started");
  const Outcome outcome = folder_->kill(name, *pid, *started);
  if (!outcome) watch_->ordered(Event::What::killed, name);
  return answer_of(outcome, "killed");
}

Response ViewDaemon::start_again(const Request& request) {
  const std::string name = request.parameter_or("name", "");
  const Outcome outcome = folder_->start(name);
  if (!outcome) watch_->ordered(Event::What::started, name);
  return answer_of(outcome, "started");
}

std::string ViewDaemon::status() const {
  return "shows " + std::to_string(fresh_.programs.size()) + " programs of " + fresh_.run;
}

}  // namespace arena::view
