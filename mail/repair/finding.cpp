#include "mail/repair/finding.hpp"

#include <array>

namespace starbus::mail {
namespace {

struct Row {
  std::string_view name;
  std::string_view meaning;
  std::string_view repair;
};
constexpr std::array kRows = {
#define X(problem, meaning, repair) Row{#problem, meaning, repair},
    STARBUS_MAIL_PROBLEMS(X)
#undef X
};

}  // namespace

std::string_view name_of(Problem problem) {
  return kRows.at(static_cast<std::size_t>(problem)).name;
}

std::string_view meaning_of(Problem problem) {
  return kRows.at(static_cast<std::size_t>(problem)).meaning;
}

std::string_view repair_of(Problem problem) {
  return kRows.at(static_cast<std::size_t>(problem)).repair;
}

bool is_note(Problem problem) {
  return problem == Problem::lost_before || problem == Problem::unknown_rows;
}

std::string Finding::where() const {
  if (!name.empty()) return name;
  return id ? "mailbox " + id->to_string() : "the store";
}

std::string Finding::to_string() const {
  return where() + ": " + what();
}

std::string Finding::what() const {
  std::string text(name_of(problem));
  if (first != 0) text += " " + std::to_string(first);
  if (last > first) text += " to " + std::to_string(last);
  return detail.empty() ? text : text + ": " + detail;
}

}  // namespace starbus::mail
