// Scripts that let a shell complete what is typed after `taut`. They are made from the commands as they are and from the catalogues, and so
// cannot say anything else than the program itself.
#include <taut/method/methods.hpp>
#include <taut/run/bundled.hpp>
#include <taut/words/nearest_name.hpp>

#include <fmt/core.h>

#include "commands.hpp"
#include "typed.hpp"

namespace taut::cli {

namespace {

const std::vector<std::string> shells = {"bash", "zsh", "fish"};

// One thing that can be typed after a command: an option, or what stands at a place.
struct Word {
  std::string name, what;
  bool is_option = true, takes_value = false;
  std::vector<std::string> values;      // of the option or at the place
  std::optional<Program::Files> files;  // or these
};

struct Command {
  std::string name, what;
  std::vector<Word> words;
};

Word word_of(const Program& program, const CLI::Option& option) {
  Word word{.name = option.get_name(),
            .what = option.get_description(),
            .is_option = !option.get_positional(),
            .takes_value = option.get_items_expected_max() > 0,
            .values = {},
            .files = {}};
  if (const auto found = program.values.find(word.name); found != program.values.end())
    word.values = found->second();
  if (const auto found = program.files.find(word.name); found != program.files.end())
    word.files = found->second;
  return word;
}

std::vector<Word> words_of(const Program& program, const CLI::App& app) {
  std::vector<Word> words;
  for (const CLI::Option* option : app.get_options()) words.push_back(word_of(program, *option));
  return words;
}

std::vector<Command> commands_of(const Program& program) {
  std::vector<Command> commands;
  for (const CLI::App* app : program.app.get_subcommands({}))
    commands.push_back({app->get_name(), app->get_description(), words_of(program, *app)});
  return commands;
}

std::vector<std::string> options_of(const std::vector<Word>& words) {
  std::vector<std::string> names;
  for (const Word& word : words)
    if (word.is_option) names.push_back(word.name);
  return names;
}

std::string in_quotes(std::string_view text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string list_in_quotes(const std::vector<std::string>& words) {
  std::vector<std::string> all;
  for (const std::string& word : words) all.push_back(in_quotes(word));
  return joined(all, " ");
}

// The body of a completion function in the words that bash and zsh share: after `case "$command $before"` the values of options, then
// options and places. `words` and `files` say how the shell is told.
template <class Words, class FilesText>
std::string cases(const Program& program, Words&& words, FilesText&& files) {
  std::string values, rest;
  const auto told = [&](const Word& word) {
    std::string text = word.values.empty() ? "" : words(word.values) + "; ";
    if (word.files) text += files(*word.files) + "; ";
    return text;
  };
  std::vector<std::string> first = options_of(words_of(program, program.app));
  for (const Command& command : commands_of(program)) {
    first.push_back(command.name);
    std::string places;
    for (const Word& word : command.words) {
      if (!word.is_option)
        places += told(word);
      else if (word.takes_value)
        values += fmt::format("    '{} {}') {}return ;;\n", command.name, word.name, told(word));
    }
    rest += fmt::format("    '{} -'*) {} ;;\n    '{} '*) {};;\n", command.name,
                        words(options_of(command.words)), command.name, places);
  }
  return fmt::format(
      "  if [[ $at == 1 ]]; then {}; return; fi\n"
      "  case \"$command $before\" in\n{}  esac\n"
      "  case \"$command $now\" in\n{}  esac\n",
      words(first), values, rest);
}

std::string bash_script(const Program& program) {
  const std::string body = cases(
      program, [](const auto& words) { return "_taut_words " + list_in_quotes(words); },
      [](Program::Files files) -> std::string {
        return files == Program::Files::folders ? "_taut_files -d"
                                                : "_taut_files -d; _taut_files -f -X '!*.toml'";
      });
  return R"text(# bash completion of taut: source <(taut completions bash)
_taut_words() {  # those that begin as typed, quoted where the shell would trip over them
  local word quoted
  for word in "$@"; do
    [[ $word == "$now"* ]] || continue
    printf -v quoted %q "$word"
    COMPREPLY+=("$quoted")
  done
}
_taut_files() {
  local path
  compopt -o filenames 2>/dev/null
  while IFS= read -r path; do COMPREPLY+=("$path"); done < <(compgen "$@" -- "$now")
}
_taut() {
  local at=$COMP_CWORD command=${COMP_WORDS[1]} before=${COMP_WORDS[COMP_CWORD-1]} now=${COMP_WORDS[COMP_CWORD]}
  now=${now//[\\\'\"]/}
  COMPREPLY=()
)text" + body +
         R"text(}
complete -F _taut taut ./taut
)text";
}

std::string zsh_script(const Program& program) {
  const std::string body = cases(
      program, [](const auto& words) { return "compadd -- " + list_in_quotes(words); },
      [](Program::Files files) -> std::string {
        return files == Program::Files::folders ? "_files -/" : "_files -g '*.toml'";
      });
  return R"text(#compdef taut
# zsh completion of taut: source <(taut completions zsh), or as _taut in a folder of $fpath
_taut() {
  local at=$((CURRENT - 1)) command=$words[2] before=$words[CURRENT-1] now=$PREFIX
)text" + body +
         R"text(}
if [[ $funcstack[1] == _taut ]]; then _taut "$@"; else compdef _taut taut; fi
)text";
}

std::string fish_line(const std::string& condition, const Word& word) {
  std::string text = fmt::format("complete -c taut -n {}", in_quotes(condition));
  if (word.is_option) {
    text += fmt::format(" -l {} -d {}", word.name.substr(2), in_quotes(word.what));
    if (word.takes_value) text += " -x";
  }
  std::vector<std::string> told;
  for (const std::string& value : word.values) told.push_back(in_quotes(value));
  if (word.files)
    told.emplace_back(*word.files == Program::Files::folders ? "(__fish_complete_directories)"
                                                             : "(__fish_complete_suffix .toml)");
  // What -a is given is a list once more, and so its quotes are quoted.
  if (!told.empty()) text += " -a " + in_quotes(joined(told, " "));
  return text + "\n";
}

std::string fish_script(const Program& program) {
  std::string text =
      "# fish completion of taut: taut completions fish > ~/.config/fish/completions/taut.fish\n"
      "complete -c taut -f\n";
  for (const Word& word : words_of(program, program.app)) text += fish_line("__fish_use_subcommand", word);
  for (const Command& command : commands_of(program)) {
    text += fmt::format("complete -c taut -n __fish_use_subcommand -a {} -d {}\n", command.name,
                        in_quotes(command.what));
    for (const Word& word : command.words)
      text += fish_line("__fish_seen_subcommand_from " + command.name, word);
  }
  return text;
}

int completions(const Program& program, const std::string& shell) {
  if (shell == "bash")
    fmt::print("{}", bash_script(program));
  else if (shell == "zsh")
    fmt::print("{}", zsh_script(program));
  else if (shell == "fish")
    fmt::print("{}", fish_script(program));
  else
    throw InputError(fmt::format("there is no shell `{}` here.{} The shells are: {}.", shell,
                                 did_you_mean(shell, shells), joined(shells)));
  return finish_output();
}

}  // namespace

void add_completions(Program& program) {
  CLI::App* command =
      program.command("completions", "Print a script that completes commands, options and names in a shell",
                      "  source <(taut completions bash)                  complete names with the Tab key\n");
  const auto shell = std::make_shared<std::string>();
  command->add_option("SHELL", *shell, "bash, zsh or fish")->required();
  program.actions[command] = [&program, shell] { return completions(program, *shell); };

  program.values["SHELL"] = [] { return shells; };
  program.values["--method"] = method_names;
  program.values["--formulation"] = [] {
    std::vector<std::string> names;
    for (const FormulationFacts& row : formulation_facts()) names.emplace_back(row.name);
    return names;
  };
  program.values["--projection"] = projection_names;
  program.values["--solver"] = [] { return solver_names; };
  program.values["--format"] = [] { return format_names; };
  program.values["--on-failure"] = [] { return failure_actions; };
  program.values["PROBLEM"] = [] {
    std::vector<std::string> names;
    for (const BundledModel& model : bundled_models()) names.emplace_back(model.name);
    return names;
  };
  program.files["PROBLEM"] = Program::Files::models;
  program.files["--out"] = Program::Files::folders;
  program.files["DIR"] = Program::Files::folders;
}

}  // namespace taut::cli
