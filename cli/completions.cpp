// Scripts that let a shell complete what is typed after `taut`. They are made from the options of the
// commands, so they say what the program itself says.
#include <taut/contract/request.hpp>
#include <taut/words/nearest_name.hpp>

#include <fmt/core.h>

#include "commands.hpp"

namespace taut::cli {

namespace {

constexpr std::string_view shells[] = {"bash", "zsh", "fish"};

std::vector<std::string> names_of_options(const std::vector<Option>& options) {
  std::vector<std::string> names;
  for (const Option& option : options)
    if (!option.is_place()) names.push_back(option.name);
  return names;
}

std::vector<std::string> words_of(const Option& option) {
  return option.words ? option.words() : std::vector<std::string>();
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

// Writes the body of a completion function in the words that bash and zsh share: after `case "$command
// $before"` the values of options, then options and places. `words` and `files` say how the shell is told.
template <class Words, class FilesText>
std::string cases(const Program& program, Words&& words, FilesText&& files) {
  std::string values, rest;
  const auto told = [&](const Option& option) {
    const std::vector<std::string> all = words_of(option);
    std::string text = all.empty() ? "" : words(all, option.list) + "; ";
    if (option.files) text += files(*option.files) + "; ";
    return text;
  };
  std::vector<std::string> first = names_of_options(all_options(program));
  for (const Command& command : program.commands) {
    first.push_back(command.name);
    std::string places;
    for (const Option& option : command.options) {
      if (option.is_place())
        places += told(option);
      else if (option.takes_value())
        values += fmt::format("    '{} {}') {}return ;;\n", command.name, option.name, told(option));
    }
    rest += fmt::format("    '{} -'*) {} ;;\n    '{} '*) {};;\n", command.name,
                        words(names_of_options(all_options(command)), false), command.name, places);
  }
  return fmt::format(
      "  if [[ $at == 1 ]]; then {}; return; fi\n"
      "  case \"$command $before\" in\n{}  esac\n"
      "  case \"$command $now\" in\n{}  esac\n",
      words(first, false), values, rest);
}

// Prints NAME= for each entry of the table [parameters] of a model: a file, or one that is in the program.
const std::string parameters_function = R"text(taut_parameters() {
  { if [[ -f $1 ]]; then cat -- "$1"; else taut show "$1" 2>/dev/null; fi; } |
    awk '/^\[/{on = $0 == "[parameters]"} on && /^[^] \t#["=.]+ *=/{sub(/ *=.*/, "="); print}'
})text";

std::string bash_script(const Program& program) {
  const std::string body = cases(
      program,
      [](const auto& words, bool list) {
        return (list ? "_taut_list " : "_taut_words ") + list_in_quotes(words);
      },
      [](Option::Files files) -> std::string {
        if (files == Option::Files::parameters) return "_taut_parameters";
        return files == Option::Files::folders ? "_taut_files -d"
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
_taut_list() {  # the same after the last comma
  local before=
  [[ $now == *,* ]] && before=${now%,*},
  now=${now##*,} _taut_words "$@"
  local k
  printf -v before %q "$before"
  [[ $before == "''" ]] && before=
  before=${before//\\,/,}
  for k in "${!COMPREPLY[@]}"; do COMPREPLY[k]=$before${COMPREPLY[k]}; done
}
_taut_parameters() {  # NAME= for each parameter of the model, which is the first word that is no option
  local word model=
  for word in "${COMP_WORDS[@]:2}"; do [[ $word == -* ]] || { model=$word; break; }; done
  compopt -o nospace 2>/dev/null
  while IFS= read -r word; do _taut_words "$word"; done < <(taut_parameters "$model")
}
)text" + parameters_function +
         R"text(
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
      program,
      [](const auto& words, bool list) {
        return (list ? "compset -P '*,'; compadd -- " : "compadd -- ") + list_in_quotes(words);
      },
      [](Option::Files files) -> std::string {
        if (files == Option::Files::parameters)
          return "local -a set=(${(f)\"$(taut_parameters ${${words[3,-1]:#-*}[1]})\"}); compadd -S '' -- "
                 "$set";
        return files == Option::Files::folders ? "_files -/" : "_files -g '*.toml'";
      });
  return R"text(#compdef taut
# zsh completion of taut: source <(taut completions zsh), or as _taut in a folder of $fpath
)text" + parameters_function +
         R"text(
_taut() {
  local at=$((CURRENT - 1)) command=$words[2] before=$words[CURRENT-1] now=$PREFIX
)text" + body +
         R"text(}
if [[ $funcstack[1] == _taut ]]; then _taut "$@"; else compdef _taut taut; fi
)text";
}

std::string fish_line(const std::string& condition, const Option& option) {
  std::string text = fmt::format("complete -c taut -n {}", in_quotes(condition));
  if (!option.is_place()) {
    text += fmt::format(" -l {} -d {}", option.name.substr(2), in_quotes(option.help));
    if (option.takes_value()) text += " -x";
  }
  std::vector<std::string> told;
  for (const std::string& word : words_of(option)) told.push_back(in_quotes(word));
  if (option.list) told = {"(__taut_list " + joined(told, " ") + ")"};
  if (option.files)
    told.emplace_back(*option.files == Option::Files::folders      ? "(__fish_complete_directories)"
                      : *option.files == Option::Files::parameters ? "(__taut_parameters)"
                                                                   : "(__fish_complete_suffix .toml)");
  // fish splits the argument of -a into words again, so the quoted words are quoted once more as a list.
  if (!told.empty()) text += " -a " + in_quotes(joined(told, " "));
  return text + "\n";
}

std::string fish_script(const Program& program) {
  std::string text =
      R"text(# fish completion of taut: taut completions fish > ~/.config/fish/completions/taut.fish
function __taut_list
    set -l before (commandline -ct | string replace -r '[^,]*$' '')
    for word in $argv
        echo $before$word
    end
end
function __taut_parameters
    set -l words (commandline -opc)
    set -l model (string match -v -- '-*' $words[3..-1])[1]
    begin
        if test -f "$model"; cat -- "$model"; else; taut show "$model" 2>/dev/null; end
    end | string match -r '^\[.*\]|^[^\s#\["=.]+ *=' | awk '/^\\[/{on = $0 == "[parameters]"} on && /=/{sub(/ *=/, "="); print}'
end
complete -c taut -f
)text";
  for (const Option& option : all_options(program)) text += fish_line("__fish_use_subcommand", option);
  for (const Command& command : program.commands) {
    text += fmt::format("complete -c taut -n __fish_use_subcommand -a {} -d {}\n", command.name,
                        in_quotes(command.what));
    for (const Option& option : all_options(command))
      text += fish_line("__fish_seen_subcommand_from " + command.name, option);
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
                                 did_you_mean(shell, listed(shells)), joined(listed(shells))));
  return finish_output();
}

}  // namespace

void add_completions(Program& program) {
  const auto shell = std::make_shared<std::string>();
  Option which = required(place("SHELL", *shell, in_words(shells, "or")));
  which.words = [] { return listed(shells); };
  program.add(
      {.name = "completions",
       .what = "Print a script that completes commands, options and names in a shell",
       .examples = "  source <(taut completions bash)                  complete names with the Tab key\n",
       .options = {which},
       .action = [&program, shell] { return completions(program, *shell); }});
}

}  // namespace taut::cli
