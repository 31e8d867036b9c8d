// The quantities of a model, its formulas of the state, the multipliers and the time, for the page to draw.
#include <taut/capi/border.hpp>
#include <taut/capi/open_model.hpp>
#include <taut/run/formula_quantities.hpp>

using namespace taut::capi;

struct lab_quantities {
  taut::FormulaQuantities formulas;
  std::size_t n, m;
};

extern "C" {

__attribute__((export_name("lab_quantities_new"))) int lab_quantities_new(taut_model* model,
                                                                          lab_quantities** made) {
  return guarded([&] {
    need(model, "model");
    const auto reading = model->open->reading();
    *made = new lab_quantities{taut::FormulaQuantities(reading->model), reading->columns().size() / 2,
                               static_cast<std::size_t>(reading->mechanism->constraints())};
    return TAUT_OK;
  });
}

__attribute__((export_name("lab_quantities_free"))) void lab_quantities_free(lab_quantities* made) {
  delete made;
}

// Writes the value of each quantity to out.
__attribute__((export_name("lab_quantities_at"))) int lab_quantities_at(lab_quantities* made, const double* q,
                                                                        const double* p, const double* lambda,
                                                                        double t, double* out) {
  return guarded([&] {
    std::vector<double> values;
    made->formulas.add({q, made->n}, {p, made->n}, {lambda, made->m}, t, values);
    std::copy(values.begin(), values.end(), out);
    return TAUT_OK;
  });
}

}  // extern "C"
