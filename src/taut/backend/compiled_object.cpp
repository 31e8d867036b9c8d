#include <taut/backend/compiled_object.hpp>

#include <taut/backend/cxx_compiler.hpp>
#include <taut/backend/object_folder.hpp>
#include <taut/bytes/sha256.hpp>
#include <taut/contract/request.hpp>
#include <taut/version.hpp>

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

namespace taut {

namespace {

// There is no contraction, no reordering and no function in the place of another, so that the bits are those
// of our own code. The vectoriser of straight lines is off, because that of g++ 12 fuses in spite of
// -ffp-contract=off, and so is the knowledge of pow, because clang makes exp2 of 2^x. Symbols are hidden, so
// that two objects with a class of the same name do not mix.
const std::vector<std::string> options_of_every_unit{"-O2",
                                                     "-ffp-contract=off",
                                                     "-fno-tree-slp-vectorize",
                                                     "-fno-builtin-pow",
                                                     "-fno-math-errno",
                                                     "-fPIC",
                                                     "-shared",
                                                     "-fvisibility=hidden",
                                                     "-w"};
// The same for a device. Its headers are those of this machine, whose processor they are told. Everything is
// inlined and unrolled, because an array that is indexed at run time lies in slow memory. The text is the
// same whether or not there is a CUDA toolkit on this machine.
const std::vector<std::string> options_of_every_device_unit{"--target=nvptx64-nvidia-cuda",
                                                            "-S",
                                                            "-O3",
                                                            "-ffp-contract=off",
                                                            "-fno-builtin-pow",
                                                            "-fno-math-errno",
                                                            "-fexceptions",
                                                            "-fignore-exceptions",
                                                            "-nocudalib",
                                                            "--cuda-path=/nonexistent",
                                                            "-Xclang",
                                                            "-target-feature",
                                                            "-Xclang",
                                                            "+ptx78",
                                                            "-U__CUDA_ARCH__",
                                                            "-D__x86_64__",
                                                            "-D_GNU_SOURCE",
                                                            "-DEIGEN_NO_CPUID",
                                                            "-DEIGEN_OPTIMIZATION_BARRIER(X)=",
                                                            "-mllvm",
                                                            "-inline-threshold=100000",
                                                            "-mllvm",
                                                            "-unroll-threshold=20000",
                                                            "-nostdinc",
                                                            "-w"};

std::vector<std::string> common_options(const SourceUnit& unit) {
  if (unit.target == UnitTarget::device) return options_of_every_device_unit;
  std::vector<std::string> options = options_of_every_unit;
  const std::string level = level_of_units();
  options.insert(options.begin() + 1, "-march=" + (level.empty() ? "native" : level));
  return options;
}

CxxCompiler compiler_for(const SourceUnit& unit) {
  return unit.target == UnitTarget::device ? find_device_compiler() : find_cxx_compiler();
}

// Describes the processor, because code for one may not run on another, and many machines may share
// a home folder.
std::string processor() {
  std::ifstream file("/proc/cpuinfo");
  std::string text;
  for (std::string line; std::getline(file, line) && !line.empty();)
    if (line.starts_with("vendor_id") || line.starts_with("model name") || line.starts_with("flags") ||
        line.starts_with("Features") || line.starts_with("CPU "))
      text += line + "\n";
  return text;
}

// Names the unit by a checksum. Each part comes with its length, so that no two lists of parts give
// the same text. A unit for a level of processors is known by what it computes alone.
std::string key_of(const SourceUnit& unit) {
  Sha256 sum;
  const auto add = [&](std::string_view part) { sum.add(fmt::format("{}:", part.size())).add(part); };
  add("taut object 1");
  add(version);
  if (level_of_units().empty()) {
    const CxxCompiler compiler = compiler_for(unit);
    if (compiler.command.empty()) throw Missing(compiler.missing);
    for (const std::string& word : compiler.command) add(word);
    add(compiler.version);
    for (const std::string& folder : unit.folders) add(folder);
    if (unit.target == UnitTarget::processor) add(processor());
  }
  for (const auto& options : {common_options(unit), unit.options, unit.for_clang, unit.libraries})
    for (const std::string& option : options) add(option);
  add(unit.depends);
  add(unit.text);
  return sum.hex();
}

void append(const Descriptor& file, std::string_view bytes, const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t done = ::write(file.number(), bytes.data(), bytes.size());
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) throw Missing(fmt::format("{} cannot be written: {}", path, std::strerror(errno)));
    bytes.remove_prefix(static_cast<std::size_t>(done));
  }
}

std::string first_error(const std::string& log) {
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);)
    if (line.find("error") != std::string::npos) return fmt::format(": {}", line.substr(0, 160));
  return "";
}

