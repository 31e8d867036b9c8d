#include <taut/backend/cuda_driver.hpp>

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <mutex>
#include <utility>

namespace taut {

namespace {

using Handle = void*;
using Address = std::uint64_t;
using Status = int;  // 0: done

// Numbers of the driver's interface, which does not change.
constexpr int attribute_major = 75, attribute_minor = 76;          // a device has these
constexpr int attribute_local_bytes = 3, attribute_registers = 4;  // a function has these
constexpr int option_max_registers = 0, option_error_log = 5, option_error_log_bytes = 6;
constexpr unsigned stream_by_itself = 1;
constexpr unsigned threads_of_a_block = 128;

}  // namespace

class CudaDriver {
 public:
  CudaDriver() {
    library_ = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library_ == nullptr)
      throw DeviceError("the driver of NVIDIA devices, libcuda.so.1, is not on this machine");
    find(init, "cuInit");
    find(get_device, "cuDeviceGet");
    find(device_name, "cuDeviceGetName");
    find(device_attribute, "cuDeviceGetAttribute");
    find(driver_version, "cuDriverGetVersion");
    find(retain, "cuDevicePrimaryCtxRetain");
    find(set_current, "cuCtxSetCurrent");
    find(load, "cuModuleLoadDataEx");
    find(unload, "cuModuleUnload");
    find(get_function, "cuModuleGetFunction");
    find(function_attribute, "cuFuncGetAttribute");
    find(make_stream, "cuStreamCreate");
    find(end_stream, "cuStreamDestroy_v2");
    find(wait, "cuStreamSynchronize");
    find(allocate, "cuMemAlloc_v2");
    find(release, "cuMemFree_v2");
    find(copy_in, "cuMemcpyHtoDAsync_v2");
    find(copy_out, "cuMemcpyDtoHAsync_v2");
    find(launch, "cuLaunchKernel");
    find(error_text, "cuGetErrorString");
    check(init(0), "the driver of NVIDIA devices does not start");
    int device = 0;
    check(get_device(&device, 0), "there is no NVIDIA device");
    std::array<char, 256> name{};
    check(device_name(name.data(), static_cast<int>(name.size()), device), "the device has no name");
    facts.name = name.data();
    check(device_attribute(&facts.major, attribute_major, device), "the device does not say what it can do");
    check(device_attribute(&facts.minor, attribute_minor, device), "the device does not say what it can do");
    check(driver_version(&facts.driver), "the driver does not say its version");
    check(retain(&context_, device), "the device cannot be used");
  }

  void check(Status status, const std::string& what) const {
    if (status == 0) return;
    const char* text = nullptr;
    if (error_text != nullptr) error_text(status, &text);
    throw DeviceError(fmt::format("{} ({})", what, text != nullptr ? text : std::to_string(status)));
  }
  // Each thread of the processor says this before it asks for anything.
  void enter() const { check(set_current(context_), "the device cannot be used"); }

  DeviceFacts facts;
  Status (*init)(unsigned) = nullptr;
  Status (*get_device)(int*, int) = nullptr;
  Status (*device_name)(char*, int, int) = nullptr;
  Status (*device_attribute)(int*, int, int) = nullptr;
  Status (*driver_version)(int*) = nullptr;
  Status (*retain)(Handle*, int) = nullptr;
  Status (*set_current)(Handle) = nullptr;
  Status (*load)(Handle*, const void*, unsigned, int*, void**) = nullptr;
  Status (*unload)(Handle) = nullptr;
  Status (*get_function)(Handle*, Handle, const char*) = nullptr;
  Status (*function_attribute)(int*, int, Handle) = nullptr;
  Status (*make_stream)(Handle*, unsigned) = nullptr;
  Status (*end_stream)(Handle) = nullptr;
  Status (*wait)(Handle) = nullptr;
  Status (*allocate)(Address*, std::size_t) = nullptr;
  Status (*release)(Address) = nullptr;
  Status (*copy_in)(Address, const void*, std::size_t, Handle) = nullptr;
  Status (*copy_out)(void*, Address, std::size_t, Handle) = nullptr;
  Status (*launch)(Handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, Handle,
                   void**, void**) = nullptr;
  Status (*error_text)(Status, const char**) = nullptr;

 private:
  template <class Function>
  void find(Function& function, const char* name) {
    function = reinterpret_cast<Function>(dlsym(library_, name));
    if (function == nullptr)
      throw DeviceError(fmt::format("the driver of NVIDIA devices is too old: it has no {}", name));
  }

