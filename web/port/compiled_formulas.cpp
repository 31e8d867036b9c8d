// In the place of backend/compiled_formulas.cpp: the formulas of a model as functions of WebAssembly, which
// the engine of the browser makes machine code of. A module is written that has one function for each
// program, takes the memory and the table of this one, and does the interpreter's operations on the same
// values, so that the bits are the same.
#include <taut/backend/compiled_formulas.hpp>
#include <taut/model/code/own_functions.hpp>
#include <taut/scalar/number.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <map>

extern "C" {
// Compiles a module, and puts its functions into the table. Returns the index of the first; 0 if the engine
// has refused the module.
__attribute__((import_module("lab"), import_name("compile"))) unsigned lab_compile(const char* bytes,
                                                                                   std::size_t size,
                                                                                   unsigned count);
__attribute__((import_module("lab"), import_name("release"))) void lab_release(unsigned first,
                                                                               unsigned count);
}

namespace taut {

namespace {

// An engine takes 50 000 local variables in a function; a program that needs more is interpreted.
constexpr std::size_t most_operations = 20000;
// A value that is used once stays on the stack, in expressions that are no deeper than this.
constexpr int deepest = 24;

// Sine and cosine of one angle. A function of WebAssembly returns one number, so they are left in memory.
double pair[2];
void sine_and_cosine(double x) {
  pair[0] = sin(x);
  pair[1] = cos(x);
}

enum class Code : std::uint8_t {
  end = 0x0b,
  call_indirect = 0x11,
  local_get = 0x20,
  local_set = 0x21,
  load = 0x2b,
  store = 0x39,
  i32_const = 0x41,
  f64_const = 0x44,
  less = 0x63,
  greater = 0x64,
  i32_subtract = 0x6b,
  absolute = 0x99,
  negate = 0x9a,
  sqrt = 0x9f,
  add = 0xa0,
  subtract = 0xa1,
  multiply = 0xa2,
  divide = 0xa3,
  from_i32 = 0xb7,
};

constexpr char type_i32 = 0x7f, type_f64 = 0x7c, type_function = 0x60, type_funcref = 0x70;
enum class Type : std::uint8_t { program, of_one, of_two, of_none };  // in the order of the section of types

class Bytes {
 public:
  Bytes& byte(char x) {
    text_.push_back(x);
    return *this;
  }
  Bytes& code(Code x) { return byte(static_cast<char>(x)); }
  Bytes& number(std::uint64_t x) {
    while (x >= 0x80) {
      byte(static_cast<char>(0x80 | (x & 0x7f)));
      x >>= 7;
    }
    return byte(static_cast<char>(x));
  }
  Bytes& signed_number(std::int64_t x) {
    while (x < -64 || x >= 64) {
      byte(static_cast<char>(0x80 | (x & 0x7f)));
      x >>= 7;
    }
    return byte(static_cast<char>(x & 0x7f));
  }
  Bytes& real(double x) {
    const auto bits = std::bit_cast<std::uint64_t>(x);
    for (int k = 0; k < 64; k += 8) byte(static_cast<char>(bits >> k & 0xff));
    return *this;
  }
  Bytes& text(std::string_view x) {
    text_ += x;
    return *this;
  }
  Bytes& named(std::string_view x) { return number(x.size()).text(x); }
  Bytes& section(char id, const Bytes& content) { return byte(id).named(content.text_); }
  const std::string& all() const { return text_; }

 private:
  std::string text_;
};

// A program with a name of its own for every value: registers are reused, values are not.
class Function {
 public:
  explicit Function(const Program& program) {
    read(program);
    arrange();
  }

  // Writes the body, which begins with its local variables.
  std::string body() {
    std::size_t output = 0;
    const auto outputs_up_to = [&](std::size_t done) {
      for (; output < outputs_.size() && last_[output] <= done; ++output) {
        get_pointer(3);
        push(outputs_[output]);
        access(Code::store, output);
      }
    };
    for (std::size_t i = 0; i < order_.size(); ++i) {
      outputs_up_to(i);
      Value& value = at(order_[i]);
      if (value.op == Op::sin || value.op == Op::cos) {
        take_of_pair(value);
      } else if (value.uses > 1 || depth_of(value) > deepest) {
        write(value);
        value.local = set();
      }
    }
    outputs_up_to(order_.size());
    code_.code(Code::end);
    Bytes whole;
    if (locals_ > 0)
      whole.number(1).number(static_cast<std::uint64_t>(locals_)).byte(type_f64);
    else
      whole.number(0);
    return whole.text(code_.all()).all();
  }

 private:
  struct Value {
    enum class Kind { constant, input, operation } kind;
    Op op = Op::constant;
    int a = -1, b = -1;  // values; block and entry of an input
    double number = 0;   // the constant
    int uses = 0, depth = 0, position = -1;
    int local = -1;
  };
  static constexpr int arguments = 4;  // q, p, v, out: the first local variables

