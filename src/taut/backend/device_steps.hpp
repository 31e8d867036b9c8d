// Steps on a device, compiled for a model and a method, and the machines that make them.
#pragma once

#include <taut/backend/cuda_driver.hpp>
#include <taut/contract/device.hpp>
#include <taut/mechanism/device_machine.hpp>
#include <taut/model/model.hpp>

#include <memory>
#include <string>
#include <vector>

namespace taut {

struct DeviceRequest {
  const Model* model = nullptr;
  std::string method;
  SolveOptions options;
  bool plain_updates = false;
  std::vector<double> constants = {};  // the numbers in the formulas
  bool own_constants = false;          // trajectories differ in them
  std::int64_t steps = 0;              // a trajectory has so many
  int coordinates = 0;
  Device device = Device::gpu;
};

class DeviceSteps {
 public:
  virtual ~DeviceSteps() = default;
  // Any number of threads may ask at a time, and each gets a machine of its own.
  virtual std::unique_ptr<DeviceMachine> machine(int slots) const = 0;
  virtual std::string name() const = 0;  // the device, in words
};

// Compiles them, and throws DeviceError if there is no compiler, no driver or no device, or if the method
// does not fit into a thread.
std::shared_ptr<const DeviceSteps> device_steps(const DeviceRequest& request);

// Returns the text in PTX for such a request, for devices of this architecture. Throws DeviceError.
std::string device_text(const DeviceRequest& request, const std::string& architecture);

// What a text in PTX shows without a device.
struct PtxFacts {
  std::vector<std::string> missing;  // functions that it calls and does not have
  int local_bytes = 0;               // each thread has so many bytes of arrays in slow memory
  bool fuses = false;                // it has a fused multiply-add, which rounds once
};
PtxFacts ptx_facts(const std::string& ptx);

}  // namespace taut
