// The bias of a kernel that decides nothing, estimated from a second sampling with half of the step.
#pragma once

#include <taut/sample/summary.hpp>

namespace taut {

// The bias is of order h², so that the means of steps h and h/2 differ by three quarters of it. Fills
// summary.bias and its standard error; does nothing for a kernel that has no bias. The second sampling takes
// two steps for one, keeps nothing but sums, and is as reproducible as the first.
void estimate_bias(const Sampling& sampling, int threads, const SamplingObserver& observer,
                   SamplingSummary& summary);

}  // namespace taut
