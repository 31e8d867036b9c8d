// A model as JSON, for those who show it.
#pragma once

#include <taut/bytes/json.hpp>

#include "open_model.hpp"

namespace taut::capi {

Json description_of(OpenModel& model);

}  // namespace taut::capi