  Value& at(int k) { return values_[static_cast<std::size_t>(k)]; }

  int add(Value value) {
    values_.push_back(value);
    return static_cast<int>(values_.size()) - 1;
  }

  void read(const Program& program) {
    std::vector<int> in(static_cast<std::size_t>(program.registers), -1);
    const auto holds = [&](int r) -> int& { return in[static_cast<std::size_t>(r)]; };
    for (std::size_t k = 0; k < program.constants.size(); ++k)
      in[k] = add({.kind = Value::Kind::constant, .number = static_cast<double>(program.constants[k])});
    for (int block = 0; block < Program::blocks; ++block)
      for (const Program::Load& load : program.loads[static_cast<std::size_t>(block)])
        holds(load.to) = add({.kind = Value::Kind::input, .a = block, .b = load.from});
    std::size_t i = 0;
    for (const Run& run : program.runs)
      for (; i < static_cast<std::size_t>(run.end); ++i) {
        const Instruction& step = program.code[i];
        const int a = holds(step.a), b = holds(step.b);
        holds(step.to) = add({.kind = Value::Kind::operation, .op = run.op, .a = a, .b = b});
      }
    for (const int r : program.outputs) outputs_.push_back(holds(r));
  }

  static bool takes_two(Op op) {
    return op == Op::add || op == Op::subtract || op == Op::multiply || op == Op::divide || op == Op::atan2 ||
           op == Op::power;
  }

  // Takes each output in turn, with what it needs and is not there yet, so that values are used soon after
  // they are made; and counts how often a value is used.
  void arrange() {
    std::vector<int> open;
    for (const int output : outputs_) {
      ++at(output).uses;
      open.push_back(output);
      while (!open.empty()) {
        Value& value = at(open.back());
        if (value.kind != Value::Kind::operation || value.position >= 0) {
          open.pop_back();
          continue;
        }
        const std::size_t before = open.size();
        for (const int part : {value.b, value.a})
          if (at(part).kind == Value::Kind::operation && at(part).position < 0) open.push_back(part);
        if (open.size() > before) continue;
        value.position = static_cast<int>(order_.size());
        at(value.a).uses += value.op == Op::sign ? 2 : 1;
        if (takes_two(value.op)) ++at(value.b).uses;
        order_.push_back(open.back());
        open.pop_back();
      }
      last_.push_back(order_.size());
    }
  }

  // Returns how deep the expression is that a value would be; what it is made of comes before it in the
  // order.
  int depth_of(Value& value) {
    const auto of = [&](int k) {
      const Value& part = at(k);
      return part.kind == Value::Kind::operation && part.local < 0 ? part.depth : 0;
    };
    value.depth = 1 + std::max(of(value.a), takes_two(value.op) ? of(value.b) : 0);
    return value.depth;
  }

  void get_pointer(int argument) { code_.code(Code::local_get).number(static_cast<std::uint64_t>(argument)); }
  void access(Code what, std::size_t entry) { code_.code(what).number(3).number(entry * sizeof(double)); }
  int set() {
    code_.code(Code::local_set).number(static_cast<std::uint64_t>(arguments + locals_));
    return locals_++;
  }
  void get(int local) { code_.code(Code::local_get).number(static_cast<std::uint64_t>(arguments + local)); }
  void call(const void* function, Type type) {
    code_.code(Code::i32_const)
        .signed_number(static_cast<std::int64_t>(std::bit_cast<std::intptr_t>(function)));
    code_.code(Code::call_indirect).number(static_cast<std::uint64_t>(type)).number(0);
  }

  // Leaves the value on the stack.
  void push(int k) {
    Value& value = at(k);
    if (value.local >= 0) return get(value.local);
    switch (value.kind) {
      case Value::Kind::constant:
        code_.code(Code::f64_const).real(value.number);
        return;
      case Value::Kind::input:
        get_pointer(value.a);
        access(Code::load, static_cast<std::size_t>(value.b));
        if (value.uses > 1) {
          value.local = set();
          get(value.local);
        }
        return;
      case Value::Kind::operation:
        return write(value);
    }
  }

  void take_of_pair(Value& value) {
    auto [found, is_new] = pairs_.try_emplace(value.a);
    if (is_new) {
      push(value.a);
      call(std::bit_cast<const void*>(&sine_and_cosine), Type::of_none);
      for (const std::size_t entry : {0, 1}) {
        code_.code(Code::i32_const)
            .signed_number(static_cast<std::int64_t>(std::bit_cast<std::intptr_t>(&pair[0])));
        access(Code::load, entry);
        (entry == 0 ? found->second.first : found->second.second) = set();
      }
    }
    value.local = value.op == Op::sin ? found->second.first : found->second.second;
  }

