#include <taut/backend/device_steps.hpp>
#include <taut/backend/specialised.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <sstream>

namespace taut {

namespace {

constexpr const char* kernel_name = "taut_make_steps";
// A kernel takes so many constants as arguments. If there are more, each slot has them as its own.
constexpr std::size_t most_shared = 400;

bool has_own_constants(const DeviceRequest& request) {
  return request.own_constants || request.constants.size() > most_shared;
}

SourceUnit source_unit(const DeviceRequest& request, UnitTarget target, std::vector<std::string> options) {
  UnitOfHeaders made =
      unit_of_headers(device_source(*request.model, request.method, request.options, request.plain_updates,
                                    target, has_own_constants(request)),
                      std::move(options));
  if (!made.missing.empty()) throw DeviceError(made.missing);
  made.unit.target = target;
  return std::move(made.unit);
}

SlotLayout layout_of(const DeviceRequest& request) {
  return {.coordinates = request.coordinates,
          .compensated = !request.plain_updates,
          .constants = has_own_constants(request) ? request.constants.size() : 0};
}

class EmulatedSteps final : public StepsOfSlots {
 public:
  using Make = void (*)(const DeviceJob*, const double*);
  EmulatedSteps(Make steps, std::vector<double> constants) : make_(steps), constants_(std::move(constants)) {}
  double make(const DeviceJob& job, bool) override {
    const auto began = std::chrono::steady_clock::now();
    make_(&job, constants_.data());
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  }
  void fetch(const DeviceJob&) override {}

 private:
  Make make_;
  std::vector<double> constants_;
};

// A program under the sanitizers has the kernel under them, too.
std::vector<std::string> options_of_the_emulated() {
#if defined(__SANITIZE_ADDRESS__)
  return {"-O1", "-g1", "-fsanitize=address,undefined", "-fno-sanitize=null,alignment,object-size",
          "-fno-sanitize-recover=all"};
#else
  return {"-O2"};
#endif
}

class EmulatedDevice final : public DeviceSteps {
 public:
  explicit EmulatedDevice(const DeviceRequest& request) : request_(request) {
    const CompiledObject object = compiled_object(
        with_quadmath(source_unit(request, UnitTarget::processor, options_of_the_emulated())));
    if (object.handle == nullptr) throw DeviceError(object.missing);
    make_ = std::bit_cast<EmulatedSteps::Make>(object.symbol(kernel_name));
    if (make_ == nullptr) throw DeviceError("the compiled object makes no steps");
  }
  std::unique_ptr<DeviceMachine> machine(int slots) const override {
    return std::make_unique<DeviceMachine>(std::make_unique<EmulatedSteps>(make_, request_.constants),
                                           layout_of(request_), slots, request_.steps, request_.options);
  }
  std::string name() const override { return "this processor in place of a device"; }

 private:
  static SourceUnit with_quadmath(SourceUnit unit) {
    unit.libraries = {"-lquadmath"};
    return unit;
  }
  DeviceRequest request_;
  EmulatedSteps::Make make_ = nullptr;
};

class CudaSteps final : public StepsOfSlots {
 public:
  CudaSteps(std::shared_ptr<const CudaDriver> driver, std::shared_ptr<const CudaKernel> kernel,
            std::vector<double> constants, const SlotLayout& layout)
      : queue_(std::move(driver)),
        kernel_(std::move(kernel)),
        shared_(std::move(constants)),
        layout_(layout) {
    if (shared_.empty()) shared_.push_back(0);
  }
  double make(const DeviceJob& job, bool changed) override {
    DeviceJob there = on_device(job);
    const auto slots = static_cast<std::size_t>(job.slots);
    if (changed) {
      queue_.copy_in(address(there.numbers), job.numbers, numbers(job));
      queue_.copy_in(address(there.constants), job.constants, layout_.constants * slots * sizeof(double));
      queue_.copy_in(address(there.steps), job.steps, slots * sizeof(std::int64_t));
      queue_.copy_in(address(there.stop), job.stop, slots * sizeof(std::int64_t));
      queue_.copy_in(address(there.states), job.states, slots * sizeof(SlotState));
      queue_.wait();
    }
    std::array<void*, 2> arguments{&there, shared_.data()};
    const auto began = std::chrono::steady_clock::now();
    queue_.launch(*kernel_, job.slots, arguments);
    queue_.wait();
    const double took = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    queue_.copy_out(job.steps, address(there.steps), slots * sizeof(std::int64_t));
    queue_.copy_out(job.states, address(there.states), slots * sizeof(SlotState));
    return took;
  }
  void fetch(const DeviceJob& job) override {
    const DeviceJob there = on_device(job);
    queue_.copy_out(job.numbers, address(there.numbers), numbers(job));
    queue_.copy_out(job.block_sums, address(there.block_sums), blocks(job));
  }

