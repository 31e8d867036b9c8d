// The momenta that belong to velocities at the start of a model that gives H(q, p), and the momentum of its
// time.
#pragma once

#include <taut/model/code/mass_matrix.hpp>
#include <taut/model/model.hpp>

#include <optional>

namespace taut {

// Solves H_p(q, p) = v at the q of the start, in 128 bits; nothing if Newton's iteration from p = 0 does not
// converge. The time has no velocity of its own to give: its momentum stays 0.
std::optional<Numbers> momenta_of(const Model& model, const Numbers& v);

// Gives velocities that are not given the least values at which G v + g_t = 0 holds at the start, in so far
// as it can. Returns false, and leaves them, if it holds already.
bool complete_velocities(const Model& model, const std::vector<bool>& given, Numbers& v);

// Makes H(q, p, t) + p_time of H.
void add_momentum_of_time(Formula& H);

}  // namespace taut
