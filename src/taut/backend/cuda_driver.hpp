// The driver of NVIDIA devices, found when the program runs: it is no part of taut, and need not be there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace taut {

// Says what the driver refused, in a sentence.
struct DeviceError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct DeviceFacts {
  std::string name;          // as its maker calls it
  int major = 0, minor = 0;  // what it can compute
  int driver = 0;            // the version of CUDA that the driver knows, times 1000
};

class CudaDriver;  // the loaded library, with the first device

// Returns the driver, which is loaded once. Throws DeviceError if there is no driver, or no device.
std::shared_ptr<const CudaDriver> cuda_driver();
const DeviceFacts& facts_of(const CudaDriver& driver);

// A kernel from a text in PTX, translated by the driver.
class CudaKernel {
 public:
  CudaKernel(std::shared_ptr<const CudaDriver> driver, const std::string& ptx, const std::string& name);
  ~CudaKernel();
  CudaKernel(const CudaKernel&) = delete;
  CudaKernel& operator=(const CudaKernel&) = delete;

  const CudaDriver& driver() const { return *driver_; }
  void* function() const { return function_; }
  int registers() const;
  int local_bytes() const;  // each thread has so many bytes of slow memory

 private:
  void load(const std::string& ptx, const std::string& name, int most);

  std::shared_ptr<const CudaDriver> driver_;
  void *module_ = nullptr, *function_ = nullptr;
};

// Work for the device in its order. Each thread of the processor has one of its own.
class CudaQueue {
 public:
  explicit CudaQueue(std::shared_ptr<const CudaDriver> driver);
  ~CudaQueue();
  CudaQueue(const CudaQueue&) = delete;
  CudaQueue& operator=(const CudaQueue&) = delete;

  std::uint64_t allocate(std::size_t bytes);
  void copy_in(std::uint64_t to, const void* from, std::size_t bytes);
  void copy_out(void* to, std::uint64_t from, std::size_t bytes);  // waits
  void launch(const CudaKernel& kernel, std::int64_t threads, std::span<void*> arguments);
  void wait();

 private:
  std::shared_ptr<const CudaDriver> driver_;
  void* stream_ = nullptr;
  std::vector<std::uint64_t> memory_;
};

}  // namespace taut
