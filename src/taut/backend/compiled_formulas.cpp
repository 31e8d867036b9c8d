#include <taut/backend/compiled_formulas.hpp>

#include <taut/backend/compiled_object.hpp>
#include <taut/model/code/own_functions.hpp>
#include <taut/model/code/program_source.hpp>

#include <atomic>
#include <bit>

namespace taut {

namespace {

std::vector<const Program*> programs_of(const FormulaSystem& system) {
  std::vector<const Program*> list;
  for (const auto code : FormulaSystem::codes())
    if (system.*code) list.push_back((system.*code).get());
  return list;
}

// Another thread may have loaded the same object, and may be using it.
void set_own_functions(const CompiledObject& object) {
  for (const OwnFunction& function : own_functions())
    if (void* const pointer = object.symbol(std::string(function.symbol)); pointer != nullptr)
      std::atomic_ref(*static_cast<void**>(pointer)).store(function.address);
}

}  // namespace

CompiledFormulas compiled_formulas(const std::shared_ptr<const FormulaSystem>& system) {
  const CompiledObject object = compiled_object({.text = source_of(programs_of(*system))});
  if (object.handle == nullptr) return {system, object.missing};
  set_own_functions(object);
  auto made = std::make_shared<FormulaSystem>(*system);
  std::size_t k = 0;
  for (const auto code : FormulaSystem::codes()) {
    if (!((*made).*code)) continue;
    void* const function = object.symbol(program_symbol(k++));
    if (function == nullptr) return {system, "the compiled object has not all of the functions"};
    auto program = std::make_shared<Program>(*((*system).*code));
    program->compiled = std::bit_cast<CompiledProgram>(function);
    (*made).*code = std::move(program);
  }
  return {std::move(made), {}, object.fresh, object.key};
}

std::size_t operations(const FormulaSystem& system) {
  std::size_t count = 0;
  for (const Program* program : programs_of(system)) count += program->code.size();
  return count;
}

}  // namespace taut
