#include <taut/model/code/program_source.hpp>

#include <taut/model/code/own_functions.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace taut {

namespace {

// The time of a compiler grows faster than the length of a function: 26 000 statements in one function cost
// g++ 12 forty seconds, in pieces of 250 four. One piece is evaluated faster, so a program is cut up only if
// it is longer than this.
constexpr std::size_t longest_whole = 1000, longest_piece = 250;

// A function that is not an instruction is called through a pointer of the object's own, which is set when
// it is loaded: the bits are ours, and no compiler makes another function of it.
std::string pointer(const OwnFunction& function) {
  std::string type(function.type);
  type.insert(type.find('*') + 1, function.symbol);
  return fmt::format("extern \"C\" {{ __attribute__((visibility(\"default\"))) {} = 0; }}\n", type);
}

// The program with a name of its own for every value: registers are reused, values are not.
struct Operand {
  enum class Kind { constant, input, operation } kind;
  Op op = Op::constant;
  int a = -1, b = -1;    // values; block and entry of an input
  double number = 0;     // the constant
  int position = -1;     // an operation's place in the order of the text
  bool crosses = false;  // needed in a later piece than its own
};

class Text {
 public:
  Text(const Program& program, std::size_t number) : number_(number) {
    read(program);
    arrange();
    length_ = order_.size() <= longest_whole ? longest_whole : longest_piece;
    mark_crossings();
  }

  std::string write() {
    const std::size_t pieces = (order_.size() + length_ - 1) / length_;
    const std::string arguments = "const double* q, const double* p, const double* v, double* __restrict out";
    if (pieces <= 1) {
      text_ += fmt::format("extern \"C\" __attribute__((visibility(\"default\")))\nvoid {}({}) {{\n",
                           symbol(), arguments);
      piece(0);
    } else {
      for (std::size_t k = 0; k < pieces; ++k) {
        text_ +=
            fmt::format("static __attribute__((noinline)) void part_{}_{}({}, double* __restrict s) {{\n",
                        number_, k, arguments);
        piece(k);
      }
      text_ += fmt::format(
          "extern \"C\" __attribute__((visibility(\"default\")))\nvoid {}({}) {{\n  double s[{}];\n",
          symbol(), arguments, crossings_ + 1);
      for (std::size_t k = 0; k < pieces; ++k)
        text_ += fmt::format("  part_{}_{}(q, p, v, out, s);\n", number_, k);
      text_ += "}\n";
    }
    return std::move(text_);
  }

 private:
  std::string symbol() const { return program_symbol(number_); }

  int add(Operand value) {
    values_.push_back(value);
    return static_cast<int>(values_.size()) - 1;
  }

  void read(const Program& program) {
    std::vector<int> at(static_cast<std::size_t>(program.registers), -1);  // the value in each register
    const auto in = [&](int r) -> int& { return at[static_cast<std::size_t>(r)]; };
    for (std::size_t k = 0; k < program.constants.size(); ++k)
      at[k] = add({.kind = Operand::Kind::constant, .number = static_cast<double>(program.constants[k])});
    for (int block = 0; block < Program::blocks; ++block)
      for (const Program::Load& load : program.loads[static_cast<std::size_t>(block)])
        in(load.to) = add({.kind = Operand::Kind::input, .a = block, .b = load.from});
    std::size_t i = 0;
    for (const Run& run : program.runs)
      for (; i < static_cast<std::size_t>(run.end); ++i) {
        const Instruction& step = program.code[i];
        const int a = in(step.a), b = in(step.b);
        in(step.to) = add({.kind = Operand::Kind::operation, .op = run.op, .a = a, .b = b});
      }
    for (const int r : program.outputs) outputs_.push_back(in(r));
  }

  // Takes each output in turn, with what it needs and is not there yet. Values are then used soon after they
  // are made, unlike in the interpreter's order, and stay in registers of the machine.
  void arrange() {
    std::vector<int> open;
    for (std::size_t k = 0; k < outputs_.size(); ++k) {
      open.push_back(outputs_[k]);
      while (!open.empty()) {
        Operand& value = at(open.back());
        if (value.kind != Operand::Kind::operation || value.position >= 0) {
          open.pop_back();
          continue;
        }
        const std::size_t before = open.size();
        for (const int part : {value.b, value.a})
          if (at(part).kind == Operand::Kind::operation && at(part).position < 0) open.push_back(part);
        if (open.size() > before) continue;
        value.position = static_cast<int>(order_.size());
        order_.push_back(open.back());
        open.pop_back();
      }
      last_.push_back(order_.size());
    }
  }

  std::size_t piece_of(const Operand& value) const {
    return static_cast<std::size_t>(value.position) / length_;
  }
  std::size_t piece_of_output(std::size_t k) const { return last_[k] == 0 ? 0 : (last_[k] - 1) / length_; }

