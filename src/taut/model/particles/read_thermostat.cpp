// Reads [thermostat]: the temperature at which a system of particles moves.
#include <taut/model/particles/particle_reader.hpp>
#include <taut/model/text/number_text.hpp>

namespace taut {

void ParticleReader::read_thermostat(const Table& t) {
  if (model_->thermostat) return fail_table(t, "there is one thermostat", "all particles have it");
  if (!keys_known(t, {"temperature", "friction", "parts", "seed"})) return;
  Thermostat thermostat;
  const Entry* const temperature =
      needed(t, "temperature", "as in temperature = 1.0, kT in the units of the potential");
  if (temperature == nullptr) return;
  if (const auto kT = number(temperature->value, "the temperature")) {
    thermostat.temperature = *kT;
    if (!(*kT > 0))
      fail(temperature->value, "the temperature is " + number_text(*kT),
           "it is kT in the units of the potential, and positive");
  }
  if (const Entry* e = t.find("friction"))
    if (const auto friction = number(e->value, "the friction")) {
      thermostat.friction = *friction;
      if (!(*friction >= 0))
        fail(e->value, "the friction is " + number_text(*friction), "it is a rate, and not negative");
    }
  if (const Entry* e = t.find("parts"))
    if (const auto parts = whole(e->value, "the number of geodesic steps", 1, 1000))
      thermostat.parts = static_cast<int>(*parts);
  if (const Entry* e = t.find("seed"))
    if (const auto seed = whole(e->value, "the seed", 0, 9e15))
      thermostat.seed = static_cast<std::uint64_t>(*seed);
  model_->thermostat = thermostat;
}

}  // namespace taut