  void write(const Value& value) {
    push(value.a);
    if (takes_two(value.op)) push(value.b);
    switch (value.op) {
      case Op::add:
        code_.code(Code::add);
        return;
      case Op::subtract:
        code_.code(Code::subtract);
        return;
      case Op::multiply:
        code_.code(Code::multiply);
        return;
      case Op::divide:
        code_.code(Code::divide);
        return;
      case Op::negate:
        code_.code(Code::negate);
        return;
      case Op::absolute:
        code_.code(Code::absolute);
        return;
      case Op::sqrt:
        code_.code(Code::sqrt);
        return;
      case Op::sign:  // (a > 0) - (a < 0)
        code_.code(Code::f64_const).real(0).code(Code::greater);
        push(value.a);
        code_.code(Code::f64_const).real(0).code(Code::less).code(Code::i32_subtract).code(Code::from_i32);
        return;
      default:
        call(own_function(value.op)->address, takes_two(value.op) ? Type::of_two : Type::of_one);
    }
  }

  std::vector<Value> values_;
  std::vector<int> outputs_, order_;
  std::vector<std::size_t> last_;             // operations in the order when output k is there
  std::map<int, std::pair<int, int>> pairs_;  // for each angle: where its sine and cosine are
  int locals_ = 0;
  Bytes code_;
};

// Writes the module. Its functions are called "0", "1", …
std::string module_of(const std::vector<const Program*>& programs) {
  Bytes types, imports, functions, exports, code;
  types.number(4);
  types.byte(type_function).number(4);
  for (int k = 0; k < 4; ++k) types.byte(type_i32);
  types.number(0);
  types.byte(type_function).number(1).byte(type_f64).number(1).byte(type_f64);
  types.byte(type_function).number(2).byte(type_f64).byte(type_f64).number(1).byte(type_f64);
  types.byte(type_function).number(1).byte(type_f64).number(0);
  imports.number(2);
  imports.named("e").named("memory").byte(2).byte(0).number(0);
  imports.named("e").named("table").byte(1).byte(type_funcref).byte(0).number(0);
  functions.number(programs.size());
  exports.number(programs.size());
  code.number(programs.size());
  for (std::size_t k = 0; k < programs.size(); ++k) {
    functions.number(static_cast<std::uint64_t>(Type::program));
    exports.named(std::to_string(k)).byte(0).number(k);
    code.named(Function(*programs[k]).body());
  }
  Bytes module;
  module.text(std::string_view("\0asm\1\0\0\0", 8));
  return module.section(1, types)
      .section(2, imports)
      .section(3, functions)
      .section(7, exports)
      .section(10, code)
      .all();
}

// Places in the table. Those who hold a program of it hold this.
struct Loaded {
  unsigned first, count;
  Loaded(unsigned begin, unsigned size) : first(begin), count(size) {}
  Loaded(const Loaded&) = delete;
  Loaded& operator=(const Loaded&) = delete;
  ~Loaded() { lab_release(first, count); }
};

// A thousand neighbours have one module among them.
std::shared_ptr<const Loaded> loaded(const std::string& module, unsigned count) {
  static std::map<std::string, std::weak_ptr<const Loaded>> known;
  if (const auto found = known.find(module); found != known.end())
    if (auto there = found->second.lock()) return there;
  const unsigned first = lab_compile(module.data(), module.size(), count);
  if (first == 0) return nullptr;
  std::erase_if(known, [](const auto& one) { return one.second.expired(); });
  auto made = std::make_shared<const Loaded>(first, count);
  known[module] = made;
  return made;
}

std::vector<const Program*> programs_of(const FormulaSystem& system) {
  std::vector<const Program*> list;
  for (const auto code : FormulaSystem::codes())
    if (system.*code) list.push_back((system.*code).get());
  return list;
}

}  // namespace

CompiledFormulas compiled_formulas(const std::shared_ptr<const FormulaSystem>& system) {
  if (operations(*system) > most_operations) return {system, "they are too long"};
  const auto programs = programs_of(*system);
  const auto there = loaded(module_of(programs), static_cast<unsigned>(programs.size()));
  if (!there) return {system, "the browser does not compile them"};
  auto made = std::make_shared<FormulaSystem>(*system);
  unsigned k = 0;
  for (const auto code : FormulaSystem::codes()) {
    if (!((*made).*code)) continue;
    auto program = std::make_unique<Program>(*((*system).*code));
    program->compiled = std::bit_cast<CompiledProgram>(static_cast<std::uintptr_t>(there->first + k++));
    (*made).*code =
        std::shared_ptr<const Program>(program.release(), [there](const Program* p) { delete p; });
  }
  return {std::move(made), {}, false, "wasm"};
}

std::size_t operations(const FormulaSystem& system) {
  std::size_t count = 0;
  for (const Program* program : programs_of(system)) count += program->code.size();
  return count;
}

}  // namespace taut
