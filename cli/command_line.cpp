#include "command_line.hpp"

#include <taut/contract/request.hpp>

#include <fmt/core.h>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <deque>

namespace taut::cli {

namespace {

constexpr const char* help_text = "Print this help message and exit";
constexpr const char* version_text = "Display program version information and exit";

Option without_value(const char* name, const char* help) {
  Option made{.name = name, .value_name = {}, .help = help, .take = {}};
  made.kind = Option::Kind::flag;
  return made;
}

// Refuses a command or an option that does not exist with the nearest one that does, before CLI11 words it.
void refuse_unknown(const Program& program, const std::vector<std::string>& arguments) {
  if (arguments.empty()) return;
  const Command* where = nullptr;
  if (!arguments[0].starts_with('-')) {
    std::vector<std::string> commands;
    for (const Command& command : program.commands) {
      commands.push_back(command.name);
      if (command.name == arguments[0]) where = &command;
    }
    if (where == nullptr)
      throw InputError(fmt::format("there is no command `{}`.{}\n  The commands are: {}.", arguments[0],
                                   did_you_mean(arguments[0], commands), joined(commands)));
  }
  std::vector<std::string> options;
  for (const Option& option : where == nullptr ? all_options(program) : all_options(*where))
    if (!option.is_place()) options.push_back(option.name);
  for (const std::string& argument : arguments) {
    const std::string asked = argument.substr(0, argument.find('='));
    if (!asked.starts_with("--") || std::find(options.begin(), options.end(), asked) != options.end())
      continue;
    throw InputError(fmt::format("there is no option `{}`.{}\n  The options are: {}.", asked,
                                 did_you_mean(asked, options), joined(options)));
  }
}

// An option of ours beside that of CLI11, which keeps the texts that were typed.
struct Bound {
  const Option* option;
  CLI::Option* parsed = nullptr;
  bool flag = false;
  std::string text = {};
  std::vector<std::string> texts = {};

  void add_to(CLI::App& app) {
    const Option& o = *option;
    switch (o.kind) {
      case Option::Kind::flag:
        parsed = app.add_flag(o.name, flag, o.help);
        return;
      case Option::Kind::value:
        parsed = app.add_option(o.name, text, o.help);
        break;
      case Option::Kind::maybe_value:
        parsed = app.add_option(o.name, text, o.help)->expected(0, 1);
        break;
      case Option::Kind::values:
        parsed = app.add_option(o.name, texts, o.help)->type_size(1)->allow_extra_args(o.is_place());
        break;
    }
    if (!o.value_name.empty()) parsed->type_name(o.value_name);
    if (o.range) parsed->check(CLI::Range(o.range->first, o.range->second));
    parsed->required(o.required);
  }

  // Refuses an empty value. It comes from an unset variable of a script: the default in its place would be
  // another run than the one that was meant.
  void refuse_empty() const {
    if (parsed->get_items_expected_min() == 0) return;
    for (const std::string& value : parsed->results())
      if (value.empty())
        throw InputError(fmt::format("{} is empty: give a value, or leave it out.", option->name));
  }

  void hand_over() const {
    if (parsed->count() == 0) return;
    if (option->kind == Option::Kind::flag) {
      if (flag) option->take("");
      return;
    }
    if (option->kind == Option::Kind::values)
      for (const std::string& one : texts) option->take(one);
    else
      option->take(text);
  }
};

class Parser {
 public:
  explicit Parser(const Program& program) : program_(program), app_(program.what, program.name) {
    app_.set_help_flag("-h,--help", help_text);
    app_.set_version_flag("--version", program.version, version_text);
    app_.require_subcommand(0, 1);
    std::string examples;
    for (const Command& command : program.commands) {
      examples += command.examples;
      CLI::App* sub = app_.add_subcommand(command.name, command.what);
      Parsed& parsed = parsed_.emplace_back(Parsed{&command, sub, {}});
      for (const Option& option : command.options) parsed.options.emplace_back(&option).add_to(*sub);
      sub->footer(command.notes);
    }
    app_.footer("\nExamples:\n" + examples + program.notes);
  }

  const Command* parse(int argc, char** argv) {
    try {
      app_.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
      if (error.get_exit_code() != 0)
        throw InputError(fmt::format("{}.\n  `{} --help` and `{} {} --help` show what can be asked.",
                                     error.what(), program_.name, program_.name, command_to_ask_about()));
      app_.exit(error);  // --help, --version
      return nullptr;
    }
    if (const Parsed* parsed = typed()) {
      for (const Bound& option : parsed->options) option.refuse_empty();
      for (const Bound& option : parsed->options) option.hand_over();
      return parsed->command;
    }
    fmt::print("{}", app_.help());
    return nullptr;
  }

 private:
  struct Parsed {
    const Command* command;
    CLI::App* app;
    std::deque<Bound> options;  // CLI11 keeps references to what they hold
  };

  const Parsed* typed() const {
    for (const Parsed& parsed : parsed_)
      if (parsed.app->count() > 0) return &parsed;
    return nullptr;
  }
  // Returns the command whose arguments were being read; the first one people need if there is none.
  std::string command_to_ask_about() const { return typed() == nullptr ? "run" : typed()->command->name; }

  const Program& program_;
  CLI::App app_;
  std::deque<Parsed> parsed_;
};

}  // namespace

std::vector<Option> all_options(const Program&) {
  return {without_value("--help", help_text), without_value("--version", version_text)};
}

std::vector<Option> all_options(const Command& command) {
  std::vector<Option> options = {without_value("--help", help_text)};
  options.insert(options.end(), command.options.begin(), command.options.end());
  return options;
}

const Command* understood(const Program& program, int argc, char** argv) {
  refuse_unknown(program, {argv + 1, argv + argc});
  return Parser(program).parse(argc, argv);
}

}  // namespace taut::cli
