#include "tools/terminal/completion.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <sstream>
#include <vector>

namespace starbus::bustop {
namespace {

struct OptionText {
  std::string name;  // without dashes
  std::string description;
  bool takes_value = false;
  std::string values{};  // words to choose from, if they are few and known
};

constexpr const char* kLanes = "call sync bulk";
constexpr const char* kShells = "bash zsh fish";

/// Descriptions stand in single quotes, and zsh splits at colons and brackets.
std::string quotable(std::string text) {
  std::erase_if(text, [](char c) { return c == '\'' || c == '[' || c == ']' || c == '\\'; });
  std::ranges::replace(text, ':', ',');
  return text;
}

std::vector<OptionText> options_of(const CLI::App& app) {
  std::vector<OptionText> result;
  const bool common = app.get_parent() == nullptr;
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_lnames().empty()) continue;
    // Each sub-command has a --help of its own, which is the same one to a shell.
    if (!common && option->get_lnames().front() == "help") continue;
    result.push_back({option->get_lnames().front(), quotable(option->get_description()),
                      option->get_items_expected_max() > 0,
                      option->get_lnames().front() == "lane" ? kLanes : ""});
  }
  return result;
}

std::vector<const CLI::App*> commands_of(const CLI::App& app) {
  const auto all = app.get_subcommands([](const CLI::App*) { return true; });
  return {all.begin(), all.end()};
}

/// The options of a command and of those below it (`mail ls`), for the shell's completion.
std::vector<OptionText> options_below(const CLI::App& app) {
  std::vector<OptionText> result = options_of(app);
  for (const CLI::App* command : commands_of(app)) {
    for (OptionText& option : options_of(*command)) {
      if (std::ranges::find(result, option.name, &OptionText::name) == result.end()) {
        result.push_back(std::move(option));
      }
    }
  }
  return result;
}

/// "bash zsh fish", "ls peek stats": what may follow a command, if it is one of few words.
std::string words_of(const CLI::App& command) {
  if (command.get_name() == "completion") return kShells;
  std::string words;
  for (const CLI::App* below : commands_of(command)) {
    words += (words.empty() ? "" : " ") + below->get_name();
  }
  return words;
}

std::string long_options_below(const CLI::App& app) {
  std::string words;
  for (const OptionText& option : options_below(app)) words += " --" + option.name;
  return words;
}

std::string long_options(const CLI::App& app) {
  std::string words;
  for (const OptionText& option : options_of(app)) words += " --" + option.name;
  return words;
}

std::string bash(const CLI::App& app) {
  std::ostringstream script;
  std::string names;
  for (const CLI::App* command : commands_of(app)) names += " " + command->get_name();
  script << "# bash completion of bustop: source <(bustop completion bash)\n"
         << "_bustop() {\n"
         << "  local current=\"${COMP_WORDS[COMP_CWORD]}\" word command=\"\" words=\"\"\n"
         << "  if [[ ${COMP_WORDS[COMP_CWORD-1]} == --lane ]]; then\n"
         << "    COMPREPLY=($(compgen -W \"" << kLanes << "\" -- \"$current\"))\n"
         << "    return\n"
         << "  fi\n"
         << "  for word in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n"
         << "    case \" " << names.substr(1) << " \" in\n"
         << "      *\" $word \"*) command=\"$word\"; break ;;\n"
         << "    esac\n"
         << "  done\n"
         << "  case \"$command\" in\n"
         << "    \"\") words=\"" << names.substr(1) << "\" ;;\n";
  for (const CLI::App* command : commands_of(app)) {
    script << "    " << command->get_name() << ") words=\"" << words_of(*command)
           << long_options_below(*command) << "\" ;;\n";
  }
  script << "  esac\n"
         << "  words=\"$words" << long_options(app) << "\"\n"
         << "  COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
         << "}\n"
         << "complete -F _bustop bustop\n";
  return script.str();
}

std::string zsh_option(const OptionText& option) {
  return "'--" + option.name + "[" + option.description + "]" +
         (option.takes_value ? ":" + option.name + ":" : "") +
         (option.values.empty() ? "" : "(" + option.values + ")") + "'";
}

std::string zsh(const CLI::App& app) {
  std::ostringstream script;
  script << "#compdef bustop\n"
         << "# zsh completion of bustop: source <(bustop completion zsh)\n"
         << "_bustop() {\n"
         << "  local -a commands common\n"
         << "  commands=(\n";
  for (const CLI::App* command : commands_of(app)) {
    script << "    '" << command->get_name() << ":" << quotable(command->get_description())
           << "'\n";
  }
  script << "  )\n  common=(\n";
  for (const OptionText& option : options_of(app)) script << "    " << zsh_option(option) << "\n";
  script << "  )\n"
         << "  local context state line\n"
         << "  _arguments -C $common '1: :->command' '*:: :->rest'\n"
         << "  case $state in\n"
         << "    command) _describe command commands ;;\n"
         << "    rest)\n"
         << "      case $line[1] in\n";
  for (const CLI::App* command : commands_of(app)) {
    script << "        " << command->get_name() << ") _arguments $common";
    for (const OptionText& option : options_below(*command)) script << " " << zsh_option(option);
    if (const std::string words = words_of(*command); !words.empty()) {
      script << " '1:what:(" << words << ")'";
    }
    script << " ;;\n";
  }
  script << "      esac ;;\n"
         << "  esac\n"
         << "}\n"
         << "compdef _bustop bustop\n";
  return script.str();
}

std::string fish_option(const OptionText& option) {
  return " -l " + option.name + (option.takes_value ? " -r" : "") +
         (option.values.empty() ? "" : " -a '" + option.values + "'") + " -d '" +
         option.description + "'\n";
}

std::string fish(const CLI::App& app) {
  std::ostringstream script;
  script << "# fish completion of bustop: bustop completion fish | source\n"
         << "complete -c bustop -f\n";
  for (const OptionText& option : options_of(app)) {
    script << "complete -c bustop" << fish_option(option);
  }
  for (const CLI::App* command : commands_of(app)) {
    script << "complete -c bustop -n __fish_use_subcommand -a " << command->get_name() << " -d '"
           << quotable(command->get_description()) << "'\n";
    const std::string here =
        "complete -c bustop -n '__fish_seen_subcommand_from " + command->get_name() + "'";
    for (const OptionText& option : options_below(*command)) script << here << fish_option(option);
    if (const std::string words = words_of(*command); !words.empty()) {
      script << here << " -a '" << words << "'\n";
    }
  }
  return script.str();
}

}  // namespace

bus::Result<std::string> completion_script(const CLI::App& app, const std::string& shell) {
  if (shell == "bash") return bash(app);
  if (shell == "zsh") return zsh(app);
  if (shell == "fish") return fish(app);
  return bus::Error{bus::Errc::bad_config, "completion: the shell is bash, zsh or fish"};
}

}  // namespace starbus::bustop
