// In the place of backend/specialised.cpp and backend/compiled_object.cpp: formulas are interpreted here.
#include <taut/backend/compiled_object.hpp>
#include <taut/backend/ends_compilers.hpp>
#include <taut/backend/specialised.hpp>

#include <utility>

namespace taut {

namespace {
constexpr const char* why = "there is no compiler in a browser";
}

void* CompiledObject::symbol(const std::string&) const { return nullptr; }
EndsCompilers::EndsCompilers(std::function<bool()> asked) : asked_(std::move(asked)), outer_(nullptr) {}
EndsCompilers::~EndsCompilers() = default;

CompiledObject compiled_object(const SourceUnit&) { return {.missing = why}; }
std::string level_of_units() { return ""; }

WideMachine wide_machine(const Model&, const MethodChoice&, const SolveOptions&, Precision, bool, bool,
                         double) {
  return {.missing = why};
}
Specialised specialised_machine(const Model&, const MethodChoice&, const PlainState&, const SolveOptions&,
                                bool) {
  return {nullptr, why};
}

}  // namespace taut
