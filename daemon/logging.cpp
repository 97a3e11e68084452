#include "daemon/logging.hpp"

#include <fcntl.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/spdlog.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdlib>
#include <mutex>
#include <system_error>

#include "base/file_descriptor.hpp"
#include "base/write_all.hpp"

namespace starbus::daemon {
namespace {

constexpr std::string_view kStderr = "stderr";

// spdlog's own level_from_str takes unknown names for "off".
Result<spdlog::level::level_enum> parse_level(std::string_view name) {
  for (int i = spdlog::level::trace; i <= spdlog::level::off; ++i) {
    const auto level = static_cast<spdlog::level::level_enum>(i);
    const spdlog::string_view_t known = spdlog::level::to_string_view(level);
    if (name == std::string_view(known.data(), known.size())) return level;
  }
  return Error(bus::Errc::bad_config,
               std::string("no log level is called '").append(name).append("'"));
}

/// Writes to stderr or appends to a file, one write(2) per line. Locked by spdlog.
class DescriptorSink : public spdlog::sinks::base_sink<std::mutex> {
 public:
  explicit DescriptorSink(std::string target) : target_(std::move(target)) {}

  Result<> open() {
    if (target_ == kStderr) return {};
    FileDescriptor file(::open(target_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0640));
    if (!file) {
      const std::string reason = std::generic_category().message(errno);
      return Error(bus::Errc::io_error, "log file " + target_ + ": " + reason);
    }
    const std::lock_guard<std::mutex> lock(mutex_);
    file_ = std::move(file);
    return {};
  }

 protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    spdlog::memory_buf_t line;
    formatter_->format(message, line);
    const int descriptor = file_ ? file_.get() : STDERR_FILENO;
    // A full disk or a closed terminal must not stop the daemon.
    (void)write_all(descriptor, {line.data(), line.size()});
  }
  void flush_() override {}  // nothing is buffered

 private:
  std::string target_;
  FileDescriptor file_;
};

// The sink of the default logger, for reopen_log().
std::shared_ptr<DescriptorSink>& current_sink() {
  static std::shared_ptr<DescriptorSink> sink;
  return sink;
}

}  // namespace

LogConfig read_log_config(ConfigReader table) {
  LogConfig config;
  config.level = table.choice("level", config.level,
                              {"trace", "debug", "info", "warning", "error", "critical", "off"});
  config.format = table.choice("format", config.format, {"text", "json"});
  config.target = table.string("target", config.target);
  if (config.target.empty()) table.problem("target", "'target' must be \"stderr\" or a file");
  return config;
}

bool stderr_is_journal() {
  const char* stream = std::getenv("JOURNAL_STREAM");
  struct stat status {};
  if (stream == nullptr || ::fstat(STDERR_FILENO, &status) != 0) return false;
  // A child of a service inherits the variable even when its stderr goes elsewhere.
  return stream == std::to_string(status.st_dev) + ":" + std::to_string(status.st_ino);
}

Result<> start_logging(const LogConfig& config, const std::string& name) {
  const auto level = parse_level(config.level);
  if (!level) return level.error();
  auto sink = std::make_shared<DescriptorSink>(config.target);
  if (const auto opened = sink->open(); !opened) return opened.error();
  if (config.format == "json") {
    sink->set_formatter(make_json_formatter());
  } else {
    const bool journal = config.target == kStderr && stderr_is_journal();
    sink->set_formatter(make_text_formatter(journal ? TextStyle::journal : TextStyle::terminal));
  }
  auto logger = std::make_shared<spdlog::logger>(name, sink);
  logger->set_level(*level);
  spdlog::set_default_logger(std::move(logger));
  current_sink() = std::move(sink);
  return {};
}

Result<> set_log_level(std::string_view name) {
  const auto level = parse_level(name);
  if (!level) return level.error();
  spdlog::default_logger_raw()->set_level(*level);
  return {};
}

std::string log_level() {
  const auto name = spdlog::level::to_string_view(spdlog::default_logger_raw()->level());
  return {name.data(), name.size()};
}

void log_audit(const std::string& text) {
  // A logger of its own: the level of the default one, which /log sets, does not reach it.
  const auto& sinks = spdlog::default_logger_raw()->sinks();
  spdlog::logger("audit", sinks.begin(), sinks.end()).warn(text);
}

Result<> reopen_log() {
  return current_sink() ? current_sink()->open() : Result<>();
}

}  // namespace starbus::daemon