  void* library_ = nullptr;  // stays loaded, as the driver wants it
  Handle context_ = nullptr;
};

std::shared_ptr<const CudaDriver> cuda_driver() {
  static std::mutex mutex;
  static std::shared_ptr<const CudaDriver> driver;
  const std::lock_guard lock(mutex);
  if (!driver) driver = std::make_shared<const CudaDriver>();
  return driver;
}

const DeviceFacts& facts_of(const CudaDriver& driver) { return driver.facts; }

CudaKernel::CudaKernel(std::shared_ptr<const CudaDriver> driver, const std::string& ptx,
                       const std::string& name)
    : driver_(std::move(driver)) {
  driver_->enter();
  // Whoever measures may hold the number of registers down, so that more threads run at a time.
  const char* wanted = std::getenv("TAUT_DEVICE_REGISTERS");
  load(ptx, name, wanted != nullptr ? std::atoi(wanted) : 0);
  // With 96 registers a multiprocessor has five blocks at a time in place of four, and a kernel that needs
  // few more puts little into slow memory: the pendulum takes 0.031 ns a step in place of 0.033.
  constexpr int for_five_blocks = 96, for_four_blocks = 128;
  if (wanted != nullptr || registers() <= for_five_blocks || registers() > for_four_blocks) return;
  driver_->unload(std::exchange(module_, nullptr));
  load(ptx, name, for_five_blocks);
}

// `most` is the largest number of registers; 0: as many as it needs.
void CudaKernel::load(const std::string& ptx, const std::string& name, int most) {
  std::array<char, 4096> log{};
  std::array<int, 3> options{option_error_log, option_error_log_bytes, option_max_registers};
  std::array<void*, 3> values{log.data(), reinterpret_cast<void*>(log.size()),
                              reinterpret_cast<void*>(static_cast<std::uintptr_t>(most))};
  if (const Status status =
          driver_->load(&module_, ptx.c_str(), most > 0 ? 3 : 2, options.data(), values.data());
      status != 0)
    driver_->check(status, fmt::format("the driver does not take the kernel: {}", log.data()));
  driver_->check(driver_->get_function(&function_, module_, name.c_str()), "the kernel is not there");
}

CudaKernel::~CudaKernel() {
  if (module_ != nullptr) driver_->unload(module_);
}

int CudaKernel::registers() const {
  int number = 0;
  driver_->check(driver_->function_attribute(&number, attribute_registers, function_), "no registers");
  return number;
}
int CudaKernel::local_bytes() const {
  int number = 0;
  driver_->check(driver_->function_attribute(&number, attribute_local_bytes, function_), "no memory");
  return number;
}

CudaQueue::CudaQueue(std::shared_ptr<const CudaDriver> driver) : driver_(std::move(driver)) {
  driver_->enter();
  driver_->check(driver_->make_stream(&stream_, stream_by_itself), "the device takes no work");
}

CudaQueue::~CudaQueue() {
  for (const Address address : memory_) driver_->release(address);
  driver_->end_stream(stream_);
}

std::uint64_t CudaQueue::allocate(std::size_t bytes) {
  Address address = 0;
  driver_->check(driver_->allocate(&address, bytes > 0 ? bytes : 8),
                 fmt::format("the device has no room for {} bytes", bytes));
  memory_.push_back(address);
  return address;
}
void CudaQueue::copy_in(std::uint64_t to, const void* from, std::size_t bytes) {
  if (bytes > 0) driver_->check(driver_->copy_in(to, from, bytes, stream_), "nothing can be sent there");
}
void CudaQueue::copy_out(void* to, std::uint64_t from, std::size_t bytes) {
  if (bytes > 0) driver_->check(driver_->copy_out(to, from, bytes, stream_), "nothing comes back");
  wait();
}
void CudaQueue::launch(const CudaKernel& kernel, std::int64_t threads, std::span<void*> arguments) {
  const auto blocks = static_cast<unsigned>((threads + threads_of_a_block - 1) / threads_of_a_block);
  driver_->check(driver_->launch(kernel.function(), blocks, 1, 1, threads_of_a_block, 1, 1, 0, stream_,
                                 arguments.data(), nullptr),
                 "the kernel does not start");
}
void CudaQueue::wait() { driver_->check(driver_->wait(stream_), "the kernel failed"); }

}  // namespace taut