  void mark_crossings() {
    const auto use = [&](int value, std::size_t piece) {
      Operand& used = at(value);
      if (used.kind != Operand::Kind::operation || used.crosses || piece_of(used) == piece) return;
      used.crosses = true;
      ++crossings_;
    };
    for (const int k : order_)
      for (const int part : {at(k).a, at(k).b}) use(part, piece_of(at(k)));
    for (std::size_t k = 0; k < outputs_.size(); ++k) use(outputs_[k], piece_of_output(k));
    int slot = 0;
    slots_.resize(values_.size());
    for (const int k : order_)
      if (at(k).crosses) slots_[static_cast<std::size_t>(k)] = slot++;
  }

  void piece(std::size_t k) {
    const std::size_t end = std::min(order_.size(), (k + 1) * length_);
    std::size_t output = 0;
    const auto outputs_up_to = [&](std::size_t done) {
      for (; output < outputs_.size() && last_[output] <= done; ++output)
        if (piece_of_output(output) == k)
          text_ += fmt::format("  out[{}] = {};\n", output, name(outputs_[output], k));
    };
    pairs_.clear();
    for (std::size_t i = k * length_; i < end; ++i) {
      outputs_up_to(i);
      const int value = order_[i];
      pair_for(at(value), k);
      text_ += fmt::format("  const double t{} = {};\n", i, operation(at(value), k));
      if (at(value).crosses)
        text_ += fmt::format("  s[{}] = t{};\n", slots_[static_cast<std::size_t>(value)], i);
    }
    outputs_up_to(end);
    text_ += "}\n";
  }

  std::string name(int k, std::size_t piece) const {
    const Operand& value = values_[static_cast<std::size_t>(k)];
    if (value.kind == Operand::Kind::constant) return cpp_number(value.number);
    if (value.kind == Operand::Kind::input) return fmt::format("{}[{}]", "qpv"[value.a], value.b);
    if (piece_of(value) != piece) return fmt::format("s[{}]", slots_[static_cast<std::size_t>(k)]);
    return fmt::format("t{}", value.position);
  }

  // Finds sine and cosine of an angle, the first time that one of them is asked for in this piece.
  void pair_for(const Operand& value, std::size_t piece) {
    if (value.op != Op::sin && value.op != Op::cos) return;
    if (!pairs_.emplace(value.a, value.position).second) return;
    text_ += fmt::format("  const taut_pair u{} = {}({});\n", value.position, own_function(value.op)->symbol,
                         name(value.a, piece));
  }

  std::string operation(const Operand& value, std::size_t piece) const {
    const std::string a = name(value.a, piece), b = name(value.b, piece);
    switch (value.op) {
      case Op::add:
        return a + " + " + b;
      case Op::subtract:
        return a + " - " + b;
      case Op::multiply:
        return a + " * " + b;
      case Op::divide:
        return a + " / " + b;
      case Op::negate:
        return fmt::format("-{}", a);
      case Op::absolute:
        return fmt::format("__builtin_fabs({})", a);
      case Op::sign:
        return fmt::format("double(({0} > 0) - ({0} < 0))", a);
      case Op::atan2:
      case Op::power:
        return fmt::format("{}({}, {})", own_function(value.op)->symbol, a, b);
      case Op::sqrt:
        return fmt::format("__builtin_sqrt({})", a);
      case Op::sin:
      case Op::cos:
        return fmt::format("u{}[{}]", pairs_.at(value.a), value.op == Op::sin ? 0 : 1);
      case Op::constant:
      case Op::input:
        return {};
      default:  // a function of one argument
        return fmt::format("{}({})", own_function(value.op)->symbol, a);
    }
  }

  Operand& at(int value) { return values_[static_cast<std::size_t>(value)]; }

  std::size_t number_;
  std::vector<Operand> values_;
  std::vector<int> outputs_, order_, slots_;
  std::vector<std::size_t> last_;       // operations in the order when output k is there
  std::size_t length_ = longest_whole;  // the length of a piece
  int crossings_ = 0;
  std::map<int, int> pairs_;  // for each angle of this piece: where sine and cosine were found
  std::string text_;
};

}  // namespace

std::string cpp_number(double x) {
  if (x != x) return "__builtin_nan(\"\")";
  if (x - x != 0) return x > 0 ? "__builtin_inf()" : "(-__builtin_inf())";
  const std::string text = fmt::format("{}", x);
  const std::string real = text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
  return real.starts_with('-') ? fmt::format("({})", real) : real;
}

std::string source_of(const std::vector<const Program*>& programs) {
  const auto is_used = [&](const OwnFunction& function) {
    return std::any_of(programs.begin(), programs.end(), [&](const Program* program) {
      return std::any_of(program->runs.begin(), program->runs.end(),
                         [&](const Run& run) { return own_function(run.op) == &function; });
    });
  };
  std::string text = fmt::format("typedef {};\n", pair_type);
  for (const OwnFunction& function : own_functions())
    if (is_used(function)) text += pointer(function);
  for (std::size_t k = 0; k < programs.size(); ++k) text += Text(*programs[k], k).write();
  return text;
}

}  // namespace taut
