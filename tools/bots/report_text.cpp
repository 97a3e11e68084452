#include <algorithm>
#include <cmath>
#include <sstream>

#include "tools/bots/report.hpp"
#include "tools/terminal/table.hpp"
#include "tools/terminal/text.hpp"

namespace starbus::bots {
namespace {

std::string time_of(std::int64_t nanos) {
  return nanos == 0 ? "-" : bustop::human_microseconds(static_cast<double>(nanos) / 1'000);
}

/// "say 1003/s p50 0.8 ms p99 3.1 ms"
std::string flow(const char* what, std::uint64_t times, const Histogram& latency) {
  return std::string(what) + " " + std::to_string(times) + "/s p50 " +
         time_of(latency.percentile(50)) + " p99 " + time_of(latency.percentile(99));
}

std::string texts_text(const Texts& all) {
  std::string text;
  for (const auto& [what, times] : all) {
    text += (text.empty() ? "" : ", ") + std::to_string(times) + " " + bustop::printable(what);
  }
  return text.empty() ? "none" : text;
}

std::string per_second_text(std::uint64_t number, double seconds) {
  return seconds > 0 ? bustop::human_count(static_cast<double>(number) / seconds) : "-";
}

using Align = bustop::Table::Align;

std::string says_text(const Script& script, const Outcome& outcome) {
  if (script.says.empty()) return {};
  bustop::Table table({{"say"},
                       {"asked", Align::right},
                       {"replied", Align::right},
                       {"a second", Align::right},
                       {"lost, not begun, unknown", Align::right},
                       {"errors", Align::right},
                       {"p50", Align::right},
                       {"p99", Align::right},
                       {"p99.9", Align::right},
                       {"most", Align::right}});
  for (std::size_t i = 0; i < script.says.size(); ++i) {
    const SayFigures& from = outcome.measured.say[i];
    table.add({script.says[i].name, std::to_string(from.asked), std::to_string(from.replied),
               per_second_text(from.replied, outcome.seconds),
               std::to_string(from.reply_lost) + ", " + std::to_string(from.not_begun) + ", " +
                   std::to_string(from.unknown),
               std::to_string(from.failed), time_of(from.latency.percentile(50)),
               time_of(from.latency.percentile(99)), time_of(from.latency.percentile(99.9)),
               time_of(from.latency.max())});
  }
  return table.text({});
}

std::string hears_text(const Script& script, const Outcome& outcome) {
  if (script.hears.empty()) return {};
  bustop::Table table({{"hear"},
                       {"heard", Align::right},
                       {"a second", Align::right},
                       {"passed over", Align::right},
                       {"missing", Align::right},
                       {"p50", Align::right},
                       {"p99", Align::right},
                       {"p99.9", Align::right},
                       {"most", Align::right}});
  for (std::size_t i = 0; i < script.hears.size(); ++i) {
    const HearFigures& from = outcome.measured.hear[i];
    table.add({script.hears[i].name, std::to_string(from.heard),
               per_second_text(from.heard, outcome.seconds), std::to_string(from.passed_over),
               std::to_string(from.missing), time_of(from.latency.percentile(50)),
               time_of(from.latency.percentile(99)), time_of(from.latency.percentile(99.9)),
               time_of(from.latency.max())});
  }
  return table.text({});
}

std::string errors_text(const Script& script, const Outcome& outcome) {
  std::string text;
  for (std::size_t i = 0; i < script.says.size(); ++i) {
    const Texts& all = outcome.measured.say[i].errors;
    if (!all.empty()) text += "errors of " + script.says[i].name + ": " + texts_text(all) + "\n";
  }
  return text;
}

std::string letters_text(const Script& script, const Outcome& outcome) {
  std::ostringstream out;
  for (std::size_t i = 0; i < script.says.size() && i < outcome.letters.size(); ++i) {
    if (!script.says[i].has_letter) continue;
    const LetterFigures& from = outcome.letters[i];
    out << "letters of " << script.says[i].name << ": " << from.said << " said, " << from.kept
        << " kept, " << from.arrived << " arrived, " << from.again << " again, " << from.lost
        << " lost; p50 " << time_of(from.latency.percentile(50)) << " p99 "
        << time_of(from.latency.percentile(99)) << " most " << time_of(from.latency.max()) << "\n";
  }
  return out.str();
}

std::string state_text(const Script& script, const Outcome& outcome) {
  std::ostringstream out;
  if (outcome.compared > 0) out << "compared: " << outcome.compared << " pairs\n";
  const auto at = std::ranges::find_if(script.states, &StateTable::own);
  if (at == script.states.end()) return out.str();
  out << at->name << " of " << outcome.at_settled.state_bots << " bots, added up:";
  for (std::size_t i = 0; i < at->fields.size(); ++i) {
    const Type type = at->fields[i].type;
    if (type == Type::str || type == Type::f32 || type == Type::f64) continue;
    if (i < outcome.at_settled.state_sums.size()) {
      out << " " << at->fields[i].name << " " << outcome.at_settled.state_sums[i];
    }
  }
  for (std::size_t i = 0; i < at->grows.size() && i < outcome.whole.back.size(); ++i) {
    const BackFigures& back = outcome.whole.back[i];
    if (back.times == 0) continue;
    out << "; taken back: " << back.amount << " " << at->fields[at->grows[i]].name << " of "
        << back.times << " bots, " << back.oldest / 1'000'000 << " ms old at most";
  }
  out << "\n";
  return out.str();
}

std::string violations_text(const Violations::Seen& seen) {
  std::ostringstream out;
  out << "violations: " << seen.count << "\n";
  for (const Violation& each : seen.told) {
    out << "  " << each.at_ms << " ms, bot " << each.bot << " (" << bustop::printable(each.account)
        << "): " << name_of(each.kind) << " of " << bustop::printable(each.what) << ": expected "
        << bustop::printable(each.expected) << ", got " << bustop::printable(each.got) << "\n";
  }
  if (seen.told.size() < seen.count) {
    out << "  and " << seen.count - seen.told.size() << " more (--violations N shows more)\n";
  }
  return out.str();
}

}  // namespace

std::string progress_line(const Progress& at) {
  std::uint64_t said = 0;
  std::uint64_t heard = 0;
  Histogram say;
  Histogram hear;
  for (const SayFigures& each : at.second.say) {
    said += each.replied;
    say.merge(each.latency);
  }
  for (const HearFigures& each : at.second.hear) {
    heard += each.heard;
    hear.merge(each.latency);
  }
  std::ostringstream out;
  out << std::lround(at.seconds) << "s " << at.stage << " | " << at.bots
      << " bots: " << at.gauges.playing << " play, " << at.gauges.waiting << " wait, "
      << at.gauges.away << " away | " << flow("say", said, say) << " | "
      << flow("hear", heard, hear) << " | " << at.second.cuts << " cuts " << at.second.takeovers
      << " takeovers | " << at.violations << " violations";
  return out.str();
}

std::string summary_text(const Script& script, const Given& given, const Outcome& outcome) {
  const Figures& whole = outcome.whole;
  const double share = outcome.seconds * static_cast<double>(script.bots);
  const auto a_bot = [&](std::uint64_t bytes) {
    return share > 0 ? bustop::human_byte_rate(static_cast<double>(bytes) / share) : "-";
  };
  const std::uint64_t grown =
      outcome.memory > outcome.memory_before ? outcome.memory - outcome.memory_before : 0;
  std::ostringstream out;
  out << given.script << ": " << outcome.result();
  if (!outcome.failure.empty()) out << ": " << outcome.failure;
  out << "\nmeasured " << bustop::human_seconds(outcome.seconds) << " with " << script.bots
      << " bots, seed " << given.seed << ", ended by " << outcome.ended << "\n";
  out << "entry: " << whole.came_in << " of " << script.bots << " in "
      << bustop::human_seconds(outcome.entry_seconds) << ", p50 "
      << time_of(whole.entry.percentile(50)) << " p99 " << time_of(whole.entry.percentile(99))
      << " most " << time_of(whole.entry.max()) << "; " << whole.waited << " in a queue of up to "
      << whole.queue_most << "; refused: " << texts_text(whole.refused) << "\n";
  out << "connections: " << whole.made << " made, " << whole.lost << " lost, " << whole.cuts
      << " of them cut; troubles: " << texts_text(whole.troubles) << "\n";
  out << "sessions: " << whole.entered << " entered, " << whole.resumed << " resumed, "
      << whole.fulls << " full states, " << whole.takeovers
      << " takeovers; ended: " << texts_text(whole.ended) << "\n";
  out << says_text(script, outcome) << errors_text(script, outcome) << hears_text(script, outcome);
  if (const SightFigures& sight = whole.sight; sight.scenes > 0) {
    out << "sight: " << sight.scenes << " scenes, " << sight.bodies << " bodies of "
        << bustop::human_bytes(static_cast<double>(sight.bytes)) << ", " << sight.entered
        << " came in sight, " << sight.left << " left; " << sight.corrections << " corrections, "
        << sight.teleports << " teleports\n";
  }
  if (const TravelFigures& travel = whole.travel; travel.begun > 0) {
    out << "travel: " << travel.begun << " through portals, " << travel.unanswered
        << " without an answer, p50 " << time_of(travel.latency.percentile(50)) << " p99 "
        << time_of(travel.latency.percentile(99)) << " most " << time_of(travel.latency.max())
        << "\n";
  }
  if (whole.leaves > 0) out << "leaves: " << whole.leaves << "\n";
  out << letters_text(script, outcome) << state_text(script, outcome);
  out << "bytes of a bot: " << a_bot(outcome.bytes_in) << " in, " << a_bot(outcome.bytes_out)
      << " out\n";
  out << "this process: "
      << (outcome.seconds > 0 ? std::lround(outcome.cpu_seconds / outcome.seconds * 100) : 0)
      << " % of a core, " << bustop::human_bytes(static_cast<double>(outcome.memory)) << ", "
      << bustop::human_bytes(static_cast<double>(grown) / static_cast<double>(script.bots))
      << " a bot\n";
  out << violations_text(outcome.violations);
  return out.str();
}

}  // namespace starbus::bots