void compile(const SourceUnit& unit, const Folder& folder, const std::string& key) {
  const CxxCompiler compiler = compiler_for(unit);
  if (compiler.command.empty()) throw Missing(compiler.missing);
  const ScratchFolder scratch(folder);
  const Folder& in = scratch.folder();
  append(in.create("unit.cpp"), unit.text, in.path_of("unit.cpp"));
  std::vector<std::string> arguments = common_options(unit);
  arguments.insert(arguments.end(), unit.options.begin(), unit.options.end());
  if (compiler.version.find("clang") != std::string::npos)
    arguments.insert(arguments.end(), unit.for_clang.begin(), unit.for_clang.end());
  arguments.insert(arguments.end(), unit.folders.begin(), unit.folders.end());
  if (unit.target == UnitTarget::device)
    for (const std::string& path : folders_of_headers(compiler, in))
      arguments.insert(arguments.end(), {"-isystem", path});
  arguments.insert(arguments.end(), {"unit.cpp", "-o", "unit.so"});
  arguments.insert(arguments.end(), unit.libraries.begin(), unit.libraries.end());
  const CompilerEnd end = run_cxx_compiler(compiler, arguments, in);
  if (!end.well)
    throw Missing(fmt::format("{} does not compile it{}", compiler.command[0], first_error(end.output)));
  const Descriptor object = in.file("unit.so", O_RDWR | O_APPEND);
  if (!object || ::fchmod(object.number(), 0600) != 0)
    throw Missing(fmt::format("{} made no object", compiler.command[0]));
  append(object, seal(key, all_bytes(object)), in.path_of("unit.so"));
  // The rename happens at once or not at all: a reader of the name finds the whole object.
  if (::renameat(in.descriptor(), "unit.so", folder.descriptor(), object_name(key).c_str()) != 0)
    throw Missing(fmt::format("nothing can be written in {}: {}", folder.path(), std::strerror(errno)));
}

// Returns a name for the loader of the file that was looked at, which is not looked up a second time. The
// loader takes two objects of one name for the same, and a number is given to many descriptors in turn; so
// each name is written in a way of its own, with dots that mean nothing.
std::string loader_name(const Descriptor& file) {
  static std::atomic<unsigned> count = 0;
  std::string dots;
  for (unsigned k = ++count; k > 0; k /= 2) dots += k % 2 == 0 ? "/" : "/.";
  return fmt::format("/proc/self/fd{}/{}", dots, file.number());
}

struct Found {
  std::string key, path;
  Descriptor file;
  bool fresh = false;  // compiled now
};

// Finds the unit in the folder, or compiles it.
Found found(const SourceUnit& unit) {
  Found unit_file;
  unit_file.key = key_of(unit);
  const Folder folder = object_folder();
  unit_file.path = folder.path_of(object_name(unit_file.key));
  unit_file.file = sound_object(folder, unit_file.key);
  if (unit_file.file) {
    ::futimens(unit_file.file.number(), nullptr);  // marks it as used now
    return unit_file;
  }
  compile(unit, folder, unit_file.key);
  unit_file.fresh = true;
  remove_old_objects(folder);
  unit_file.file = sound_object(folder, unit_file.key);
  if (!unit_file.file) throw Missing(fmt::format("{} was changed while it was made", unit_file.path));
  return unit_file;
}

CompiledObject load(const SourceUnit& unit) {
  const Found made = found(unit);
  CompiledObject object{.fresh = made.fresh, .key = made.key};
  object.handle = dlopen(loader_name(made.file).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (object.handle == nullptr) throw Missing(fmt::format("{} cannot be loaded: {}", made.path, dlerror()));
  return object;
}

}  // namespace

void* CompiledObject::symbol(const std::string& name) const {
  return handle == nullptr ? nullptr : dlsym(handle, name.c_str());
}

std::string level_of_units() { return environment("TAUT_UNITS_FOR"); }

CompiledText compiled_text(const SourceUnit& unit) {
  try {
    const Found made = found(unit);
    std::string bytes = all_bytes(made.file);
    bytes.resize(bytes.size() - seal(made.key, "").size());
    return {.text = std::move(bytes), .key = made.key};
  } catch (const StoppedWhileCompiling&) {
    throw;
  } catch (const std::exception& reason) {
    return {.missing = reason.what()};
  }
}

CompiledObject compiled_object(const SourceUnit& unit) {
  try {
    return load(unit);
  } catch (const StoppedWhileCompiling&) {
    throw;
  } catch (const std::exception& reason) {
    return {.missing = reason.what()};
  }
}

}  // namespace taut
