// Says which local charts a state-space form uses, and when it changes from one to the next.
#pragma once

namespace taut {

enum class ChartKind {
  tangent,  // rows of A: an orthonormal basis of ker G at the point where the chart is chosen; σ = 1 there
  coordinates,  // n - m of the coordinates themselves
};

enum class ChartSwitch {
  before,  // a step that would end with σ below the threshold is taken again, in a chart chosen at its start
  after,   // the step that crosses the threshold stands; the next one is taken in a new chart
};

struct ChartRule {
  ChartKind kind = ChartKind::tangent;
  ChartSwitch change = ChartSwitch::before;
  double threshold = 0.5;  // on σ: the largest angle between ker G and the rows of A is at most 60 degrees
};

}  // namespace taut
