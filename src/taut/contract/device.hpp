// The choice of who computes the trajectories of an ensemble.
#pragma once

#include <taut/contract/choices.hpp>

namespace taut {

// `emulated` runs the text of the device's kernel on the processor, with its threads as a loop: for tests.
enum class Device { cpu, gpu, emulated };
constexpr std::array<std::string_view, 3> names_of(Device) { return {"cpu", "gpu", "emulated"}; }

}  // namespace taut