 private:
  template <class T>
  static std::uint64_t address(T* pointer) {
    return reinterpret_cast<std::uint64_t>(pointer);
  }
  template <class T>
  static T* pointer(std::uint64_t address) {
    return reinterpret_cast<T*>(address);
  }
  std::size_t numbers(const DeviceJob& job) const {
    return static_cast<std::size_t>(layout_.numbers()) * static_cast<std::size_t>(job.slots) * sizeof(double);
  }
  static std::size_t blocks(const DeviceJob& job) {
    return job.block > 0 ? BlockAverages::blocks * static_cast<std::size_t>(job.slots) * sizeof(double) : 0;
  }

  // Returns the job with the addresses of the device, which are made at the first call.
  DeviceJob on_device(const DeviceJob& job) {
    const auto slots = static_cast<std::size_t>(job.slots);
    if (there_.numbers == nullptr) {
      there_.numbers = pointer<double>(queue_.allocate(numbers(job)));
      there_.block_sums = pointer<double>(queue_.allocate(blocks(job)));
      there_.constants = pointer<const double>(queue_.allocate(layout_.constants * slots * sizeof(double)));
      there_.steps = pointer<std::int64_t>(queue_.allocate(slots * sizeof(std::int64_t)));
      there_.stop = pointer<const std::int64_t>(queue_.allocate(slots * sizeof(std::int64_t)));
      there_.states = pointer<SlotState>(queue_.allocate(slots * sizeof(SlotState)));
    }
    DeviceJob all = job;
    all.numbers = there_.numbers;
    all.block_sums = there_.block_sums;
    all.constants = there_.constants;
    all.steps = there_.steps;
    all.stop = there_.stop;
    all.states = there_.states;
    return all;
  }

  CudaQueue queue_;
  std::shared_ptr<const CudaKernel> kernel_;
  std::vector<double> shared_;
  SlotLayout layout_;
  DeviceJob there_{};
};

class CudaDevice final : public DeviceSteps {
 public:
  explicit CudaDevice(const DeviceRequest& request) : request_(request) {
    // The text can be compiled for a device that is on another machine.
    const char* wanted = std::getenv("TAUT_DEVICE_ARCHITECTURE");
    std::string text = wanted != nullptr ? device_text(request, wanted) : "";
    driver_ = cuda_driver();
    if (text.empty()) text = device_text(request, architecture());
    kernel_ = std::make_shared<const CudaKernel>(driver_, text, kernel_name);
  }
  std::unique_ptr<DeviceMachine> machine(int slots) const override {
    const SlotLayout layout = layout_of(request_);
    return std::make_unique<DeviceMachine>(
        std::make_unique<CudaSteps>(driver_, kernel_, request_.constants, layout), layout, slots,
        request_.steps, request_.options);
  }
  std::string name() const override {
    const DeviceFacts& facts = facts_of(*driver_);
    return fmt::format("{}, CUDA {}.{}, {} registers and {} bytes of local memory a thread", facts.name,
                       facts.driver / 1000, facts.driver % 1000 / 10, kernel_->registers(),
                       kernel_->local_bytes());
  }

 private:
  // Text for an older device runs on a newer one. clang 19 knows devices up to sm_90.
  std::string architecture() const {
    const DeviceFacts& facts = facts_of(*driver_);
    return fmt::format("sm_{}", std::min(90, 10 * facts.major + facts.minor));
  }
  DeviceRequest request_;
  std::shared_ptr<const CudaDriver> driver_;
  std::shared_ptr<const CudaKernel> kernel_;
};

}  // namespace

PtxFacts ptx_facts(const std::string& ptx) {
  PtxFacts facts;
  std::vector<std::string> declared;
  std::istringstream lines(ptx);
  for (std::string line; std::getline(lines, line);) {
    if (const auto at = line.find(".local "); at != line.npos && line.find('[') != line.npos) {
      int bytes = 0;
      std::from_chars(line.data() + line.find('[') + 1, line.data() + line.size(), bytes);
      facts.local_bytes = std::max(facts.local_bytes, bytes);
    }
    facts.fuses = facts.fuses || line.find("fma.") != line.npos;
    if (!line.starts_with(".extern .func")) continue;
    std::string name = line.substr(line.rfind(' ') + 1);
    while (!name.empty() && (name.back() == '(' || name.back() == ';')) name.pop_back();
    facts.missing.push_back(std::move(name));
  }
  return facts;
}

std::string device_text(const DeviceRequest& request, const std::string& architecture) try {
  const CompiledText made =
      compiled_text(source_unit(request, UnitTarget::device, {"-march=" + architecture}));
  if (!made.missing.empty()) throw DeviceError(made.missing);
  const PtxFacts facts = ptx_facts(made.text);
  if (!facts.missing.empty())
    throw DeviceError(
        fmt::format("{} does not fit into a thread of the device: its steps call {}, which is not there",
                    request.method, fmt::join(facts.missing, ", ")));
  if (facts.fuses)
    throw DeviceError(
        "the compiler fuses products and sums, which would give other bits than the processor's");
  return made.text;
} catch (const std::filesystem::filesystem_error& error) {
  throw DeviceError(error.what());
}

std::shared_ptr<const DeviceSteps> device_steps(const DeviceRequest& request) {
  if (request.device == Device::emulated) return std::make_shared<EmulatedDevice>(request);
  return std::make_shared<CudaDevice>(request);
}

}  // namespace taut
