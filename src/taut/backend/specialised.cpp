#include <taut/backend/compiled_object.hpp>
#include <taut/backend/specialised.hpp>
#include <taut/backend/specialised_unit.hpp>
#include <taut/bytes/sha256.hpp>
#include <taut/method/method_source.hpp>
#include <taut/model/code/emit.hpp>

#include <fmt/format.h>

#include <bit>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace taut {

namespace {

namespace fs = std::filesystem;

bool holds_taut(const fs::path& folder) {
  std::error_code ignored;
  return fs::exists(folder / "taut/backend/specialised_unit.hpp", ignored);
}

// Returns the folder of taut's headers: the one that $TAUT_INCLUDE names, the one beside the installed
// program, or the one from which it was built.
std::optional<fs::path> include_folder() {
  if (const char* wanted = std::getenv("TAUT_INCLUDE"); wanted != nullptr)
    return holds_taut(wanted) ? std::optional<fs::path>(fs::absolute(wanted)) : std::nullopt;
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  for (const fs::path& folder : {program.parent_path().parent_path() / "include", fs::path(TAUT_BUILT_FROM)})
    if (holds_taut(folder)) return folder;
  return std::nullopt;
}

std::string bytes_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return std::move(text).str();
}

// Asks whether both sides declare alike what crosses the border between the program and a unit.
bool same_border(const fs::path& headers) {
  std::istringstream border(TAUT_BORDER);
  for (std::string header, sum; border >> header >> sum;)
    if (sha256(bytes_of(headers / "taut" / header)) != sum) return false;
  return true;
}

// Returns a digest of every header that a unit may include: a changed header makes another object.
std::string digest(const fs::path& taut_headers) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(taut_headers / "taut"))
    if (entry.path().extension() == ".hpp") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  files.push_back(fs::path(TAUT_EIGEN) / "Eigen/src/Core/util/Macros.h");  // contains its version
  Sha256 sum;
  for (const fs::path& file : files) {
    const std::string text = bytes_of(file);
    sum.add(fmt::format("{}:{}:", file.filename().string(), text.size())).add(text);
  }
  return sum.hex();
}

}  // namespace

std::string specialised_source(const Model& model, const std::string& method, const SolveOptions& options,
                               bool plain_updates) {
  const auto source = method_source(method);
  if (!source) return {};
  std::string text =
      fmt::format("#define TAUT_SOLVES_BY taut::By<taut::{}, *taut::choice_named<taut::Iteration>(\"{}\")>\n",
                  options.tolerance > 0 ? "ToTolerance" : "ToRounding", name_of(options.iteration));
  if (source->short_steps) text += "#define TAUT_NO_FLATTEN\n";  // except in the loop
  text += emit_bare_cpp(model, "SpecialisedModel");
  for (const std::string& header : source->headers)
    text += fmt::format("#include <taut/method/{}>\n", header);
  text += fmt::format(
      R"(#include <taut/backend/specialised_unit.hpp>

using namespace taut;

extern "C" __attribute__((visibility("default")))
Machine* taut_make_machine(const double* q, const double* p, const SolveOptions* options) {{
  using P = SpecialisedModel<double>;
  using X = {}State<double, P::n>;
  return make_specialised<P, X>({}, q, p, *options);
}}
)",
      plain_updates ? "" : "Compensated", source->value);
  return text;
}

Specialised specialised_machine(const Model& model, const MethodChoice& choice, const PlainState& start,
                                const SolveOptions& options, bool plain_updates) try {
  if (choice.ode) return {nullptr, "methods that integrate a formulation are not specialised"};
  const auto headers = include_folder();
  if (!headers)
    return {nullptr, "taut's headers are not found (set TAUT_INCLUDE to the folder that holds taut/)"};
  if (!same_border(*headers))
    return {nullptr, fmt::format("the headers in {} are not those of this program", headers->string())};
  const CompiledObject object = compiled_object(
      {.text = specialised_source(model, choice.method, options, plain_updates),
       // These are the options with which CMakeLists.txt compiles our own programs, for the same reasons.
       .options = {"-O3", "-std=c++20", "-DNDEBUG", "-DEIGEN_DONT_VECTORIZE", "-DEIGEN_MAX_ALIGN_BYTES=128",
                   "-fno-tree-slp-vectorize", "-I", headers->string(), "-isystem", TAUT_EIGEN},
       .libraries = {"-lquadmath"},
       .depends = digest(*headers)});
  if (object.handle == nullptr) return {nullptr, object.missing};
  const auto make = std::bit_cast<MakeSpecialised>(object.symbol("taut_make_machine"));
  if (make == nullptr) return {nullptr, "the compiled object does not make machines"};
  return {std::unique_ptr<Machine>(make(start.q.data(), start.p.data(), &options)), {}, object.key};
} catch (const fs::filesystem_error& error) {
  return {nullptr, error.what()};
}

}  // namespace taut
